"""Writing of an export: one snapshot of a tenant, streamed into a file of its own.

Of an encrypted home it is sealed. Of core files an export has the lines that no memory stands
behind, without secrets: the others are written by the next nightly run from the memories.
"""

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from memoria.admin.backup import delete_left_drafts, note_draft
from memoria.admin.exports.format import (
    CORE_FILE,
    END,
    ExportHead,
    encode_head,
    encode_line,
    key_id,
    seal_key,
)
from memoria.bare.home import TENANTS
from memoria.bare.lazy_regex import lazy_regex
from memoria.bare.sealing import open_writer
from memoria.disk.folders import sync_folder
from memoria.disk.home_files import is_core_path, read_seed
from memoria.disk.tenant_files import HomeFiles, TenantFiles, list_core_places
from memoria.errors import ExportError, UnknownProjectError
from memoria.language.secrets.redact import redact
from memoria.model import now_millis
from memoria.model.core import CORE_FILES, OWN_COMMENT
from memoria.store.engine import Store
from memoria.store.rows.portable.records import PORTABLE_KINDS, PortableSelection
from memoria.store.rows.transaction import Transaction

_OURS = lazy_regex(r"<!--[ \t]*(?:[mcd]:[0-9a-f]{4,32}|q:[0-9a-f]{8} [0-9a-f]{8}|memoria)[ \t]*-->")
Progress = Callable[[int, int], None]
_PRIVATE = 0o600
_TOLD_EVERY = 200


def read_own_text(files: TenantFiles) -> Iterator[tuple[str, str]]:
    """Yield the place of each core file of a tenant, and the lines of it that people wrote."""
    for place in list_core_places(files):
        data = files.read(place) if files.exists(place) else None
        text = "" if data is None else _leave_out_ours(data.decode("utf-8", "replace"))
        text = redact(text).text
        if text.strip():
            yield place, text


def add_own_text(files: TenantFiles, place: str, lines: list[str]) -> bool:
    """Add to a core file the lines that it lacks; return whether any were added.

    Raises:
        ValueError: no core file may stand there.
    """
    if not is_core_path(place) or place.startswith(TENANTS):  # of this tenant, that is
        raise ValueError(f"{place!r} is no core file")
    data = files.read(place) if files.exists(place) else None
    if data is None:
        return files.write(place, ("\n".join(lines) + "\n").encode())
    text = data.decode("utf-8", "replace")
    known = {line.strip() for line in (*text.splitlines(), *_read_seed(place).splitlines())}
    missing = [
        line for line in lines if line.strip() not in known and not line.lstrip().startswith("#")
    ]
    if not missing:
        return False
    joined = text.rstrip("\n") + "\n\n" + "\n".join(missing) + "\n"
    return files.write(place, joined.encode(), lambda: files.read(place) == data)


def _leave_out_ours(text: str) -> str:
    lines = text.removeprefix("\ufeff").splitlines()
    own = [line for line in lines if not _OURS.search(line) and not line.endswith(OWN_COMMENT)]
    return "\n".join(own).strip("\n")


def _read_seed(place: str) -> str:
    name = PurePosixPath(place).name
    return next((read_seed(file) for file in CORE_FILES if file == name), "")


@dataclass(frozen=True, slots=True)
class ExportOrder:
    """Order for an export: of whom, what, and with which passphrase."""

    home: Path
    tenant: str
    schema_number: int
    selection: PortableSelection = field(default_factory=PortableSelection)
    passphrase: str | None = None
    """Passphrase for the key that recognises what was forgotten; None: the key is not exported."""


@dataclass(frozen=True, slots=True)
class ExportReport:
    """An export that was made."""

    path: Path
    size: int
    head: ExportHead
    written: dict[str, int]
    """Numbers of records, by kind."""


def write_export(
    store: Store, files: HomeFiles, order: ExportOrder, target: Path, progress: Progress
) -> ExportReport:
    """Write what a tenant holds at this moment into a new file, for its owner alone.

    Args:
        store: of the home.
        files: of the home.
        order: what of whom.
        target: the file; it must not exist.
        progress: told (records written, of how many).

    Raises:
        ExportError: the file exists or can't be written, or there is no such project.
    """
    delete_left_drafts(order.home)
    with _create(order.home, target) as file, store.read(order.tenant) as tx:
        head = _describe(tx, files, order)
        file.write(encode_head(head))
        written = _write_records(tx, order, file, sum(head.counts.values()), progress)
        if order.selection.is_whole:
            written[CORE_FILE] = _write_core_files(files, order.tenant, file)
        file.write(encode_line(END, {"records": sum(written.values())}))
    return ExportReport(target, target.stat().st_size, head, written)


def _describe(tx: Transaction, files: HomeFiles, order: ExportOrder) -> ExportHead:
    selection = order.selection
    counts = {kind: tx.portable.count(kind, selection) for kind in PORTABLE_KINDS}
    if selection.workspace is not None and not counts["workspace"]:
        raise UnknownProjectError(
            f"There is no project {selection.workspace!r} here. Without one, all are exported."
        )
    sealed = None
    if order.passphrase is not None:
        sealed = seal_key(files.tombstone_key(), order.passphrase, order.tenant)
    return ExportHead(
        memoria=version("memoria-server"),
        schema_number=order.schema_number,
        made_at=datetime.fromtimestamp(now_millis() / 1000, UTC),
        tenant=order.tenant,
        workspace=selection.workspace,
        since=selection.since,
        until=selection.until,
        counts=counts,
        keys=tuple(map(key_id, files.list_tombstone_keys())) if counts["tombstone"] else (),
        sealed_keys=sealed,
    )


def _write_records(
    tx: Transaction, order: ExportOrder, file: BinaryIO, total: int, progress: Progress
) -> dict[str, int]:
    written, done = dict[str, int](), 0
    for kind in PORTABLE_KINDS:
        before = done
        for record in tx.portable.read(kind, order.selection):
            file.write(encode_line(kind, record))
            done += 1
            if done % _TOLD_EVERY == 0:
                progress(done, total)
        written[kind] = done - before
    progress(done, total)
    return written


def _write_core_files(files: HomeFiles, tenant: str, file: BinaryIO) -> int:
    written = 0
    for place, text in read_own_text(files.of(tenant)):
        file.write(encode_line(CORE_FILE, {"place": place, "text": text}))
        written += 1
    return written


@contextmanager
def _create(home: Path, target: Path) -> Iterator[BinaryIO]:
    """Create a file that appears at its place only once it is whole and synced to disk."""
    if os.path.lexists(target):
        raise ExportError(f"{target} exists already. Give a name that is free.")
    draft = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
    try:
        with note_draft(home, draft):
            descriptor = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _PRIVATE)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    with open_writer(str(home), file) as opened:
                        yield opened
                    file.flush()
                    os.fsync(descriptor)
                os.link(draft, target)  # of two that write at once, the first has the name
                sync_folder(target.parent)
            finally:
                draft.unlink(missing_ok=True)
    except FileExistsError as error:
        raise ExportError(f"{target} exists already. Give a name that is free.") from error
    except OSError as error:
        raise ExportError(f"{target} can't be written: {error.strerror or error}.") from error
