"""Files that an import reads, their order, and names for sessions without a name.

Such a session is named after its file. A file that is named by itself gives its bare name, as it
always has. Two files of one name would share a session, and a folder may hold a `chat.jsonl` like
any other; so a file that shares its name with another of the run, or was found in a folder, adds
a mark of the folder it is in: `chat~1f0c2a9e`. The mark comes from the folder's full path and
from nothing else: which files the run has besides, or from where a folder was walked, does not
change it, so an import can be repeated piece by piece.
"""

import hashlib
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import NoReturn

from memoria.connectors.transcripts.base import FileFormat
from memoria.errors import InvalidInputError

NOTES_STATE = ".memoria/notes.json"
"""File that marks a folder of our own notes. Such a folder is no source."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """A file to import."""

    path: Path
    session: str
    """Session of the lines that name no session."""
    size: int


def find_transcripts(paths: Sequence[Path], of: FileFormat) -> list[Transcript]:
    """Find the files to read: each named file, and the format's files in each named folder.

    Raises:
        InvalidInputError: no file can be read; the message says what to do.
    """
    named: dict[Path, Path] = {}
    found: dict[Path, Path] = {}
    for path in paths or [_own_folder(of)]:
        if path.is_dir():
            files = list(_find_in_folder(path, of)) or _raise_nothing_found(path, of)
            found.update((file.resolve(), file) for file in files)
        elif path.exists():
            refuse_other_kinds(path)
            named[path.resolve()] = path
            found[path.resolve()] = path
        else:
            raise InvalidInputError(f"{path} does not exist. Give a file or folder that does.")
    return name_transcripts(named, found)


def name_transcripts(named: Mapping[Path, Path], found: Mapping[Path, Path]) -> list[Transcript]:
    """List the found files, each with a session for lines that name none.

    Both mappings are from real paths; the named files are among the found ones, too.
    """
    names = Counter(_bare_name(path) for path in named.values())
    return [
        Transcript(
            path,
            _session_name(real, marked=real not in named or names[_bare_name(path)] > 1),
            _size(path),
        )
        for real, path in found.items()
    ]


def refuse_other_kinds(path: Path) -> None:
    """Refuse a path that is no file: a pipe may stay silent, and a device may never end."""
    if not path.is_file():
        raise InvalidInputError(
            f"{path} is a pipe, a socket or a device. Save what it says to a file, and name that."
        )


def has_own_notes(folder: Path) -> bool:
    """Check whether a folder's notes are our own, whose edits `memoria export --sync` takes in."""
    return (folder / NOTES_STATE).is_file()


def _is_own_file(path: Path) -> bool:
    """Check whether a path is a file and no link, which may lead to any file of the user's."""
    return path.is_file() and not path.is_symlink()


def _find_in_folder(folder: Path, of: FileFormat) -> Iterator[Path]:
    """Yield the transcripts in a folder, each once, always in the same order."""
    for parent, folders, files in os.walk(folder, onerror=_raise_unreadable):
        if has_own_notes(Path(parent)):
            folders.clear()
            continue
        folders[:] = sorted(set(folders) - of.excluded_folders)
        transcripts: dict[str, Path] = {}
        for pattern in of.patterns:
            for file in sorted(files):
                if fnmatch(file, pattern) and _is_own_file(Path(parent) / file):
                    transcripts.setdefault(_bare_name(Path(file)), Path(parent) / file)
        yield from (transcripts[name] for name in sorted(transcripts))


def _own_folder(of: FileFormat) -> Path:
    if of.folder is None:
        raise InvalidInputError("Name the files or folders to import.")
    folder = of.folder.path
    if not folder.is_dir():
        raise InvalidInputError(
            f"There is no {folder}, where {of.name} keeps its transcripts. "
            "Name the files or folders to import."
        )
    return folder


def _raise_nothing_found(folder: Path, of: FileFormat) -> NoReturn:
    wanted = " or ".join(of.patterns)
    raise InvalidInputError(
        f"{folder} holds no {wanted}, also not in its folders. "
        f"Name another folder, or another --format than {of.name}."
    )


def _raise_unreadable(error: OSError) -> NoReturn:
    raise InvalidInputError(f"{error.filename} can't be read: {error.strerror}.") from error


def _bare_name(path: Path) -> str:
    return Path(path.name.removesuffix(".zst")).stem


def _session_name(path: Path, *, marked: bool) -> str:
    if not marked:
        return _bare_name(path)
    folder = hashlib.sha256(os.fsencode(path.parent)).hexdigest()
    return f"{_bare_name(path)}~{folder[:8]}"


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0  # reading it will say what is wrong
