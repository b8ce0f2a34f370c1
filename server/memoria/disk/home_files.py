"""Core files and the tombstone key of a home: their places, and how each is read and replaced.

Core memory is MEMORY.md, USER.md and PERSONA.md, grown from seeds, and a MEMORY.md for each
project. Reading never writes: a home without the file is shown the seed.
"""

import contextlib
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator
from functools import cache
from importlib import resources
from pathlib import Path

from memoria.bare.ask import SOCKETS
from memoria.bare.home import TENANTS
from memoria.bare.lazy_regex import lazy_regex
from memoria.disk.folders import PROJECTS
from memoria.disk.regular_files import (
    MOST_BYTES,
    MOST_CORE_BYTES,
    find_obstacle,
    is_folder,
    read_file,
    walk,
)
from memoria.errors import StoreUnavailableError, UnusableFileError
from memoria.model.core import CORE_FILES, PROJECT_FILE, CoreFile

DATABASE = "memoria.db"
TOMBSTONE_KEY = "tombstone.key"
BACKUPS = "backups"
KEY_BYTES = 32
_TEXTS = (".md", ".txt", ".jsonl")
_OWNER_ONLY = 0o600
_ZEROS = bytes(1 << 20)
_TENANTS_FOLDER = lazy_regex(rf"^{TENANTS}/[a-z0-9-]+/")
_IN_PROJECT = lazy_regex(rf"{PROJECTS}/[a-z0-9-]+/{re.escape(PROJECT_FILE)}")
_MARK = lazy_regex(r"(?:(?<![ \t])[ \t]++)?<!-- [mcd]:[0-9a-f]{4,32} -->")
_BELOW = lazy_regex(r"\r?\n  (later, [^\n]*<!-- q:[0-9a-f]{8} [0-9a-f]{8} -->)")
_QUOTE = lazy_regex(r"<!-- q:([0-9a-f]{8}) [0-9a-f]{8} -->")
_HEAD = lazy_regex(r"^[^\n]*<!-- memoria -->[ \t]*\r?\n?", re.MULTILINE)


def core_files(home: Path) -> list[str]:
    """List the places in a home where core files stand, every tenant's, usable or not."""
    own = [name for name in CORE_FILES if os.path.lexists(home / name)]
    of_projects = f"{PROJECTS}/*/{PROJECT_FILE}"
    others = (of_projects, *(f"{TENANTS}/*/{name}" for name in (*CORE_FILES, of_projects)))
    found = (file for pattern in others for file in home.glob(pattern))
    return [*own, *sorted(file.relative_to(home).as_posix() for file in found)]


def most_bytes(place: str) -> int:
    """Return the largest size, in bytes, that the file at a place in a home may have."""
    return MOST_CORE_BYTES if is_core_path(place) else MOST_BYTES


def list_obstacles(home: Path) -> Iterator[str]:
    """Yield a sentence on each file that Memoria leaves alone in a home, and what to do about it.

    Raises:
        OSError: a folder can't be read.
    """
    for path, found in walk(home):
        place = path.relative_to(home).as_posix()
        is_core = is_core_path(place)
        if is_core or (path.suffix in _TEXTS and found.st_size > MOST_BYTES):
            obstacle = find_obstacle(home, place, most_bytes(place))
        elif stat.S_ISREG(found.st_mode) or (is_folder(found) and path.suffix not in _TEXTS):
            continue
        elif stat.S_ISSOCK(found.st_mode) and path.parent.name == SOCKETS:
            continue  # of a server
        else:
            obstacle = find_obstacle(home, place)
        if obstacle is not None:
            yield obstacle


def is_core_path(place: str) -> bool:
    """Check whether a place in a home is a core file's."""
    below = _TENANTS_FOLDER.sub("", place)
    return below in CORE_FILES or _IN_PROJECT.fullmatch(below) is not None


def strip_marks(text: str) -> str:
    """Return a core file's text without the comments by which Memoria knows its own lines.

    A note below a line is appended to it, and a quote's mark becomes its id in brackets.

    >>> strip_marks("- Tests run on Linux. <!-- m:0123abcd -->")
    '- Tests run on Linux.'
    """
    plain = _QUOTE.sub(r"[\1]", _BELOW.sub(r"; \1", _HEAD.sub("", text)))
    return _MARK.sub("", plain)


