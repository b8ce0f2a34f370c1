"""Backups: one file each, made while other processes write, and read back before it counts.

Until a backup or an export is whole, it is a draft beside its target. A process that is killed
leaves its draft behind, with all its content, where nobody would look. So each draft is noted in
the home before anything is written, in a file that its process holds locked: a draft whose note
nobody holds was left behind.
"""

import os
import secrets
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from tempfile import mkdtemp

from memoria.admin import archive
from memoria.admin.archive import Manifest, Progress
from memoria.bare.home import read_at, try_lock, write_at
from memoria.bare.lazy_regex import lazy_regex
from memoria.bare.project_registry import REGISTRY
from memoria.bare.sealing import MARK
from memoria.config import Settings
from memoria.disk.folders import DRAFT, explain_system_errors, make_private, sync_folder
from memoria.disk.home_files import (
    BACKUPS,
    DATABASE,
    TOMBSTONE_KEY,
    core_files,
    most_bytes,
    replace_file,
)
from memoria.disk.regular_files import (
    is_folder,
    list_files,
    list_folder,
    read_file,
    refuse_links,
    walk,
)
from memoria.errors import BackupError, UnusableFileError
from memoria.model import now_millis, to_millis
from memoria.model.forgetting import RemainingBackup
from memoria.store.engine import DatabaseFiles

NOTES = "drafts"
"""The folder of a home with a note for each draft that is being written."""
STAGING = ".memoria-"
"""Start of the names of working folders; a process that dies leaves its folder behind."""
_PRIVATE = 0o600
_HELD = 1 << 30
"""Byte of a note that its process locks: far behind the path, which other processes may read."""
_MOST_PLACE_BYTES = 16_384
_own_notes = set[Path]()
"""Notes of this process, which its own locks would not keep out."""
ASIDE = "before-restore-"
STAMP = "%Y%m%dT%H%M%S.%fZ"
_OURS = lazy_regex(r"memoria-(\d{8}T\d{6}\.\d{6}Z)\.zip")
_PACKED = "packed.zip"
_MS_PER_DAY = 86_400_000
_ABANDONED_S = 3600
_KEEP_DAYS = float(Settings.model_fields["backup_keep_days"].default)


@contextmanager
def note_draft(home: Path, draft: Path) -> Iterator[None]:
    """Note a draft in the home while this block runs."""
    note = (home / NOTES / secrets.token_hex(8)).absolute()
    make_private(note.parent)
    _own_notes.add(note)
    descriptor = os.open(note, os.O_CREAT | os.O_EXCL | os.O_RDWR, _PRIVATE)
    try:
        try_lock(descriptor, _HELD, 1)
        write_at(descriptor, 0, os.fsencode(draft.absolute()))
        os.fsync(descriptor)
        sync_folder(note.parent)
        yield
    finally:
        os.close(descriptor)  # first, as Windows deletes no file that is open
        note.unlink(missing_ok=True)
        _own_notes.discard(note)
        with suppress(OSError):  # another draft is noted there
            note.parent.rmdir()


def find_left_drafts(home: Path) -> list[Path]:
    """List the drafts that processes left behind when they died."""
    return [draft for _, draft in _list_left(home) if _is_ours(draft)]


def delete_left_drafts(home: Path) -> None:
    """Delete the drafts that processes left behind, and their notes."""
    for note, draft in _list_left(home):
        if _is_ours(draft):
            shutil.rmtree(draft) if draft.is_dir() else draft.unlink()
        note.unlink(missing_ok=True)


def _list_left(home: Path) -> Iterator[tuple[Path, Path]]:
    """Yield the notes that no process holds, each with the draft it names."""
    for note, found in list_folder(home, NOTES):
        if stat.S_ISREG(found.st_mode) and note.absolute() not in _own_notes:
            place = _read_if_left(note)
            if place:
                yield note, Path(os.fsdecode(place))


