"""Verification: finds rows and lines whose sources are all gone, and deletes them."""

import json
from collections.abc import Iterator
from pathlib import Path

from memoria.bare.lazy_regex import lazy_regex
from memoria.disk.folders import HISTORY
from memoria.disk.tenant_files import TenantFiles
from memoria.erasure.cascade import drop_unsupported
from memoria.erasure.files import TextFileEraser
from memoria.language.reading.statement import Phrases
from memoria.model import now_millis
from memoria.store.engine import Store
from memoria.store.rows.erasures import Orphan
from memoria.store.rows.transaction import Transaction

_ID = lazy_regex(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
_PAGE = 500


def verify(store: Store) -> dict[str, list[Orphan]]:
    """Find what has lost its sources in the rows and files of every tenant.

    Returns:
        Orphans by tenant; a tenant without any is left out.
    """
    orphans: dict[str, list[Orphan]] = {}
    for tenant in store.tenants():
        with store.read(tenant) as tx:
            orphans[tenant] = [
                *tx.dependencies.list_orphans(),
                *_list_orphan_items(tx),
                *_list_orphan_lines(tx, store.files.of(tenant)),
            ]
    return {tenant: found for tenant, found in orphans.items() if found}


def _list_orphan_items(tx: Transaction) -> Iterator[Orphan]:
    """Yield items of nightly plans that name memories or turns, none of which is left."""
    for item in tx.dependencies.list_planned_items():
        ids = set(_ID.findall(item))
        if ids and not tx.dependencies.list_existing(list(ids)):
            yield Orphan("plan item", min(ids))


def _list_orphan_lines(tx: Transaction, files: TenantFiles) -> Iterator[Orphan]:
    """Yield the turns in history files that are not in the record."""
    usable = (one for one in files.list_places(HISTORY) if files.find_obstacle(one) is None)
    texts = (files.read(place) or b"" for place in usable)  # doctor names the others itself
    ids = [turn_id for text in texts for turn_id in _ids(text)]
    for first in range(0, len(ids), _PAGE):
        page = ids[first : first + _PAGE]
        existing = tx.dependencies.list_existing(page)
        yield from (Orphan("history line", one) for one in page if one not in existing)


def _ids(content: bytes) -> Iterator[str]:
    """Yield the ids of the turns in a history file. Lines that somebody added have none."""
    for line in content.decode("utf-8", "surrogateescape").split("\n"):
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict) and isinstance(turn_id := record.get("id"), str):
            yield turn_id


MEMORY_KINDS = frozenset(("memory", "derived memory", "episode"))
"""Kinds that a user can forget by id; the others have no id to give."""


def repair_orphans(store: Store, home: Path) -> int:
    """Delete the rows and lines that have outlived their sources; return their number."""
    total = 0
    for tenant, orphans in verify(store).items():
        repairable = [orphan for orphan in orphans if orphan.kind not in MEMORY_KINDS]
        with store.write(tenant) as tx:
            _repair_rows(tx, repairable)
            generated = {file.path: file.digest for file in tx.file_records.all()}
        turn_ids = [orphan.id for orphan in repairable if orphan.kind == "history line"]
        TextFileEraser(home, tenant, store.files.of(tenant)).erase_phrases(
            Phrases([]), generated, turn_ids
        )
        total += len(repairable)
    if total:
        store.scrub()
    return total


def _repair_rows(tx: Transaction, orphans: list[Orphan]) -> None:
    for orphan in orphans:
        if orphan.kind == "former wording":
            tx.memories.erase_wording(orphan.id, orphan.number)
        elif orphan.kind == "plan item":
            tx.nightly_runs.drop_items([orphan.id])
    tx.dependencies.delete_orphan_rows()
    drop_unsupported(tx, [], now_millis())
