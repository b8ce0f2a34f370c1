"""Commits as git stores them: each in a file, or many in a pack. Read without git.

A repository may come from anybody, so whatever is not as git writes it is no commit, and of nothing
is more read than git's own would take.
"""

import os

from memoria.bare.foreign_files import open_foreign, read_foreign

COMMIT_CHARS = 40
_MOST_BYTES = 1 << 16
"""Number of bytes read of a commit: its parents come first."""
_MOST_DELTAS = 64
_COMMIT, _BY_OFFSET, _BY_NAME = 1, 6, 7
_INDEX = b"\xfftOc\x00\x00\x00\x02"
_FAN, _NAMES = 8, 8 + 256 * 4
_LARGE = 1 << 31
_MOST_PACKS = 64
_MOST_NUMBER = 10
"""Largest number of bytes in a number."""
_NAME = 20


class Objects:
    """The objects of a repository."""

    def __init__(self, common: str) -> None:
        """List the packs.

        Raises:
            OSError: that can't be looked at.
        """
        self._folder = os.path.join(common, "objects")
        packs = os.path.join(self._folder, "pack")
        names = sorted(os.listdir(packs)) if os.path.isdir(packs) else []
        indexes = [one for one in names if one.endswith(".idx")][:_MOST_PACKS]
        self._packs = [_Pack(os.path.join(packs, one.removesuffix(".idx"))) for one in indexes]

    def read_commit(self, name: str) -> bytes:
        """Read the beginning of a commit.

        Raises:
            ValueError: there is none of that name, or it is damaged.
            OSError: it can't be read.
        """
        path = os.path.join(self._folder, name[:2], name[2:])
        if os.path.lexists(path):
            head, _, content = _inflate(read_foreign(path, _MOST_BYTES)).partition(b"\0")
            if not head.startswith(b"commit "):
                raise ValueError(f"{name} is no commit")
            return content
        return self._read_packed(bytes.fromhex(name), _MOST_DELTAS)

    def close(self) -> None:
        """Close the packs."""
        for pack in self._packs:
            pack.close()

    def _read_packed(self, name: bytes, deltas: int) -> bytes:
        for pack in self._packs:
            offset = pack.find(name)
            if offset is not None:
                return self._read_at(pack, offset, deltas)
        raise ValueError(f"{name.hex()} is in no pack")

    def _read_at(self, pack: "_Pack", offset: int, deltas: int) -> bytes:
        """Read an object of a pack, whole or by what it differs in from another."""
        kind, rest = pack.read_head(offset)
        if kind == _COMMIT:
            return _inflate(rest)
        if deltas == 0 or kind not in (_BY_OFFSET, _BY_NAME):
            raise ValueError("not a commit")
        if kind == _BY_NAME:
            base, rest = self._read_packed(rest[:_NAME], deltas - 1), rest[_NAME:]
        else:
            back, rest = _read_distance(rest)
            base = self._read_at(pack, offset - back, deltas - 1)
        return _apply(base, _inflate(rest))


class _Pack:
    """A pack and its index."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._index: int | None = None
        self._data: int | None = None
        self._count = 0

    def find(self, name: bytes) -> int | None:
        """Return the offset of an object; None where it is not in this pack."""
        if self._index is None:
            self._index = open_foreign(f"{self._path}.idx")
            if _read(self._index, 0, len(_INDEX)) != _INDEX:
                raise ValueError("an index of another version")
            self._count = self._number(_FAN + 255 * 4)
        first = self._number(_FAN + (name[0] - 1) * 4) if name[0] else 0
        last = self._number(_FAN + name[0] * 4)
        while first < last:
            middle = (first + last) // 2
            found = _read(self._index, _NAMES + middle * _NAME, _NAME)
            if found == name:
                return self._offset(middle)
            first, last = (middle + 1, last) if found < name else (first, middle)
        return None

    def read_head(self, offset: int) -> tuple[int, bytes]:
        """Read the kind of an object; return it, and what follows the object's size."""
        if self._data is None:
            self._data = open_foreign(f"{self._path}.pack")
        content = _read(self._data, offset, _MOST_BYTES, is_whole=False)
        end = next(place for place, byte in enumerate(content) if not byte & 0x80)
        return content[0] >> 4 & 7, content[end + 1 :]

    def close(self) -> None:
        """Close both files."""
        for descriptor in (self._index, self._data):
            if descriptor is not None:
                os.close(descriptor)

    def _offset(self, place: int) -> int:
        offsets = _NAMES + self._count * (_NAME + 4)
        found = self._number(offsets + place * 4)
        if found < _LARGE:
            return found
        large = offsets + self._count * 4 + (found - _LARGE) * 8
        return self._number(large) << 32 | self._number(large + 4)

    def _number(self, place: int) -> int:
        if self._index is None:
            raise ValueError("an index that is not open")
        return int.from_bytes(_read(self._index, place, 4), "big")


def _read(descriptor: int, place: int, length: int, *, is_whole: bool = True) -> bytes:
    if place < 0:
        raise ValueError("a place before the beginning")
    os.lseek(descriptor, place, os.SEEK_SET)
    content = os.read(descriptor, length)
    if not content or (is_whole and len(content) < length):
        raise ValueError("a file that ends too soon")
    return content


def _inflate(content: bytes) -> bytes:
    from zlib import decompressobj, error

    try:
        return decompressobj().decompress(content, _MOST_BYTES)
    except error as problem:
        raise ValueError("not compressed as git does") from problem


def _read_distance(content: bytes) -> tuple[int, bytes]:
    """Read how far before an object another begins; return that and what follows."""
    distance = -1
    for place, byte in enumerate(content[:_MOST_NUMBER]):
        distance = (distance + 1) << 7 | byte & 0x7F
        if not byte & 0x80:
            return distance, content[place + 1 :]
    raise ValueError("a distance without end")


def _read_size(content: bytes) -> tuple[int, bytes]:
    size = 0
    for place, byte in enumerate(content[:_MOST_NUMBER]):
        size |= (byte & 0x7F) << 7 * place
        if not byte & 0x80:
            return size, content[place + 1 :]
    raise ValueError("a size without end")


def _apply(base: bytes, delta: bytes) -> bytes:
    """Apply a delta to its base: copy pieces of the base, and insert pieces of the delta."""
    _, delta = _read_size(delta)
    _, delta = _read_size(delta)
    made, place = b"", 0
    while place < len(delta) and len(made) < _MOST_BYTES:
        order = delta[place]
        place += 1
        if not order & 0x80:
            made += delta[place : place + order]
            place += order
            continue
        values = [0] * 7
        for bit in range(7):
            if order & 1 << bit:
                values[bit] = delta[place]
                place += 1
        start = int.from_bytes(values[:4], "little")
        length = int.from_bytes(values[4:], "little") or 0x10000
        made += base[start : start + length]
    return made
