"""Objects and references of a repository that nobody vouches for.

What is no regular file is not opened, since a pipe would never end. Objects that another repository
lends are not followed, and neither graphs nor indexes over packs are used: what they say is not
checked against the objects.
"""

import os
import re
import struct
import zlib
from pathlib import Path

from dulwich.errors import (
    ApplyDeltaError,
    ChecksumMismatch,
    FileFormatException,
    ObjectMissing,
    WrongObjectException,
)
from dulwich.object_store import DiskObjectStore
from dulwich.objects import ObjectID, RawObjectID, ShaFile, sha_to_hex
from dulwich.pack import Pack

from memoria.bare.foreign_files import read_foreign

DAMAGE = (
    KeyError, ValueError, OSError, IndexError, EOFError, AssertionError, TypeError, MemoryError,
    RecursionError, struct.error, zlib.error, ApplyDeltaError, ChecksumMismatch,
    FileFormatException, ObjectMissing, WrongObjectException,
)  # fmt: skip
"""Errors that reading damaged or missing objects raises."""
_MOST_OBJECT = 64 << 20
_MOST_REFERENCE, _MOST_PACKED = 1 << 12, 16 << 20
_MOST_HOPS = 5
_RAW_LENGTH = 20
_OF_PACKS = (".pack", ".idx", ".keep", ".bitmap", ".rev", ".mtimes")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_REFERENCE = re.compile(r"refs/(?!.*(?:\.\.|//|/$))[^\x00-\x20~^:?*\[\\\x7f]+")
_TAGS = "refs/tags/"
_SYMBOLIC = "ref:"


class ForeignObjects(DiskObjectStore):
    """Objects in the files of one repository."""

    def __init__(self, folder: Path) -> None:
        """Open the objects in a folder."""
        super().__init__(folder, loose_object_size_limit=_MOST_OBJECT)
        self._alternates = []
        self._use_commit_graph = self._use_midx = False

    def _get_loose_object(self, sha: ObjectID) -> ShaFile | None:
        name = sha_to_hex(RawObjectID(sha)) if len(sha) == _RAW_LENGTH else sha
        path = Path(os.fsdecode(self._get_shafile_path(ObjectID(name))))
        return super()._get_loose_object(sha) if _is_regular(path) else None

    def _update_pack_cache(self) -> list[Pack]:
        folder = Path(self.pack_dir)
        files = [each for each in folder.glob("*") if each.name.endswith(_OF_PACKS)]
        if not all(map(_is_regular, files)):
            raise OSError(f"{folder} has a pack that is no regular file")
        return super()._update_pack_cache()


def read_head(own: str, common: str) -> str | None:
    """Return the commit that is checked out.

    None before the first commit, and where references are kept in a way that is not read: as a
    table, or with longer hashes.

    Args:
        own: the git directory of the checkout.
        common: the git directory that all worktrees share.
    """
    told = _read(Path(own, "HEAD"), _MOST_REFERENCE)
    for _ in range(_MOST_HOPS):
        if told is None or not told.startswith(_SYMBOLIC):
            break
        name = told.removeprefix(_SYMBOLIC).strip()
        if _REFERENCE.fullmatch(name) is None:
            return None
        loose = _read(Path(common, *name.split("/")), _MOST_REFERENCE)
        told = _find_packed(common, name) if loose is None else loose
    return told if told is not None and _COMMIT.fullmatch(told) else None


def read_tags(common: str) -> dict[str, str]:
    """Return the names of all tags, each with the id that its reference holds.

    Args:
        common: the git directory that all worktrees share.
    """
    found: dict[str, str] = {}
    for line in (_read(Path(common, "packed-refs"), _MOST_PACKED) or "").splitlines():
        tagged, _, named = line.partition(" ")
        if named.startswith(_TAGS):
            found[named.removeprefix(_TAGS)] = tagged
    folder = Path(common, _TAGS)
    for parent, _, files in os.walk(folder):
        for each in (Path(parent, file) for file in files):
            found[each.relative_to(folder).as_posix()] = _read(each, _MOST_REFERENCE) or ""
    return {name: tagged for name, tagged in found.items() if _COMMIT.fullmatch(tagged)}


def _find_packed(common: str, name: str) -> str | None:
    """Return what the file of packed references says of one."""
    for line in (_read(Path(common, "packed-refs"), _MOST_PACKED) or "").splitlines():
        commit, _, named = line.partition(" ")
        if named == name:
            return commit
    return None


def _read(path: Path, most: int) -> str | None:
    try:
        return read_foreign(os.fspath(path), most).decode("utf-8", "surrogateescape").strip()
    except (OSError, ValueError):
        return None


def _is_regular(path: Path) -> bool:
    try:
        return path.is_file()
    except ValueError:
        return False
