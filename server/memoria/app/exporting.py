"""Exports: a tenant's memory into a file, and back in. All of it blocks: Ctrl-C is heard."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from memoria.admin.exports.merge import ExportMerger, MergeReport
from memoria.admin.exports.write import ExportOrder, ExportReport, write_export
from memoria.app.engine import choose_engine, open_store
from memoria.config import Settings
from memoria.store.base.portable import PortableSelection
from memoria.store.home_folder import open_home_files

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
    """
    order = ExportOrder(
        settings.home_path,
        settings.tenant,
        choose_engine(settings).files.newest_schema,
        selection,
        passphrase,
    )
    with closing(open_store(settings)) as store:
        return write_export(store, open_home_files(settings), order, target.absolute(), progress)


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
    schema_number = choose_engine(settings).files.newest_schema
    with closing(open_store(settings)) as store:
        files, home = open_home_files(settings), settings.home_path
        merger = ExportMerger(store, files, home, settings.tenant, schema_number)
        return merger.run(path, passphrase, progress)
