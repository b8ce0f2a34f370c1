"""Exports: a tenant's memory into a file or a folder of notes, and back in.

Every function blocks, so that Ctrl-C stops it, but for `sync_notes`, which edits an opened memory.
"""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from memoria.admin.exports.merge import ExportMerger, MergeReport
from memoria.admin.exports.write import ExportOrder, ExportReport, write_export
from memoria.app.engine import NEWEST_SCHEMA, open_store, require_tenant
from memoria.app.memory import Memoria
from memoria.app.open_home import in_thread
from memoria.app.projects import ProjectTable
from memoria.config import Settings
from memoria.connectors.notes.folder import NoteFolder
from memoria.connectors.notes.sync import Deleted, NotesReport, NoteSync
from memoria.errors import ExportError, InvalidInputError
from memoria.store.engine import Store
from memoria.store.rows.portable.records import PortableSelection

Progress = Callable[[int, int], None]


def export(
    settings: Settings,
    target: Path,
    selection: PortableSelection,
    passphrase: str | None,
    progress: Progress,
) -> ExportReport:
    """Write a tenant's memory into a new file while others go on using it.

    Args:
        settings: whose home, and which tenant.
        target: the file.
        selection: what of it.
        passphrase: under which the keys go along that recognise what was forgotten; None: they
            stay here.
        progress: told (records written, of how many).

    Raises:
        ExportError: it can't be written.
        NoMemoryError: the home has no such tenant.
    """
    order = ExportOrder(settings.home_path, settings.tenant, NEWEST_SCHEMA, selection, passphrase)
    with closing(open_store(settings)) as store:
        require_tenant(store, settings)
        return write_export(store, store.files, order, target.absolute(), progress)


def merge_export(
    settings: Settings, path: Path, passphrase: str | None, progress: Progress
) -> MergeReport:
    """Merge an export into a tenant's memory. It may be stopped at any moment and run again.

    Args:
        settings: whose home, and which tenant.
        path: the export.
        passphrase: opens the keys that recognise what was forgotten there.
        progress: told (bytes read, of how many).

    Raises:
        ExportError: it is none, or the passphrase is another one.
    """
    with closing(open_store(settings)) as store:
        merger = ExportMerger(store, settings.home_path, settings.tenant, NEWEST_SCHEMA)
        return merger.run(path, passphrase, progress)


def list_gone_projects(settings: Settings) -> tuple[str, ...]:
    """List the projects with a record whose folder is not on this machine; no private ones."""
    with closing(open_store(settings)) as store:
        try:
            known = ProjectTable(store, settings).list_now()
        except InvalidInputError:  # nobody knows where projects are, and `doctor` says so
            return ()
    gone = (one for one in known if one.is_gone and not one.is_private)
    return tuple(one.name for one in gone if one.memories or one.turns)


def write_notes(
    settings: Settings, root: Path, selection: PortableSelection, progress: Progress
) -> NotesReport:
    """Write memories as notes into a new folder.

    Raises:
        ExportError: there is something in it.
    """
    folder = NoteFolder(root.absolute())
    if not folder.is_empty():
        raise ExportError(
            f"{root} is not empty. Name a new folder, or keep this one in step with --sync."
        )
    with closing(open_store(settings)) as store:
        return _sync(settings, store, folder, selection, "keep").write(progress)


async def sync_notes(
    memory: Memoria, root: Path, selection: PortableSelection, deleted: Deleted, progress: Progress
) -> NotesReport:
    """Bring a folder of notes and a memory in line with each other.

    Args:
        memory: takes what was edited, as said by whoever it was opened for.
        root: the folder; it may be new.
        selection: of which memories there are notes.
        deleted: what becomes of a memory whose note was deleted.
        progress: told (memories seen, of how many).

    Raises:
        ExportError: the folder is another tenant's, or a newer Memoria's.
    """
    settings = memory.settings
    store = await in_thread(lambda: open_store(settings))
    try:
        folder = NoteFolder(root)
        sync = await in_thread(lambda: _sync(settings, store, folder, selection, deleted))
        await sync.take_edits(memory, await in_thread(sync.find_edits))
        return await in_thread(lambda: sync.write(progress))
    finally:
        await in_thread(store.close)


def _sync(
    settings: Settings,
    store: Store,
    folder: NoteFolder,
    selection: PortableSelection,
    deleted: Deleted,
) -> NoteSync:
    private = frozenset(settings.private_workspaces or ())
    return NoteSync(store, settings.tenant, folder, selection, private, deleted)
