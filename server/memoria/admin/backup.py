"""Backups: one file each, made while other processes write, and read back before it counts."""

import re
import shutil
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
from memoria.config import Settings
from memoria.errors import BackupError
from memoria.model import RemainingBackup, now_millis, to_millis
from memoria.store.base import DatabaseFiles
from memoria.store.files import BACKUPS, DATABASE, TOMBSTONE_KEY, core_files
from memoria.store.folders import explain_system_errors, sync_folder

ASIDE = "before-restore-"
STAGING = ".memoria-"
"""How the folders begin that work is done in; one is left behind by a process that died."""

STAMP = "%Y%m%dT%H%M%S.%fZ"
_OURS = re.compile(r"memoria-(\d{8}T\d{6}\.\d{6}Z)\.zip")
_PACKED = "packed.zip"
_MS_PER_DAY = 86_400_000
_ABANDONED_S = 3600
_KEEP_DAYS = float(Settings.model_fields["backup_keep_days"].default)


@dataclass(frozen=True, slots=True)
class BackupInfo:
    """A backup, or a folder of replaced files, that still holds what the home held once."""

    path: Path
    """A backup; or a folder with the files a restore replaced."""
    made_at: int
    """UTC epoch ms."""
    kept_until: int | None
    """UTC epoch ms; None: until somebody deletes it."""


@dataclass(frozen=True, slots=True)
class BackupReport:
    """A backup that was made."""

    path: Path
    size: int
    manifest: Manifest
    kept_until: int | None
    deleted: tuple[Path, ...]
    """Backups that were too old."""


def list_backups(home: Path, keep_days: float = _KEEP_DAYS) -> tuple[BackupInfo, ...]:
    """Backups and folders of replaced files in the home, oldest first.

    Args:
        home: the data folder.
        keep_days: `Settings.backup_keep_days`.
    """
    found = [*_expiring_backups(home, keep_days), *_lasting_leftovers(home)]
    return tuple(sorted(found, key=lambda info: info.made_at))


def list_remaining(home: Path, keep_days: float, since: int) -> tuple[RemainingBackup, ...]:
    """The backups made since a moment: they still hold what was stored then and is forgotten now.

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
    """Delete the backups whose time is over, as far as they have a name that Memoria gave."""
    now = now_millis()
    expired = [i.path for i in _expiring_backups(home, keep_days) if (i.kept_until or now) < now]
    for path in expired:
        path.unlink(missing_ok=True)
    return tuple(expired)


def find_abandoned(home: Path) -> list[Path]:
    """Working folders that no process has touched for an hour."""
    before = time.time() - _ABANDONED_S
    staging = [*home.glob(f"{STAGING}*"), *(home / BACKUPS).glob(f"{STAGING}*")]
    return [path for path in staging if _last_touched(path) < before]


def delete_abandoned(home: Path) -> None:
    """Delete the working folders that killed processes left behind."""
    for path in find_abandoned(home):
        shutil.rmtree(path)


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
    path = (target or home / BACKUPS / f"memoria-{now.strftime(STAMP)}.zip").absolute()
    if path.exists():
        raise BackupError(f"{path} exists already. Give a name that is free.")
    with explain_system_errors():
        if target is None:
            path.parent.mkdir(mode=0o700, exist_ok=True)
        with workshop(path.parent) as folder:
            manifest = _make_backup(home, files, folder, now, progress)
            (folder / _PACKED).replace(path)
        sync_folder(path.parent)
        delete_abandoned(home)
        deleted = delete_expired(home, settings.backup_keep_days)
    kept_until = None if target else _expiry(to_millis(now), settings.backup_keep_days)
    return BackupReport(path, path.stat().st_size, manifest, kept_until, deleted)


@contextmanager
def workshop(parent: Path) -> Iterator[Path]:
    """A working folder that is deleted afterwards, unless the process is killed."""
    folder = Path(mkdtemp(prefix=STAGING, dir=parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def _make_backup(
    home: Path, files: DatabaseFiles, folder: Path, now: datetime, progress: Progress
) -> Manifest:
    """Make the packed backup in the folder, and read it back."""
    copied = folder / DATABASE
    files.copy(home / DATABASE, copied, progress)
    wrong = [finding.detail for finding in files.check_truth(copied) if finding.state == "error"]
    if wrong:
        raise BackupError(
            f"The home is damaged, so no backup was made: {'; '.join(wrong)}. "
            "See what `memoria doctor` says of it."
        )
    number, counts = files.describe(copied)
    key = [TOMBSTONE_KEY] if (home / TOMBSTONE_KEY).is_file() else []
    others = {name: home / name for name in (*core_files(home), *key)}
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
    return written


def _expiring_backups(home: Path, keep_days: float) -> Iterator[BackupInfo]:
    """The backups with a name that Memoria gave: the name says when they were made."""
    for path in (home / BACKUPS).glob("*.zip"):
        if named := _OURS.fullmatch(path.name):
            made_at = to_millis(datetime.strptime(named[1], STAMP).replace(tzinfo=UTC))
            yield BackupInfo(path, made_at, _expiry(made_at, keep_days))


def _expiry(made_at: int, keep_days: float) -> int:
    return made_at + round(keep_days * _MS_PER_DAY)


def _lasting_leftovers(home: Path) -> Iterator[BackupInfo]:
    """Whatever is never deleted by itself: renamed backups, replaced files, working folders."""
    for path in (home / BACKUPS).glob("*.zip"):
        if not _OURS.fullmatch(path.name):
            with suppress(BackupError):
                yield BackupInfo(path, to_millis(archive.read_manifest(path).made_at), None)
    for folder in (*home.glob(f"{ASIDE}*"), *home.rglob(f"{STAGING}*")):
        yield BackupInfo(folder, round(_last_touched(folder) * 1000), None)


def _last_touched(folder: Path) -> float:
    """When something was last written in the folder; now, where it has just gone."""
    try:
        return max(path.stat().st_mtime for path in (folder, *folder.iterdir()))
    except FileNotFoundError:
        return time.time()
