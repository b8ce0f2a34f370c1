"""Purge: what nobody can want back any more is erased for good. No undo brings it back.

That is what was said to count for a session or a day and was archived long enough ago that no night
can be undone that did it; what was archived longer ago than the configuration keeps it; and what
earlier nights kept for their own undoing. What a forget could not yet wipe from the file is wiped.
"""

from collections.abc import Sequence

from memoria.lifecycle.audit import note
from memoria.lifecycle.face import Applied, Night
from memoria.lifecycle.files.shelf import shelf
from memoria.model import DAY_MS
from memoria.model.night import UNDO_MS, Outcome
from memoria.store.base import Transaction

_MEMORIES = 4
"""In one transaction: each has its wordings, its evidence and its edges."""
_IMAGES = 300
_MANY = 10_000


class Purge:
    """Erases; each piece is whole by itself, so a night that was killed goes on with the rest."""

    name = "purge"

    def reduced(self, _night: Night) -> str | None:
        """It never needs a model."""
        return None

    def waiting(self, night: Night) -> int:
        """How many memories are to be erased."""
        with night.store.read(night.tenant) as tx:
            return len(_due(tx, night, _MANY))

    def work(self, night: Night) -> Sequence[Applied]:
        """Erase some of it; wipe the file once nothing is left to erase."""
        with night.store.write(night.tenant) as tx:
            due = _due(tx, night, _MEMORIES)
            for memory_id, why in due.items():
                _erase(tx, night, memory_id, why)
            tx.purge.close_runs(night.at - UNDO_MS)
            images = 0 if due else tx.purge.drop_images(_IMAGES)
        if images:
            return [Applied(Outcome.UNCHANGED)]
        if not due:
            _finish(night)
        return [Applied(Outcome.DONE, memory_id, why) for memory_id, why in due.items()]


def _due(tx: Transaction, night: Night, limit: int) -> dict[str, str]:
    """Ids of memories to be erased, and why."""
    spent = tx.purge.spent(night.at - UNDO_MS, limit)
    due = dict.fromkeys(spent, "it was said to count for a day at most")
    days = night.settings.archive_days
    if days:
        kept_from = night.at - max(UNDO_MS, round(days * DAY_MS))
        old = tx.purge.archived(kept_from, limit - len(due))
        due |= dict.fromkeys(old, f"it was archived more than {days:g} days ago")
    return due


def _finish(night: Night) -> None:
    """Let go of what files said before those nights, and wipe what was erased from the database."""
    with night.store.read(night.tenant) as tx:
        runs = tx.night.runs(_MANY)
    shelf(night).forget_all_before({run.id for run in runs if run.undoable})
    if night.store.needs_scrub():
        night.store.scrub()


def _erase(tx: Transaction, night: Night, memory_id: str, why: str) -> None:
    tx.episodes.leave(memory_id, night.at)
    tx.memories.erase(memory_id)
    note(tx, night.at, "purge", memory_id, why)
