"""Named arrays in one file: written once, mapped from then on, never changed.

The file has a mark, the length of a header, the header as JSON, the arrays, and a digest of all
before it. Each array begins at a multiple of 64 bytes, as NumPy's own do, so that the same
instructions compute the same bits.

Reading the whole file at every start to see whether it is sound would take longer than all else. So
the writer sets the file's time of change to one that the header names. A file that was since
written to, copied or restored has another time: it is read through once, and mapped only if its
digest is right.
"""

import json
import mmap
import os
import stat
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memoria.bare.home import open_new

_MARK = b"memoria arrays 1\n"
_LENGTH_BYTES = 8
_DIGEST_BYTES = 32
_ALIGNED = 64
_PIECE = 1 << 20
_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
_BYTES = getattr(os, "O_BINARY", 0)

Numbers = NDArray[Any]


class UnsoundFileError(Exception):
    """Raised for a file that is damaged, or that others than its owner may write to."""


@dataclass(frozen=True, slots=True)
class MappedArrays:
    """Contents of a file. The arrays can't be written to, and are read from disk when used."""

    arrays: Mapping[str, Numbers]
    about: Mapping[str, Any]
    """Values that were written beside the arrays, in JSON."""


def write_arrays(path: str, arrays: Mapping[str, Numbers], about: Mapping[str, Any]) -> None:
    """Write arrays into a new file, for its owner alone, and sync it to disk.

    Raises:
        OSError: it can't be written. What there is of it is left to the caller.
    """
    # Whole even seconds: every file system can keep them.
    stamp = int(time.time()) // 2 * 2
    layout = {name: [one.dtype.str, list(one.shape)] for name, one in arrays.items()}
    header = json.dumps({"stamp": stamp, "arrays": layout, "about": about}).encode()
    with open(open_new(path), "wb") as file:  # noqa: PTH123  (a descriptor)
        digest = sha256()
        for piece in _content(header, arrays):
            file.write(piece)
            digest.update(piece)
        file.write(digest.digest())
        file.flush()
        os.fsync(file.fileno())
    os.utime(path, (stamp, stamp))


def map_arrays(path: str) -> MappedArrays:
    """Return the arrays of a file.

    Raises:
        FileNotFoundError: there is none.
        OSError: it can't be opened or mapped.
        UnsoundFileError: it is damaged, or others could have written to it.
    """
    descriptor = os.open(path, os.O_RDONLY | _NO_LINK | _NO_WAIT | _BYTES)
    try:
        found = os.fstat(descriptor)
        _check_owner(found)
        if found.st_size < len(_MARK) + _LENGTH_BYTES + _DIGEST_BYTES:
            raise UnsoundFileError("the file is cut off")
        mapped = mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
    finally:
        os.close(descriptor)
    try:
        return _read(path, mapped, found)
    except (ValueError, KeyError, TypeError) as error:
        raise UnsoundFileError(f"the file can't be read: {error}") from error


def _content(header: bytes, arrays: Mapping[str, Numbers]) -> Iterator[Any]:
    """Yield the parts of the file before the digest."""
    start = _MARK + len(header).to_bytes(_LENGTH_BYTES, "little") + header
    yield start + _padding(len(start))
    for one in arrays.values():
        yield np.ascontiguousarray(one).reshape(-1).view(np.uint8)
        yield _padding(one.nbytes)


def _read(path: str, mapped: mmap.mmap, found: os.stat_result) -> MappedArrays:
    if mapped[: len(_MARK)] != _MARK:
        raise UnsoundFileError("the file has another format")
    place = len(_MARK) + _LENGTH_BYTES
    length = int.from_bytes(mapped[len(_MARK) : place], "little")
    header = json.loads(mapped[place : place + length])
    if found.st_mtime_ns != header["stamp"] * 10**9:
        _check_digest(mapped)
        _set_stamp(path, header["stamp"])
    place += length
    arrays = {}
    for name, (kind, shape) in header["arrays"].items():
        place += -place % _ALIGNED
        count = int(np.prod(shape, dtype=np.int64))
        arrays[name] = np.frombuffer(mapped, kind, count, place).reshape(shape)
        place += arrays[name].nbytes
    if place + -place % _ALIGNED + _DIGEST_BYTES != len(mapped):
        raise UnsoundFileError("the file is cut off")
    return MappedArrays(arrays, header["about"])


def _padding(size: int) -> bytes:
    return bytes(-size % _ALIGNED)


def _check_owner(found: os.stat_result) -> None:
    owned = not hasattr(os, "getuid") or found.st_uid == os.getuid()
    private = os.name == "nt" or not found.st_mode & _OTHERS
    if not (stat.S_ISREG(found.st_mode) and owned and private):
        raise UnsoundFileError("the file is not its owner's alone")


def _check_digest(mapped: mmap.mmap) -> None:
    digest = sha256()
    last = len(mapped) - _DIGEST_BYTES
    for place in range(0, last, _PIECE):
        digest.update(mapped[place : min(place + _PIECE, last)])
    if digest.digest() != mapped[last:]:
        raise UnsoundFileError("the file is damaged")


def _set_stamp(path: str, stamp: int) -> None:
    """Set the file's time of change, which notes that the file is sound, if that can be done."""
    try:
        os.utime(path, (stamp, stamp))
    except OSError:
        return
