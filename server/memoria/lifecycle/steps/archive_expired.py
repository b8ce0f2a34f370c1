"""Archiving of expired memories. Searches have not shown them since their expiry date passed."""

from collections.abc import Iterator
from operator import itemgetter

from memoria.lifecycle.interface import Item, ItemResult, PlannedStep, StepContext
from memoria.lifecycle.pages import read_pages
from memoria.model import Memory, Validity
from memoria.model.nightly import StepOutcome
from memoria.store.rows.transaction import Transaction

_PAGE = 200


class ExpiredItem(Item):
    """A memory whose expiry date has passed; its key is its id."""


class ArchiveExpiredStep(PlannedStep[ExpiredItem]):
    """Archives memories that have expired."""

    name = "archive_expired"
    summary = "Archive memories whose expiry date has passed."
    things = ("memory past its end", "memories past their end")
    deed = "archived"
    item = ExpiredItem
    rows = 40

    def plan(self, context: StepContext) -> Iterator[ExpiredItem]:
        """Yield the memories that have expired by the run's moment, in order of their numbers."""
        pages = read_pages(
            context,
            lambda tx, after: tx.retention.list_expired(context.at, after, _PAGE),
            itemgetter(0),
            0,
        )
        for page in pages:
            yield from (ExpiredItem(key=memory_id) for _, memory_id in page)

    def apply(self, tx: Transaction, item: ExpiredItem, context: StepContext) -> ItemResult:
        """Archive the memory, unless it was pinned or given more time since."""
        memory = tx.memories.get(item.key)
        if memory is None or not _has_expired(memory, context.at):
            return ItemResult(StepOutcome.CHANGED_SINCE, item.key)
        context.memory_writer(tx).end(item.key, "expired")
        return ItemResult(StepOutcome.DONE, item.key, "its time was over")


def _has_expired(memory: Memory, at: int) -> bool:
    return (
        memory.validity is Validity.ACTIVE
        and not memory.pinned
        and memory.expires_at is not None
        and memory.expires_at <= at
    )
