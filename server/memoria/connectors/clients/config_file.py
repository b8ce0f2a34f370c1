"""File of another program: read and replaced as a whole, with a backup and a ledger of changes.

The text of a file alone can't say whether an empty container, a comma or a line break was there
before we wrote. The ledger says it, so that our parts are taken out exactly. Without the ledger, as
in a project's file on another machine, our parts are found by their form and taken out all the
same; then a container that was made for them may stay, empty.
"""

import difflib
import json
import os
import re
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

from memoria.bare.lazy_regex import lazy_regex
from memoria.connectors.clients.syntax.interface import InsertedPiece
from memoria.errors import ClientError

_REPOSITORY_SIGNS = (".git", ".hg", ".jj", ".svn")


def check_stays_inside(path: Path, project: Path) -> None:
    """Refuse a file of a project that a link leads out of the project.

    Raises:
        ClientError: a link leads out; the message names the link.
    """
    room, place = Path(os.path.realpath(project)), project
    for part in path.relative_to(project).parts:
        place = place / part
        target = Path(os.path.realpath(place))
        if not target.is_relative_to(room):
            raise ClientError(
                f"{place} is a link that leads out of the project, to {target}. Nothing was "
                "changed: put a file or folder of the project's own there, or connect with "
                "--scope user."
            )


def is_in_repository(folder: Path) -> bool:
    """Check whether a folder is in a repository, where its files may be committed."""
    real = Path(os.path.realpath(folder))
    return any((one / sign).exists() for one in (real, *real.parents) for sign in _REPOSITORY_SIGNS)


BACKUP_SUFFIX = ".memoria-backup"
_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A file that may be a link, as people keep their dotfiles in a folder of their own."""

    path: Path

    @property
    def target(self) -> Path:
        """File that is replaced: the file that a link leads to, so that the link stays."""
        return Path(os.path.realpath(self.path))

    @property
    def backup(self) -> Path:
        """Path of the backup."""
        return self.path.with_name(self.path.name + BACKUP_SUFFIX)

    def read(self) -> bytes | None:
        """Return the file's content; None if the file is missing.

        Raises:
            ClientError: the file can't be read.
        """
        try:
            if not stat.S_ISREG(os.stat(self.path).st_mode):  # noqa: PTH116  (follows links)
                raise ClientError(f"{self.path} is no regular file. Nothing was changed.")
            return self.target.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _system_error(self.path, error) from error

    @property
    def mode(self) -> int | None:
        """Permissions of the file; None if it is missing."""
        try:
            return stat.S_IMODE(self.target.stat().st_mode)
        except OSError:
            return None

    def replace(self, content: bytes, mode: int | None = None) -> tuple[str, ...]:
        """Give the file other content, all or nothing, with the same mode and owner.

        Args:
            content: what it holds afterwards.
            mode: other permissions, which it has before anything is written.

        Returns:
            The folders that had to be made for it, the innermost first.

        Raises:
            ClientError: the file can't be written, and is as it was.
        """
        target = self.target
        made = [str(one) for one in (target.parent, *target.parents[1:]) if not one.exists()]
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            held = os.stat(target) if target.exists() else None  # noqa: PTH116
            if held is not None and not os.access(target, os.W_OK):
                raise ClientError(f"{target} is write-protected. Nothing was changed.")
            _write_whole(target, content, held, mode)
        except OSError as error:
            raise _system_error(target, error) from error
        return tuple(made)

    def keep_backup(self, content: bytes, is_cut: Callable[[bytes], bool]) -> Path | None:
        """Keep a backup of the content before the first change, beside the file, with its mode.

        A file may hold keys, so in a repository, where a backup could be committed, none is made. A
        backup that was cut short, as by a full disk, is made anew: `is_cut` tells.

        Returns:
            The copy, if one was made now.

        Raises:
            ClientError: the backup can't be written.
        """
        try:
            if is_in_repository(self.backup.parent):
                return None
            held = self.backup.read_bytes() if os.path.lexists(self.backup) else None
            if held is not None and not is_cut(held):
                return None
            _write_whole(self.backup, content, os.stat(self.target))  # noqa: PTH116
        except OSError as error:
            raise _system_error(self.backup, error) from error
        return self.backup

    def drop_backup(self) -> None:
        """Delete the backup if the file has the same content again."""
        if self.backup.is_file() and self.backup.read_bytes() == self.read():
            self.backup.unlink()

    def remove(self, folders: tuple[str, ...]) -> None:
        """Delete the file, and those folders that were made for the file and are empty.

        Raises:
            ClientError: the file can't be deleted.
        """
        try:
            self.target.unlink(missing_ok=True)
        except OSError as error:
            raise _system_error(self.target, error) from error
        for folder in folders:
            try:
                Path(folder).rmdir()
            except OSError:  # something else is in it, so it stays
                return


def decode(content: bytes, path: Path) -> tuple[str, str]:
    """Split a text into its byte order mark, if there is one, and the rest.

    Raises:
        ClientError: the text is no UTF-8.
    """
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ClientError(
            f"{path} is no UTF-8 text (byte {error.start:,}). Nothing was changed."
        ) from error
    return (_BOM, text[1:]) if text.startswith(_BOM) else ("", text)


def _write_whole(
    target: Path, content: bytes, held: os.stat_result | None, mode: int | None = None
) -> None:
    """Write a file all or nothing, with the owner of the former file and its mode or another."""
    draft = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
    try:
        with open(draft, "xb") as file:  # noqa: PTH123  (exclusive, binary)
            _take_after(draft, held)
            if mode is not None:
                draft.chmod(mode)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def _take_after(draft: Path, held: os.stat_result | None) -> None:
    """Give a new file the mode and owner of the file that it replaces."""
    if held is None:
        return
    draft.chmod(stat.S_IMODE(held.st_mode))
    new = draft.stat()
    if hasattr(os, "chown") and (new.st_uid, new.st_gid) != (held.st_uid, held.st_gid):
        shutil.chown(draft, held.st_uid, held.st_gid)


def _system_error(path: Path, error: OSError) -> ClientError:
    return ClientError(
        f"{error.filename or path}: {error.strerror or error}. Nothing was changed there."
    )


_NO_FILE = "/dev/null"
_CONTEXT_LINES = 3
_HUNK = lazy_regex(r"@@ -(\d+)(.*?) \+(\d+)(.*?) @@")


@lru_cache(maxsize=8)  # it is shown, and told as JSON
def unified_lines(name: str, before: bytes | None, after: bytes | None) -> tuple[str, ...]:
    """Return the lines of a file's diff. The file may be missing before or after."""
    old, new = _lines_of(before), _lines_of(after)
    first = max(0, _count_alike(old, new) - _CONTEXT_LINES)
    last = max(0, _count_alike(old[first:][::-1], new[first:][::-1]) - _CONTEXT_LINES)
    lines = difflib.unified_diff(
        old[first : len(old) - last],
        new[first : len(new) - last],
        _NO_FILE if before is None else name,
        _NO_FILE if after is None else name,
        lineterm="",
        n=_CONTEXT_LINES,
    )
    return tuple(_shift_hunks(lines, first))


