"""Format of a backup: a zip of files, and a manifest with the size and digest of each."""

import hashlib
import os
import shlex
import stat
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from math import inf
from pathlib import Path
from typing import IO, Literal

from pydantic import ValidationError

from memoria.bare.project_registry import REGISTRY
from memoria.bare.sealing import MARK
from memoria.connectors.sources.archives import TORN, open_zip
from memoria.disk.home_files import BACKUPS, DATABASE, TOMBSTONE_KEY, is_core_path, most_bytes
from memoria.errors import BackupError
from memoria.model.base import Value

Progress = Callable[[int, int], None]

MEMBERS = (DATABASE, TOMBSTONE_KEY, REGISTRY, MARK)
"""Names of files that a backup may hold beside core files; no other file is ever unpacked."""

_MANIFEST = "manifest.json"
_BLOCK = 1 << 20
_LEVEL = 1  # of zlib: two thirds of the time of the usual 6, for two per cent more bytes
_PRIVATE = 0o600
_MOST_MANIFEST_BYTES = 16 << 20
_MOST_RATIO = 200
"""Largest number of bytes for each packed byte: a database of nothing but zeros would have more."""


class Member(Value):
    """A file in a backup."""

    sha256: str
    size: int


class Manifest(Value):
    """Contents of a backup."""

    format: Literal[1] = 1
    memoria: str
    """Version of Memoria that made the file."""
    schema_number: int
    made_at: datetime
    counts: dict[str, int]
    files: dict[str, Member]


def pack(
    archive: Path, sources: Mapping[str, Path], manifest: Manifest, progress: Progress
) -> Manifest:
    """Pack the files into a zip, synced to disk; return the manifest that was written."""
    total = sum(source.stat().st_size for source in sources.values())
    counted = _ByteCounter(total, progress)
    with (
        os.fdopen(os.open(archive, os.O_CREAT | os.O_EXCL | os.O_RDWR, _PRIVATE), "wb") as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL) as packed,
    ):
        members = dict[str, Member]()
        for name, source in sources.items():
            with source.open("rb") as content, packed.open(name, "w", force_zip64=True) as target:
                members[name] = _copy(content, target, counted)
        whole = manifest.model_copy(update={"files": members})
        packed.writestr(_MANIFEST, whole.model_dump_json(indent=2))
        packed.close()
        file.flush()
        os.fsync(file.fileno())
    return whole


def read_manifest(archive: Path) -> Manifest:
    """Read the manifest of a backup.

    Raises:
        BackupError: it is none, or damaged.
    """
    with _open_zip(archive) as packed:
        return _read_manifest(packed, archive)


def unpack(archive: Path, folder: Path, progress: Progress) -> Manifest:
    """Unpack every file into a folder, byte for byte what the manifest says.

    Raises:
        BackupError: it is none, or damaged.
    """
    return _copy_members(archive, folder, progress)


def verify(archive: Path, progress: Progress) -> None:
    """Read a whole backup, and compare it with its manifest.

    Raises:
        BackupError: something is not what was written.
    """
    _copy_members(archive, None, progress)


def _copy_members(archive: Path, folder: Path | None, progress: Progress) -> Manifest:
    """Check packed files against the manifest; copy them if `folder` is given. Return the manifest.

    Raises:
        ValueError: a file is not what the manifest says.
    """
    with _open_zip(archive) as packed:
        manifest = _read_manifest(packed, archive)
        counted = _ByteCounter(sum(member.size for member in manifest.files.values()), progress)
        for name, member in manifest.files.items():
            nowhere = Path(os.devnull)
            with (
                packed.open(name) as source,
                _create(folder / name) if folder else nowhere.open("wb") as target,
            ):
                if _copy(source, target, counted, member.size) != member:
                    raise ValueError(f"{name} is not what was packed")
        return manifest


class _ByteCounter:
    """Counter of bytes for a progress bar."""

    def __init__(self, total: int, progress: Progress) -> None:
        self._done = 0
        self._total = total
        self._progress = progress

    def add(self, size: int) -> None:
        self._done += size
        self._progress(self._done, self._total)


@contextmanager
def _open_zip(archive: Path) -> Iterator[zipfile.ZipFile]:
    """Open a zip; any defect becomes a BackupError."""
    try:
        if not stat.S_ISREG(archive.stat().st_mode):
            raise BackupError(f"{archive} is no file. Give one that `memoria backup` made.")
        with archive.open("rb") as file, open_zip(file) as packed:
            yield packed
    except FileNotFoundError as error:
        raise BackupError(
            f"There is no file {archive}. Look at its spelling; backups that were made without a "
            f"name are in the folder {BACKUPS} of the home."
        ) from error
    except OSError as error:
        raise BackupError(f"{archive} can't be read: {error.strerror or error}.") from error
    except TORN as error:
        if _is_export(archive):
            raise BackupError(
                f"{archive} is an export, and no backup. To bring it in: `memoria import "
                f"{shlex.quote(str(archive))}`."
            ) from error
        raise BackupError.for_damage(archive, str(error)) from error


def _is_export(archive: Path) -> bool:
    """Check whether a file that is no zip has records in lines, as `memoria export` writes them."""
    with archive.open("rb") as file:
        return file.read(1) == b"{"


def _read_manifest(packed: zipfile.ZipFile, archive: Path) -> Manifest:
    try:
        if packed.getinfo(_MANIFEST).file_size > _MOST_MANIFEST_BYTES:
            raise BackupError.for_damage(archive, "its list of files is far too long")
        manifest = Manifest.model_validate_json(packed.read(_MANIFEST))
    except (KeyError, ValidationError) as error:
        raise BackupError(
            f"{archive} is no backup that this version of Memoria can read: its manifest is "
            "missing or unknown. Give a file that `memoria backup` made, or upgrade Memoria."
        ) from error
    allowed = all(name in MEMBERS or is_core_path(name) for name in manifest.files)
    if DATABASE not in manifest.files or not allowed:
        raise BackupError.for_damage(archive, "its list of files is not one we write")
    if sorted(packed.namelist()) != sorted([*manifest.files, _MANIFEST]):
        raise BackupError.for_damage(archive, "it has other files than it says")
    for info in packed.infolist():
        _check_member(info, manifest.files.get(info.filename), archive)
    return manifest


def _check_member(info: zipfile.ZipInfo, member: Member | None, archive: Path) -> None:
    """Check that a packed file is a regular file of the stated size, and no zip bomb."""
    if member is None:  # the manifest itself
        return
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in (0, stat.S_IFREG) or info.is_dir():
        raise BackupError.for_damage(archive, f"{info.filename} in it is no regular file")
    limit = most_bytes(info.filename) if info.filename != DATABASE else inf
    if info.file_size != member.size or member.size > limit:
        raise BackupError.for_damage(archive, f"{info.filename} in it has a wrong size")
    if info.file_size > _MOST_RATIO * info.compress_size + _BLOCK:
        raise BackupError.for_damage(archive, f"{info.filename} in it unpacks to a bomb")


def _copy(source: IO[bytes], target: IO[bytes], counted: _ByteCounter, most: float = inf) -> Member:
    """Copy a file, at most one block beyond its allowed size; return its digest and size."""
    digest, size = hashlib.sha256(), 0
    while size <= most and (block := source.read(_BLOCK)):
        target.write(block)
        digest.update(block)
        size += len(block)
        counted.add(len(block))
    return Member(sha256=digest.hexdigest(), size=size)


def _create(path: Path) -> IO[bytes]:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _PRIVATE), "wb")