def _read_if_left(note: Path) -> bytes:
    """Read the path in a note; empty while a process holds the note, or before it is written."""
    try:
        descriptor = os.open(note, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    except FileNotFoundError:
        return b""
    try:
        is_left = try_lock(descriptor, _HELD, 1)
        return read_at(descriptor, 0, _MOST_PLACE_BYTES) if is_left else b""
    finally:
        os.close(descriptor)


def _is_ours(draft: Path) -> bool:
    """Check whether a path is a draft of this user's, judging by its name and type of file."""
    try:
        found = draft.lstat()
    except OSError:
        return False
    if os.name == "posix" and found.st_uid != os.getuid():
        return False
    if stat.S_ISDIR(found.st_mode):
        return draft.name.startswith(STAGING)
    return stat.S_ISREG(found.st_mode) and DRAFT.fullmatch(draft.name) is not None


@dataclass(frozen=True, slots=True)
class BackupInfo:
    """A backup, or a folder of replaced files, that still holds what the home held once."""

    path: Path
    """Path of the backup, or of the folder with the files that a restore replaced."""
    made_at: int
    """UTC epoch ms."""
    kept_until: int | None
    """Time at which it is deleted, UTC epoch ms; None: never by itself."""


@dataclass(frozen=True, slots=True)
class BackupReport:
    """A backup that was made."""

    path: Path
    size: int
    manifest: Manifest
    kept_until: int | None
    deleted: tuple[Path, ...]
    """Paths of backups that were deleted because they were too old."""
    left_out: tuple[str, ...] = ()
    """Sentences on files of the home that are not in the backup because they can't be used."""


def list_backups(home: Path, keep_days: float = _KEEP_DAYS) -> tuple[BackupInfo, ...]:
    """List backups and folders of replaced files in the home, oldest first.

    Args:
        home: the data folder.
        keep_days: `Settings.backup_keep_days`.
    """
    found = [*_expiring_backups(home, keep_days), *_lasting_leftovers(home)]
    return tuple(sorted(found, key=lambda info: info.made_at))


def list_remaining(home: Path, keep_days: float, since: int) -> tuple[RemainingBackup, ...]:
    """List backups made since a moment: they may hold what was forgotten after they were made.

    Args:
        home: the data folder.
        keep_days: `Settings.backup_keep_days`.
        since: UTC epoch ms.
    """
    return tuple(
        RemainingBackup(path=str(info.path), made_at=info.made_at, kept_until=info.kept_until)
        for info in list_backups(home, keep_days)
        if info.made_at >= since
    )


def delete_expired(home: Path, keep_days: float) -> tuple[Path, ...]:
    """Delete the backups whose time is over; those with a name that the user gave are kept."""
    now = now_millis()
    expired = [i.path for i in _expiring_backups(home, keep_days) if (i.kept_until or now) < now]
    for path in expired:
        path.unlink(missing_ok=True)
    return tuple(expired)


def find_abandoned(home: Path) -> list[Path]:
    """List working folders left alone for an hour, and drafts that were left behind."""
    return list(dict.fromkeys((*_find_old_folders(home), *find_left_drafts(home))))


def delete_abandoned(home: Path) -> None:
    """Delete the working folders and drafts that killed processes left behind."""
    delete_left_drafts(home)
    for path in _find_old_folders(home):
        shutil.rmtree(path)


def _find_old_folders(home: Path) -> list[Path]:
    before = time.time() - _ABANDONED_S
    inside = (*list_folder(home, ""), *list_folder(home, BACKUPS))
    staging = [path for path, found in inside if path.name.startswith(STAGING) and is_folder(found)]
    return [path for path in staging if _last_touched(path) < before]


def back_up(
    settings: Settings, files: DatabaseFiles, target: Path | None, progress: Progress
) -> BackupReport:
    """Write a backup, read it back, and delete those that were kept long enough.

    Args:
        settings: whose home, and how long its backups are kept.
        files: the engine's.
        target: the file to write; one in the home's `backups` folder by default.
        progress: told (bytes or pages done, of how many), from the beginning for every step.

    Raises:
        BackupError: there is nothing to back up, the home is damaged, or `target` exists.
        StoreError: reading or writing failed. Nothing is left behind.
    """
    home = settings.home_path
    if not (home / DATABASE).is_file():
        raise BackupError(f"There is no memory in {home} to back up. Name another with --home.")
    now = datetime.now(UTC)
    if target is None:
        refuse_links(home, BACKUPS)
    path = (target or home / BACKUPS / f"memoria-{now.strftime(STAMP)}.zip").absolute()
    if path.exists():
        raise BackupError(f"{path} exists already. Give a name that is free.")
    with explain_system_errors():
        if target is None:
            path.parent.mkdir(mode=0o700, exist_ok=True)
        delete_abandoned(home)
        with workshop(path.parent) as folder, note_draft(home, folder):
            manifest, left_out = _make_backup(home, files, folder, now, progress)
            (folder / _PACKED).replace(path)
        sync_folder(path.parent)
        deleted = delete_expired(home, settings.backup_keep_days)
    kept_until = None if target else _expiry(to_millis(now), settings.backup_keep_days)
    return BackupReport(path, path.stat().st_size, manifest, kept_until, deleted, left_out)


@contextmanager
def workshop(parent: Path) -> Iterator[Path]:
    """Make a working folder that is deleted afterwards, unless the process is killed."""
    folder = Path(mkdtemp(prefix=STAGING, dir=parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def _make_backup(
    home: Path, files: DatabaseFiles, folder: Path, now: datetime, progress: Progress
) -> tuple[Manifest, tuple[str, ...]]:
    """Make the backup and read it back; return its manifest and sentences on files left out."""
    copied = folder / DATABASE
    files.copy(home / DATABASE, copied, progress)
    wrong = [finding.detail for finding in files.check_truth(copied) if finding.state == "error"]
    if wrong:
        raise BackupError(
            f"The home is damaged, so no backup was made: {'; '.join(wrong)}. "
            "See what `memoria doctor` says of it."
        )
    number, counts = files.describe(copied)
    foreign = files.list_foreign_objects(copied)
    if foreign:
        raise BackupError(
            f"Memoria did not make all that is in the database ({', '.join(foreign)}), so no "
            "backup was made: it could not be restored. Whoever added that can take it out again, "
            f"with SQLite's own shell on {home / DATABASE}."
        )
    others, left_out = _copy_others(home, folder)
    manifest = Manifest(
        memoria=version("memoria-server"),
        schema_number=number,
        made_at=now,
        counts=dict(counts),
        files={},
    )
    packed = folder / _PACKED
    written = archive.pack(packed, {DATABASE: copied, **others}, manifest, progress)
    archive.verify(packed, progress)
    return written, left_out


def _copy_others(home: Path, folder: Path) -> tuple[dict[str, Path], tuple[str, ...]]:
    """Copy all files but the database; return the copies by name, and why some can't be copied.

    A file that is missing is passed over without a reason: it may have gone at any time.
    """
    copies: dict[str, Path] = {}
    left_out: list[str] = []
    for name in (*core_files(home), TOMBSTONE_KEY, REGISTRY, MARK):
        try:
            content = read_file(home, name, most_bytes(name))
        except UnusableFileError as error:
            left_out.append(str(error))
            continue
        if content is not None:
            copies[name] = folder / f"{len(copies)}"
            replace_file(copies[name], content)
    return copies, tuple(left_out)


def _expiring_backups(home: Path, keep_days: float) -> Iterator[BackupInfo]:
    """Yield the backups with a name that Memoria gave; the name says when the backup was made."""
    for path in _list_zips(home):
        if named := _OURS.fullmatch(path.name):
            made_at = to_millis(datetime.strptime(named[1], STAMP).replace(tzinfo=UTC))
            yield BackupInfo(path, made_at, _expiry(made_at, keep_days))


def _expiry(made_at: int, keep_days: float) -> int:
    return made_at + round(keep_days * _MS_PER_DAY)


def _lasting_leftovers(home: Path) -> Iterator[BackupInfo]:
    """Yield what nothing deletes by itself: renamed backups, replaced files, working folders."""
    for path in _list_zips(home):
        if not _OURS.fullmatch(path.name):
            with suppress(BackupError):
                yield BackupInfo(path, to_millis(archive.read_manifest(path).made_at), None)
    for folder, found in walk(home, skips_closed=True):
        if is_folder(found) and folder.name.startswith((ASIDE, STAGING)):
            yield BackupInfo(folder, round(_last_touched(folder) * 1000), None)
    for draft in find_left_drafts(home):
        if home not in draft.parents:
            yield BackupInfo(draft, round(_last_touched(draft) * 1000), None)


def _list_zips(home: Path) -> list[Path]:
    """List the zip files in the home's backup folder; links are left out."""
    return [path for path in list_files(home, BACKUPS) if path.match(f"{BACKUPS}/*.zip")]


def _last_touched(folder: Path) -> float:
    """Return when a folder or file was last written, in seconds; the present if it is gone."""
    try:
        paths = [folder, *folder.iterdir()] if folder.is_dir() else [folder]
        return max(path.stat().st_mtime for path in paths)
    except FileNotFoundError:
        return time.time()