def _count_alike(old: Sequence[str], new: Sequence[str]) -> int:
    """Return how many lines two texts begin with in common."""
    differing = (at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other)
    return next(differing, min(len(old), len(new)))


def _shift_hunks(lines: Iterator[str], by: int) -> Iterator[str]:
    def shift(found: re.Match[str]) -> str:
        old, new = int(found[1]) + by, int(found[3]) + by
        return f"@@ -{old}{found[2]} +{new}{found[4]} @@"

    for line in lines:
        yield _HUNK.sub(shift, line, count=1) if line.startswith("@@ ") else line


def _lines_of(content: bytes | None) -> list[str]:
    return [] if content is None else content.decode("utf-8", "replace").splitlines()


_VERSION = 1
_OWNER_ALONE = 0o600


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    """Changes made to one file."""

    client: str
    pieces: tuple[InsertedPiece, ...] = ()
    made_file: bool = False
    made_folders: tuple[str, ...] = ()
    """Folders that were made, the innermost first."""
    mode: int | None = None
    """Permissions that the file had before a token was written into it; None without a token."""

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Self:
        """Read an entry as the ledger has it."""
        return cls(
            client=str(kept["client"]),
            pieces=tuple(map(InsertedPiece.from_json, kept["pieces"])),
            made_file=bool(kept["made_file"]),
            made_folders=tuple(map(str, kept["made_folders"])),
            mode=None if kept.get("mode") is None else int(kept["mode"]),
        )


@dataclass(frozen=True, slots=True)
class _Kept:
    """Content of the ledger."""

    files: dict[str, LedgerEntry] = field(default_factory=dict)
    made_folders: tuple[str, ...] = ()
    """Folders made for the ledger itself, the innermost first."""

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Self:
        if kept["version"] != _VERSION:
            raise ValueError(kept["version"])
        files = {name: LedgerEntry.from_json(entry) for name, entry in kept["files"].items()}
        return cls(files, tuple(map(str, kept["made_folders"])))

    def as_json(self) -> dict[str, Any]:
        files = {name: asdict(entry) for name, entry in self.files.items()}
        return {"version": _VERSION, "made_folders": self.made_folders, "files": files}


class ConnectionLedger:
    """Ledger of the changes made, by file."""

    def __init__(self, file: Path) -> None:
        """Keep the ledger in a file that only the user can read."""
        self._file = file

    def look_up(self, path: Path) -> LedgerEntry | None:
        """Return the changes made to a file; None if none were."""
        return self._read().files.get(str(path))

    def list_files(self) -> list[Path]:
        """List the files with changes, of all projects."""
        return [Path(path) for path in self._read().files]

    def write(self, path: Path, entry: LedgerEntry | None) -> None:
        """Keep the changes made to a file; None drops the file's entry."""
        kept = self._read()
        if entry is not None:
            kept.files[str(path)] = entry
        elif kept.files.pop(str(path), None) is None:
            return
        if not kept.files:
            ConfigFile(self._file).remove(kept.made_folders)
            return
        if made := self._save(kept):
            self._save(replace(kept, made_folders=made))

    def _save(self, kept: _Kept) -> tuple[str, ...]:
        """Write the ledger; return the folders that had to be made for it."""
        content = json.dumps(kept.as_json(), indent=1, ensure_ascii=False)
        written = content.encode("utf-8", "surrogatepass")
        return ConfigFile(self._file).replace(written, _OWNER_ALONE)

    def _read(self) -> _Kept:
        """Read the ledger; empty if it can't be read, as our parts are also known by their form."""
        try:
            return _Kept.from_json(json.loads(self._file.read_bytes()))
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            return _Kept()
