"""Restoring of a backup: it replaces the home, whose former files are kept beside it."""

import os
import shutil
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

from memoria.admin import archive
from memoria.admin.archive import Manifest, Progress
from memoria.admin.backup import ASIDE, STAMP, workshop
from memoria.admin.encryption import encrypt_unpacked
from memoria.bare.home import TENANTS
from memoria.bare.kept import KEPT
from memoria.bare.sealing import EncryptionKeyError, find_key, key_of
from memoria.disk.folders import DERIVED, explain_system_errors, remove_signposts, sync_folder
from memoria.disk.home_files import DATABASE, KEY_BYTES, TOMBSTONE_KEY, core_files, replace_file
from memoria.disk.regular_files import list_files, read_file, refuse_links
from memoria.errors import BackupError, StoreDamagedError, StoreTooNewError, quote_value
from memoria.store.engine import DatabaseFiles

Put = Callable[[Path, Path], None]


def restore(
    home: Path,
    backup: Path,
    files: DatabaseFiles,
    progress: Progress,
    tenant: str | None = None,
    prepare: Callable[[Path], None] = lambda _: None,
) -> Path | None:
    """Replace the home by a backup, if the backup is sound and no process uses the home.

    Args:
        home: the data folder; it may be empty or missing.
        backup: what `back_up` made.
        files: the engine's.
        progress: told (bytes done, of how many).
        tenant: whose home it is alone; None for a home of any tenants.
        prepare: changes the unpacked database, before it takes the place of the home's.

    Returns:
        Where the database now lies that was there before; None if there was none.

    Raises:
        BackupError: the backup is none, or damaged, or has nothing of the tenant.
        StoreTooNewError: a newer Memoria made it.
        StoreUnavailableError: another process has the home open, or a file can't be written.
    """
    archive.read_manifest(backup)  # nothing is made for a file that is none
    with explain_system_errors():
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        with files.claim(home / DATABASE):
            pass  # a home in use is said before the long work
        with workshop(home) as folder:
            manifest = _unpack_and_check(backup, folder, files, progress)
            if tenant is not None:
                _require_tenant(backup, tenant, files.list_tenants(folder / DATABASE))
            prepare(folder / DATABASE)
            with files.claim(home / DATABASE) as put:
                return swap_files(home, folder, manifest, put)


def _unpack_and_check(
    backup: Path, folder: Path, files: DatabaseFiles, progress: Progress
) -> Manifest:
    """Unpack the backup into the folder, and check that it is whole and of a known schema."""
    manifest = archive.read_manifest(backup)
    if manifest.schema_number > files.newest_schema:
        raise StoreTooNewError(
            f"{backup} was made by a newer Memoria ({manifest.memoria}, schema "
            f"{manifest.schema_number}; this one knows {files.newest_schema}). Nothing was "
            "changed. Upgrade with: pip install -U memoria-server"
        )
    _check_room(folder, backup, manifest)
    archive.unpack(backup, folder, progress)
    try:
        manifest = encrypt_unpacked(folder, manifest, files, find_key())
        key_of(str(folder))
        wrong = _find_defects(folder / DATABASE, files, manifest)
    except EncryptionKeyError as error:
        raise BackupError(str(error).replace(str(folder), str(backup))) from error
    except StoreDamagedError as error:
        raise BackupError.for_damage(backup, "its database can't be read") from error
    if wrong:
        raise BackupError.for_damage(backup, "; ".join(wrong))
    return manifest


def _require_tenant(backup: Path, tenant: str, known: list[str]) -> None:
    """Refuse a backup of others: their words would lie in this tenant's folder, and stay there."""
    if tenant not in known:
        held = ", ".join(map(quote_value, known)) or "nobody"
        raise BackupError(
            f"{backup} has no memory of the tenant {quote_value(tenant)}, whose home this is. It "
            f"has that of {held}. Nothing was changed. Name its own tenant with --tenant, or a "
            "folder for it with --home."
        )


def _check_room(folder: Path, backup: Path, manifest: Manifest) -> None:
    size, free = sum(one.size for one in manifest.files.values()), shutil.disk_usage(folder).free
    if size > free:
        raise BackupError(
            f"{backup} holds {size:,} bytes, and {folder.parent} has room for {free:,}. Free some "
            "space and try again."
        )


def _find_defects(database: Path, files: DatabaseFiles, manifest: Manifest) -> list[str]:
    """List the defects of an unpacked database; foreign objects first, such as triggers."""
    foreign = files.list_foreign_objects(database)
    if foreign:
        return [f"Memoria did not make all that is in its database ({', '.join(foreign)})"]
    if files.describe(database)[0] != manifest.schema_number:
        return ["its database is of another schema than it says"]
    key = manifest.files.get(TOMBSTONE_KEY)
    if key is not None and (key.size == 0 or key.size % KEY_BYTES):
        return [f"its {TOMBSTONE_KEY} is no key"]
    return [finding.detail for finding in files.check_truth(database) if finding.state == "error"]


def swap_files(home: Path, new: Path, manifest: Manifest, put: Put) -> Path | None:
    """Swap the files of the home and the backup; the database last: with it the restore is done."""
    aside = home / f"{ASIDE}{datetime.now(UTC).strftime(STAMP)}"
    aside.mkdir(mode=0o700)
    if TOMBSTONE_KEY not in manifest.files:  # it stays: what it signed elsewhere is still true
        key = read_file(home, TOMBSTONE_KEY)
        if key is not None:
            replace_file(aside / TOMBSTONE_KEY, key)
    _delete_kept_answers(home)
    remove_signposts(home)
    with ExitStack() as undo:
        for place in _folders_of_rows(home):
            (aside / place).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            (home / place).replace(aside / place)
            undo.callback((aside / place).replace, home / place)
        for name in dict.fromkeys((*core_files(home), *sorted(manifest.files.keys() - {DATABASE}))):
            refuse_links(home, Path(name).parent)
            (home / name).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if os.path.lexists(home / name):  # a link itself is set aside, not what it leads to
                (aside / name).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                (home / name).replace(aside / name)
                undo.callback((aside / name).replace, home / name)
            if name in manifest.files:
                (new / name).replace(home / name)
                undo.callback((home / name).unlink)
        put(new / DATABASE, aside)
        undo.pop_all()
    sync_folder(home)
    if not any(aside.iterdir()):
        aside.rmdir()
    former = aside / DATABASE
    return former if former.exists() else None


def _delete_kept_answers(home: Path) -> None:
    """Delete the kept answers for the next session: they quote the home before the restore."""
    for root in _tenant_folders(home):
        for file in list_files(home, (root / KEPT).relative_to(home)):
            file.unlink(missing_ok=True)


def _tenant_folders(home: Path) -> list[Path]:
    return [home, *(one for one in sorted(home.glob(f"{TENANTS}/*")) if one.is_dir())]


def _folders_of_rows(home: Path) -> list[Path]:
    """List the folders of files derived from the database, relative to the home."""
    folders = (root / name for root in _tenant_folders(home) for name in DERIVED)
    return [folder.relative_to(home) for folder in folders if folder.is_dir()]
