"""Expire: what was said to count until a moment leaves the active memories when it has passed."""

from collections.abc import Iterator

from memoria.lifecycle.interface import Item, ItemResult, StepContext
from memoria.model import Memory, Validity
from memoria.model.nightly import StepOutcome
from memoria.store.base import Transaction

_PAGE = 200


class ExpiredItem(Item):
    """A memory whose time is over; its key is its id."""


class ArchiveExpiredStep:
    """Archives what has expired. Searches have not shown it since."""

    name = "expire"
    item = ExpiredItem
    rows = 40

    def describe_limits(self, _night: StepContext) -> str | None:
        """It never needs a model."""
        return None

    def plan(self, context: StepContext) -> Iterator[ExpiredItem]:
        """Whatever has expired by the night's moment, in the order of its numbers."""
        after = 0
        while True:
            with context.store.read(context.tenant) as tx:
                found = tx.retention.list_expired(context.at, after, _PAGE)
            if not found:
                return
            yield from (ExpiredItem(key=memory_id) for _, memory_id in found)
            after = found[-1][0]

    def apply(self, tx: Transaction, item: ExpiredItem, context: StepContext) -> ItemResult:
        """Archive it, unless somebody has confirmed it or given it more time since."""
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
