"""A file of another program: read whole, replaced whole, with a copy of how it was beside it."""

import os
import secrets
import shutil
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from memoria.connectors.clients.bounds import is_in_repository
from memoria.errors import ClientError

BACKUP_SUFFIX = ".memoria-backup"
_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A file that may be a link, as people keep their dotfiles in a folder of their own."""

    path: Path

    @property
    def target(self) -> Path:
        """File that is replaced: the one a link leads to, so that the link stays."""
        return Path(os.path.realpath(self.path))

    @property
    def backup(self) -> Path:
        """Path of the copy."""
        return self.path.with_name(self.path.name + BACKUP_SUFFIX)

    def read(self) -> bytes | None:
        """Return its content; None if it is not there.

        Raises:
            ClientError: it can't be read.
        """
        try:
            if not stat.S_ISREG(os.stat(self.path).st_mode):  # noqa: PTH116  (follows links)
                raise ClientError(f"{self.path} is no regular file. Nothing was changed.")
            return self.target.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _system_error(self.path, error) from error

    def replace(self, content: bytes) -> tuple[str, ...]:
        """Give it other content, all or nothing, with the mode and owner it had.

        Returns:
            The folders that had to be made for it, the innermost first.

        Raises:
            ClientError: it can't be written; it is as it was.
        """
        target = self.target
        made = [str(one) for one in (target.parent, *target.parents[1:]) if not one.exists()]
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            held = os.stat(target) if target.exists() else None  # noqa: PTH116
            if held is not None and not os.access(target, os.W_OK):
                raise ClientError(f"{target} is write-protected. Nothing was changed.")
            _write_whole(target, content, held)
        except OSError as error:
            raise _system_error(target, error) from error
        return tuple(made)

    def keep_backup(self, content: bytes, is_cut: Callable[[bytes], bool]) -> Path | None:
        """Keep what it holds before the first change, beside it, with its mode.

        It may hold keys, so in a repository, where it could be committed, no copy is made. One
        that was cut short, as by a full disk, is none, and is made anew.

        Args:
            content: what it holds.
            is_cut: tells whether a copy that is there is only the beginning of one.

        Returns:
            The copy, if one was made now.

        Raises:
            ClientError: it can't be written.
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
        """Delete the copy if the file is what it was."""
        if self.backup.is_file() and self.backup.read_bytes() == self.read():
            self.backup.unlink()

    def remove(self, folders: tuple[str, ...]) -> None:
        """Delete it, and those folders that were made for it and are empty.

        Raises:
            ClientError: it can't be deleted.
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
        ClientError: it is no UTF-8.
    """
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ClientError(
            f"{path} is no UTF-8 text (byte {error.start:,}). Nothing was changed."
        ) from error
    return (_BOM, text[1:]) if text.startswith(_BOM) else ("", text)


def _write_whole(target: Path, content: bytes, held: os.stat_result | None) -> None:
    """Write a file all or nothing, with the mode and owner of another."""
    draft = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
    try:
        with open(draft, "xb") as file:  # noqa: PTH123  (exclusive, binary)
            _take_after(draft, held)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def _take_after(draft: Path, held: os.stat_result | None) -> None:
    """Give a new file the mode and owner of the one it stands for."""
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
