"""Facts by which a clone of a known project is recognised: its remotes, and its first commit.

They are read from git's own files, so git need not be installed. Only digests of them are given: a
remote's address may hold a password.
"""

import os

from memoria.bare.foreign_files import may_be_path, open_foreign, read_foreign
from memoria.bare.workspace import list_settings

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
        """Read an object of a pack, which is whole there or a difference from another object."""
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


_MOST_COMMITS = 5_000
"""Commits to go back at most: some tenths of a second, once for each project."""
_MOST_REFS = 1 << 24
_LINKS = 5
_REF = "ref: "


def find_first_commit(common: str) -> str | None:
    """Return the first commit in the line that leads to a repository's newest commit.

    Empty if the first commit is too far back. None if the repository has no commit, lacks some, or
    has one that git would not write.
    """
    if os.path.lexists(os.path.join(common, "shallow")):
        return None
    try:
        objects = Objects(common)
    except OSError:
        return None
    try:
        return _go_back(objects, _find_newest(common))
    except (OSError, ValueError, IndexError, StopIteration):
        return None
    finally:
        objects.close()


def _go_back(objects: Objects, name: str) -> str:
    for _ in range(_MOST_COMMITS):
        parent = _read_parent(objects.read_commit(name))
        if not parent:
            return name
        name = parent
    return ""


def _read_parent(commit: bytes) -> str:
    """Read the name of a commit's first parent; empty where it has none."""
    tree, parent = [*commit.split(b"\n", 2), b"", b""][:2]
    if not tree.startswith(b"tree "):
        raise ValueError("not a commit")
    name = parent.removeprefix(b"parent ").decode("ascii")
    return _check_name(name) if parent.startswith(b"parent ") else ""


def _find_newest(common: str) -> str:
    """Find the name of the commit that is checked out.

    Raises:
        ValueError: there is none.
        OSError: it can't be read.
    """
    said = _REF + "HEAD"
    for _ in range(_LINKS):
        if not said.startswith(_REF):
            return _check_name(said)
        said = _read_ref(common, said.removeprefix(_REF))
    raise ValueError("references in a circle")


def _read_ref(common: str, name: str) -> str:
    if ".." in name or os.path.isabs(name):
        raise ValueError("a reference that leads elsewhere")
    path = os.path.join(common, *name.split("/"))
    if os.path.lexists(path):
        return read_foreign(path, 1 << 12).decode("ascii").strip()
    packed = read_foreign(os.path.join(common, "packed-refs"), _MOST_REFS).decode("utf-8")
    ends = f" {name}"
    return next(line for line in packed.splitlines() if line.endswith(ends)).partition(" ")[0]


def _check_name(name: str) -> str:
    if len(name) != COMMIT_CHARS or name.strip("0123456789abcdef"):
        raise ValueError("no name of a commit")
    return name


_MOST_CONFIG, _MOST_LOG = 1 << 20, 1 << 22
_DIGITS = 16
FIRST = "first:"
"""Start of a first commit's digest; alone, the commit is too far back to be found."""
_UNBORN = "0"
_INITIAL = "commit (initial)"


def read_facts(common: str, place: str) -> list[str]:
    """Return digests of what a repository shares with its clones: its remotes and its beginning.

    Args:
        common: its git common directory.
        place: where it is.
    """
    remotes = [_digest(_plain(url, place)) for url in _read_remotes(common)]
    begun = _read_beginning(common)
    return list(dict.fromkeys([*remotes, *([_digest(begun)] if begun else [])]))


def read_first_fact(common: str) -> str | None:
    """Return a digest of a repository's first commit, after a moment; None if it has none."""
    first = find_first_commit(common)
    return None if first is None else FIRST + (_digest(first) if first else "")


def fact_of_place(place: str) -> str:
    """Return the fact that clones made from a folder share."""
    return _digest(_without_end(place))


def _read_remotes(common: str) -> list[str]:
    config = _read_lines(os.path.join(common, "config"), _MOST_CONFIG)
    return [url for section, url in list_settings(config, "url") if section.startswith("remote ")]


def _read_beginning(common: str) -> str:
    """Return the first commit as the log says, if it was made in this repository; else empty."""
    line = _read_lines(os.path.join(common, "logs", "HEAD"), _MOST_LOG).partition("\n")[0]
    head, _, action = line.partition("\t")
    before, _, rest = head.partition(" ")
    is_first = not before.strip(_UNBORN) and action.startswith(_INITIAL)
    return rest.partition(" ")[0] if is_first else ""


def _plain(url: str, place: str) -> str:
    """Reduce an address to what all ways to reach the same repository have in common."""
    scheme, sign, rest = url.partition("://")
    host, colon, path = url.partition(":")
    if not sign and colon and "/" not in host and len(host) > 1:  # as ssh has it; no drive
        sign, rest = "://", f"{host}/{path}"
    if scheme == "file" or not sign:
        local = os.path.join(place, os.path.expanduser(rest if sign else url))
        return _without_end(os.path.realpath(local) if may_be_path(local) else local)
    host, _, path = rest.partition("/")
    name = host.rpartition("@")[2].partition(":")[0].lower()
    return _without_end(f"{name}/{path.lstrip('/')}")


def _without_end(path: str) -> str:
    return path.rstrip("/").removesuffix(".git").rstrip("/")


def _digest(text: str) -> str:
    from hashlib import sha256  # a hook in a known project needs none

    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:_DIGITS]


def _read_lines(path: str, most: int) -> str:
    try:
        return read_foreign(path, most).decode("utf-8", "surrogateescape")
    except OSError:
        return ""
