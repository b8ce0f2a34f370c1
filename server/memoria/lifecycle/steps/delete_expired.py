"""Purge: what nobody can want back any more is erased for good. No undo brings it back.

That is what was said to count for a session or a day and was archived long enough ago that no night
can be undone that did it; what was archived longer ago than the configuration keeps it; and what
earlier nights kept for their own undoing. What a forget could not yet wipe from the file is wiped.
"""

from collections.abc import Sequence

from memoria.lifecycle.audit import log_action
from memoria.lifecycle.files.generated import files_of
from memoria.lifecycle.interface import ItemResult, StepContext
from memoria.model import DAY_MS
from memoria.model.nightly import UNDO_MS, StepOutcome
from memoria.store.base import Transaction

_MEMORIES = 4
"""In one transaction: each has its wordings, its evidence and its edges."""
_IMAGES = 300
_MANY = 10_000


class DeleteExpiredStep:
    """Erases; each piece is whole by itself, so a night that was killed goes on with the rest."""

    name = "purge"

    def describe_limits(self, _night: StepContext) -> str | None:
        """It never needs a model."""
        return None

    def count_waiting(self, context: StepContext) -> int:
        """How many memories are to be erased."""
        with context.store.read(context.tenant) as tx:
            return len(_memories_due(tx, context, _MANY))

    def work_on_next(self, context: StepContext) -> Sequence[ItemResult]:
        """Erase some of it; wipe the file once nothing is left to erase."""
        with context.store.write(context.tenant) as tx:
            due = _memories_due(tx, context, _MEMORIES)
            for memory_id, why in due.items():
                _delete_memory(tx, context, memory_id, why)
            tx.purge.close_runs(context.at - UNDO_MS)
            images = 0 if due else tx.purge.drop_images(_IMAGES)
        if images:
            return [ItemResult(StepOutcome.UNCHANGED)]
        if not due:
            _erase_leftovers(context)
        return [ItemResult(StepOutcome.DONE, memory_id, why) for memory_id, why in due.items()]


def _memories_due(tx: Transaction, context: StepContext, limit: int) -> dict[str, str]:
    """Ids of memories to be erased, and why."""
    spent = tx.purge.list_short_lived(context.at - UNDO_MS, limit)
    due = dict.fromkeys(spent, "it was said to count for a day at most")
    days = context.settings.archive_days
    if days:
        kept_from = context.at - max(UNDO_MS, round(days * DAY_MS))
        old = tx.purge.list_archived(kept_from, limit - len(due))
        due |= dict.fromkeys(old, f"it was archived more than {days:g} days ago")
    return due


def _erase_leftovers(context: StepContext) -> None:
    """Let go of what files said before those nights, and wipe what was erased from the database."""
    with context.store.read(context.tenant) as tx:
        runs = tx.nightly_runs.list_runs(_MANY)
    files_of(context).drop_other_images({run.id for run in runs if run.undoable})
    if context.store.needs_scrub():
        context.store.scrub()


def _delete_memory(tx: Transaction, context: StepContext, memory_id: str, why: str) -> None:
    tx.episodes.stop_summarising(memory_id, context.at)
    tx.memories.erase(memory_id)
    log_action(tx, context.at, "purge", memory_id, why)
