"""Repair: deletes what `verify` found, but for memories, which are the user's to forget."""

from pathlib import Path

from memoria.erasure.cascade import drop_unsupported
from memoria.erasure.files import TextFileEraser
from memoria.erasure.verify import verify
from memoria.language.reading.phrases import Phrases
from memoria.model import now_millis
from memoria.store.engine import Store
from memoria.store.rows.dependencies import Orphan
from memoria.store.rows.transaction import Transaction

MEMORY_KINDS = frozenset(("memory", "derived memory", "episode"))
"""Kinds that are forgotten by id; all others have none that anybody could give."""


def repair_orphans(store: Store, home: Path) -> int:
    """Delete the rows and lines that have outlived their sources; return their number.

    Args:
        store: the database of the home.
        home: the data folder.
    """
    total = 0
    for tenant, orphans in verify(store, home).items():
        repairable = [orphan for orphan in orphans if orphan.kind not in MEMORY_KINDS]
        with store.write(tenant) as tx:
            _repair_rows(tx, repairable)
            generated = {file.path: file.digest for file in tx.file_records.all()}
        turn_ids = [orphan.id for orphan in repairable if orphan.kind == "history line"]
        TextFileEraser(home, tenant).erase_phrases(Phrases([]), generated, turn_ids)
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
