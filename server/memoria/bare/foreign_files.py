"""Small files of other programs' folders, such as of a project that was cloned or unpacked.

Nobody vouches for them: there may be a pipe that never says anything, a device that never ends, or
gigabytes of nothing. None is waited for, and none is read beyond what such a file may have.
"""

import os
import stat

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_BYTES = getattr(os, "O_BINARY", 0)


_MOST_CHARS = 4096
"""Longest path, in characters: no system opens a longer path."""


def may_be_path(path: str) -> bool:
    """Check whether a text that was read from some file can be a path."""
    try:
        return len(path) <= _MOST_CHARS and b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


def is_inside(place: str, folder: str) -> bool:
    """Check whether a path is a folder's own, or below the folder."""
    return place == folder or place.startswith(folder.rstrip(os.sep) + os.sep)


class OversizedError(OSError):
    """A file is larger than any file of its kind should be."""


def read_foreign(path: str, most: int) -> bytes:
    """Return the content of a regular file, or of the regular file that a link leads to.

    Raises:
        OversizedError: it is larger than `most` bytes.
        OSError: it can't be read, or is something else.
    """
    descriptor = open_foreign(path)
    try:
        return _read_all(descriptor, most)
    finally:
        os.close(descriptor)


def open_foreign(path: str) -> int:
    """Return a descriptor of a regular file, or of the one that a link leads to.

    Raises:
        OSError: it can't be opened, or is something else.
    """
    descriptor = os.open(path, _FLAGS | _BYTES)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise OSError(f"{path} is no regular file")


def _read_all(descriptor: int, most: int) -> bytes:
    content = b""
    while piece := os.read(descriptor, most + 1 - len(content)):
        content += piece
        if len(content) > most:
            raise OversizedError(f"it has more than {most:,} bytes")
    return content