@cache
def read_seed(name: CoreFile) -> str:
    """Return the text a core file begins with, from the installed package or the source tree."""
    package = resources.files("memoria")
    installed = package.joinpath("identity", name)
    if installed.is_file():
        return installed.read_text("utf-8")
    return (Path(str(package)).parent.parent / "identity" / name).read_text("utf-8")


def tombstone_key(home: Path) -> bytes:
    """Return the keys for tombstones: the home's own 32 random bytes, made if missing, come first.

    Keys of other homes follow, whose lists of what was forgotten were taken in.

    Raises:
        StoreUnavailableError: the file can't be read or made, or is damaged.
    """
    file = home / TOMBSTONE_KEY
    try:
        key = read_file(home, TOMBSTONE_KEY)
        if key is None:
            _create_once(file, secrets.token_bytes(KEY_BYTES))
            key = read_file(home, TOMBSTONE_KEY)
    except OSError as error:
        raise StoreUnavailableError(
            f"{file} can't be used: {error.strerror}. Check that the home is writable."
        ) from error
    except UnusableFileError as error:
        raise StoreUnavailableError(str(error)) from error
    if key is None or not are_keys(key):
        raise StoreUnavailableError(
            f"{file} is damaged; without it what was forgotten can't be known again. "
            "Restore it from a backup of the home."
        )
    return key


def are_keys(content: bytes) -> bool:
    """Check that a key file holds whole keys, one at least."""
    return bool(content) and len(content) % KEY_BYTES == 0


def split_keys(content: bytes) -> tuple[bytes, ...]:
    """Split the content of a key file into its keys, the home's own first."""
    starts = range(0, len(content), KEY_BYTES)
    return tuple(content[start : start + KEY_BYTES] for start in starts)


def list_tombstone_keys(home: Path) -> tuple[bytes, ...]:
    """Return the keys of a home; none if the home has needed no key yet."""
    return split_keys(tombstone_key(home)) if os.path.lexists(home / TOMBSTONE_KEY) else ()


def adopt_tombstone_keys(home: Path, content: bytes) -> bool:
    """Add the keys of another home to this home's; return True if any key was new.

    To be called inside of a write transaction, so that nobody else does the same meanwhile.

    Raises:
        StoreUnavailableError: the file can't be read.
        OSError: it can't be written.
    """
    own = list_tombstone_keys(home)
    new = [key for key in split_keys(content) if key not in own]
    if new:
        replace_file(home / TOMBSTONE_KEY, b"".join((*own, *new)))
    return bool(new)


def replace_file(file: Path, content: bytes, is_current: Callable[[], bool] = lambda: True) -> bool:
    """Replace a file's content, all or nothing.

    Args:
        file: the file; it may be new.
        content: its new content.
        is_current: asked when all is ready but the renaming, so that nobody's edit is lost that was
            saved while the content was made and written.

    Returns:
        True if the file was replaced, False if `is_current` said no.
    """
    draft = file.with_name(f".{file.name}.{secrets.token_hex(8)}")
    try:
        _write_new(draft, content)
        if not is_current():
            return False
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)
    return True


def wipe_file(file: Path) -> None:
    """Write zeros over a file, to the disk, and delete it.

    A disk that writes elsewhere than it is told, or a file system that keeps snapshots, has the
    former bytes still.
    """
    with file.open("r+b") as opened:
        left = os.fstat(opened.fileno()).st_size
        while left > 0:
            left -= opened.write(_ZEROS[:left])
        opened.flush()
        os.fsync(opened.fileno())
    file.unlink()


def _create_once(file: Path, content: bytes) -> None:
    """Give a file its first content. Of several processes at once, the first decides."""
    draft = file.with_name(f".{file.name}.{secrets.token_hex(8)}")
    try:
        _write_new(draft, content)
        with contextlib.suppress(FileExistsError):
            os.link(draft, file)
    finally:
        draft.unlink(missing_ok=True)


def _write_new(file: Path, content: bytes) -> None:
    """Write a new file for its owner alone, synced to disk; FileExistsError if it is there."""
    descriptor = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _OWNER_ONLY)
    with os.fdopen(descriptor, "wb") as opened:
        opened.write(content)
        opened.flush()
        os.fsync(descriptor)
