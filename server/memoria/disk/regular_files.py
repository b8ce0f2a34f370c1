"""Opening, checking and listing files of a home: only regular files of the home itself.

Whoever can put something into the home, such as a tool that an agent runs, could otherwise have
Memoria read, change or wait for whatever a link, a pipe or a device leads to. So no link below the
home is followed, nothing but a regular file is opened, no open waits, and no more is read than a
limit. The home itself may be a link: that is its owner's choice.

Every part of a path is looked at right before it is used. That is no wall against somebody who
exchanges a folder of the home at that very moment.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path, PurePath
from typing import IO

from memoria.bare.home import is_link
from memoria.errors import UnusableFileError

MOST_CORE_BYTES = 1 << 18
"""Largest core file that is read, in bytes: eighty times what a night writes by itself."""
MOST_BYTES = 256 << 20
"""Largest other file that is read or written, in bytes."""

_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_KINDS = {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket", stat.S_IFDIR: "a folder"}
_IN_THE_WAY = "{} is {}, and a file belongs there. Move it away."
_LINK = (
    "{} is a link, and Memoria follows none, so that nothing outside of its home is read or "
    "changed. Put there what it leads to; other places may link to the home."
)


def read_file(home: Path, place: str | PurePath, most: int = MOST_BYTES) -> bytes | None:
    """Return the content of a file of the home; None if there is no file.

    Raises:
        UnusableFileError: it is a link, no regular file, larger than `most` or unreadable.
    """
    with open_file(home, place, most) as opened:
        if opened is None:
            return None
        try:
            content = opened.read(most + 1)
        except OSError as error:
            raise _to_unusable(home / place, error) from error
    if len(content) > most:  # it has grown since
        raise _too_large(home / place, len(content), most)
    return content


@contextmanager
def open_file(
    home: Path, place: str | PurePath, most: int = MOST_BYTES
) -> Iterator[IO[bytes] | None]:
    """Open a file of the home for reading; yields None if there is no file.

    Raises:
        UnusableFileError: it is a link, no regular file, larger than `most` or unreadable.
    """
    path = home / place
    descriptor = _open(home, place)
    if descriptor is None:
        yield None
        return
    with os.fdopen(descriptor, "rb") as opened:
        found = os.fstat(descriptor)
        _refuse_other_kinds(path, found)  # it may have been exchanged since it was looked at
        if found.st_size > most:
            raise _too_large(path, found.st_size, most)
        yield opened


def find_obstacle(home: Path, place: str | PurePath, most: int = MOST_BYTES) -> str | None:
    """Return why a file can't be used and what to do; None if it can be used or is missing."""
    try:
        with open_file(home, place, most):
            return None
    except UnusableFileError as error:
        return str(error)


def refuse_links(home: Path, place: str | PurePath) -> None:
    """Check that a path stays below the home, and that no part of it is a link.

    Raises:
        UnusableFileError: it leads elsewhere.
        OSError: it can't be looked at.
    """
    path = home
    refuse_escape(place, home)
    for part in PurePath(place).parts:
        path = path / part
        with suppress(FileNotFoundError, NotADirectoryError):
            if is_link(path.lstat()):
                raise UnusableFileError(_LINK.format(path))


def refuse_escape(place: str | PurePath, root: object) -> None:
    """Check that a path stays below a root, by its name alone.

    Raises:
        UnusableFileError: it leads elsewhere, or no file can have this name.
    """
    if PurePath(place).anchor or ".." in PurePath(place).parts:
        raise UnusableFileError(f"{place} leads out of {root}, and nothing is touched there.")
    try:
        is_name = b"\0" not in os.fsencode(place)
    except UnicodeEncodeError:
        is_name = False
    if not is_name:
        raise UnusableFileError(f"No file can have the name {str(place)!r}.")


def check_place(home: Path, place: str | PurePath) -> None:
    """Check that there is a regular file at a place in the home, or nothing.

    Raises:
        UnusableFileError: it is something else, or a link leads there.
        OSError: it can't be looked at.
    """
    refuse_links(home, place)
    with suppress(FileNotFoundError, NotADirectoryError):
        _refuse_other_kinds(home / place, (home / place).lstat())


def is_folder(found: os.stat_result) -> bool:
    """Check whether a file status is that of a folder, and no link to one."""
    return stat.S_ISDIR(found.st_mode) and not is_link(found)


def list_files(home: Path, folder: str | PurePath = "") -> Iterator[Path]:
    """Yield the regular files below a folder of the home; none if the folder is a link.

    Raises:
        OSError: a folder can't be read.
    """
    return (path for path, found in walk(home, folder) if stat.S_ISREG(found.st_mode))


def walk(
    home: Path, folder: str | PurePath = "", *, skips_closed: bool = False
) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield every path below a folder of the home with its status; links are not followed.

    Args:
        home: the data folder.
        folder: where to begin, below it.
        skips_closed: leave out what is in folders that this user may not read.

    Raises:
        OSError: a folder can't be read.
    """
    with suppress(PermissionError) if skips_closed else nullcontext():
        for path, found in list_folder(home, folder):
            yield path, found
            if is_folder(found):
                yield from walk(home, path.relative_to(home), skips_closed=skips_closed)


def list_folder(home: Path, folder: str | PurePath) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield each path in a folder of the home with its `lstat` result, sorted by name.

    Nothing is yielded if the folder is missing or a link.

    Raises:
        OSError: the folder can't be read.
    """
    try:
        refuse_links(home, folder)
        paths = sorted((home / folder).iterdir())
    except (FileNotFoundError, NotADirectoryError, UnusableFileError):
        return
    for path in paths:
        with suppress(FileNotFoundError):  # it may go at any time
            found = path.lstat()
            yield path, found


def _open(home: Path, place: str | PurePath) -> int | None:
    path = home / place
    try:
        check_place(home, place)
        return os.open(path, _FLAGS)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _to_unusable(path, error) from error


def _refuse_other_kinds(path: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        kind = _KINDS.get(stat.S_IFMT(found.st_mode), "a device")
        raise UnusableFileError(_IN_THE_WAY.format(path, kind))


def _too_large(path: Path, size: int, most: int) -> UnusableFileError:
    return UnusableFileError(
        f"{path} has {size:,} bytes, and Memoria reads at most {most:,} of such a file. Shorten "
        "it, or move it out of the home."
    )


def _to_unusable(path: Path, error: OSError) -> UnusableFileError:
    return UnusableFileError(
        f"{path} can't be used: {error.strerror or error}. Check that it is there and that this "
        "user may read and write it."
    )
