"""Deletion of expired memories for good. No undo brings them back.

Four things are deleted: memories that were to count for a session or a day, once the run that
archived them can no longer be undone; memories archived longer ago than the settings keep them;
records that were forgotten and have been hidden long enough; and the notes that earlier runs kept
for their own undoing. What a forget could not yet wipe from the database is wiped.
"""

from collections.abc import Sequence

from memoria.erasure.cascade import delete_memory, part_unsupported
from memoria.erasure.grace import purge_due
from memoria.lifecycle.audit import log_action
from memoria.lifecycle.files.generated import files_of
from memoria.lifecycle.interface import ItemResult, PiecewiseStep, StepContext
from memoria.model import DAY_MS
from memoria.model.nightly import UNDO_MS, StepOutcome
from memoria.store.rows.transaction import Transaction

_MEMORIES = 4
"""Number of memories in one transaction: each has its wordings, its evidence and its edges."""
_IMAGES = 300
_MANY = 10_000


class DeleteExpiredStep(PiecewiseStep):
    """Deletes expired memories; each piece is whole, so that a killed run goes on with the rest."""

    name = "delete_expired"
    summary = "Delete archived memories whose retention has ended; no undo brings them back."
    things = ("archived memory", "archived memories")
    deed = "erased for good"

    def count_work(self, context: StepContext) -> int:
        """Count the memories that are to be deleted."""
        with context.store.read(context.tenant) as tx:
            return len(_memories_due(tx, context, _MANY))

    def do_piece(self, context: StepContext) -> Sequence[ItemResult]:
        """Delete some memories; wipe the file once none is left to delete."""
        with context.store.write(context.tenant) as tx:
            due = _memories_due(tx, context, _MEMORIES)
            for memory_id, why in due.items():
                _delete_memory(tx, context, memory_id, why)
            part_unsupported(tx)
            tx.purge.close_runs(context.at - UNDO_MS)
            images = 0 if due else tx.purge.drop_images(_IMAGES)
        if images:
            return [ItemResult(StepOutcome.UNCHANGED)]
        if not due:
            purge_due(context.store, context.tenant, str(context.settings.home_path))
            _erase_leftovers(context)
        return [ItemResult(StepOutcome.DONE, memory_id, why) for memory_id, why in due.items()]


def _memories_due(tx: Transaction, context: StepContext, limit: int) -> dict[str, str]:
    """Map ids of memories to be deleted to the reasons."""
    spent = tx.purge.list_short_lived(context.at - UNDO_MS, limit)
    due = dict.fromkeys(spent, "it was to count for a day at most")
    days = context.settings.archive_days
    if days:
        kept_from = context.at - max(UNDO_MS, round(days * DAY_MS))
        old = tx.purge.list_archived(kept_from, limit - len(due))
        due |= dict.fromkeys(old, f"it was archived more than {days:g} days ago")
    return due


def _erase_leftovers(context: StepContext) -> None:
    """Drop the images of files that no run needs, and wipe what was deleted from the database."""
    with context.store.read(context.tenant) as tx:
        runs = tx.nightly_runs.list_runs(_MANY)
    files_of(context).drop_other_images({run.id for run in runs if run.undoable})
    if context.store.needs_scrub():
        context.store.scrub()


def _delete_memory(tx: Transaction, context: StepContext, memory_id: str, why: str) -> None:
    delete_memory(tx, memory_id, context.at)
    log_action(tx, context.at, "delete", memory_id, why)
