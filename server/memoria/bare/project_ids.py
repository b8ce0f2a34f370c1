"""The ids of a project, in a file of its git common directory: they move along with the folder.

Each home gives a project an id of its own, at random, and knows it again by that alone. An id that
it never gave says nothing to it, whoever wrote it there. So no archive can claim a project, and
homes beside each other don't get into each other's way.
"""

import os
import stat
import sys

from memoria.bare.home import NotRegularError, is_link, open_new, read_regular, write_all

ID_FILE = "memoria-project"
_DIGITS = 32
_MOST_IDS = 120
_MOST_BYTES = 1 << 12


def new_id() -> str:
    """Make an id that nobody can guess."""
    return os.urandom(_DIGITS // 2).hex()


def read_ids(common: str) -> list[str]:
    """Read the ids that a git common directory holds, of whichever home.

    Raises:
        NotRegularError: the directory or its file is a link, or something else.
        OSError: it can't be read.
    """
    _check_directory(common)
    try:
        content = read_regular(os.path.join(common, ID_FILE), _MOST_BYTES)
    except FileNotFoundError:
        return []
    return [line for line in content.decode("ascii", "replace").split() if is_id(line)]


def is_id(text: str) -> bool:
    """Check whether a text is written as an id."""
    return len(text) == _DIGITS and not text.strip("0123456789abcdef")


def write_ids(common: str, ids: list[str]) -> None:
    """Write ids into a git common directory; of too many, only the last ones.

    Raises:
        NotRegularError: the directory is a link, or something else.
        OSError: it can't be written.
    """
    owner = _check_directory(common).st_uid
    if sys.platform != "win32" and owner != os.geteuid():
        raise PermissionError(f"{common} is somebody else's: they could not read the file")
    path = os.path.join(common, ID_FILE)
    draft = f"{path}.{os.urandom(8).hex()}"
    descriptor = open_new(draft)
    try:
        try:
            write_all(descriptor, "".join(f"{one}\n" for one in ids[-_MOST_IDS:]).encode())
        finally:
            os.close(descriptor)
        os.replace(draft, path)
    except BaseException:
        os.unlink(draft)
        raise


def holds_id(place: str, one: str) -> bool:
    """Check whether a repository with an id is in a place; True if nobody may look."""
    if not place:
        return False
    try:
        return any(one in _read_at(common) for common in (os.path.join(place, ".git"), place))
    except PermissionError:
        return True


def _read_at(common: str) -> list[str]:
    try:
        return read_ids(common)
    except PermissionError:
        raise
    except OSError:
        return []


def _check_directory(common: str) -> os.stat_result:
    found = os.lstat(common)
    if is_link(found) or not stat.S_ISDIR(found.st_mode):
        raise NotRegularError(f"{common} is no directory, or a link to one")
    return found
