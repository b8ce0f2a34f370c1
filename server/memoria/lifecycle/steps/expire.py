"""Expire: what was said to count until a moment leaves the active memories when it has passed."""

from collections.abc import Iterator

from memoria.lifecycle.audit import note
from memoria.lifecycle.face import Applied, Item, Night
from memoria.model import Memory, Validity
from memoria.model.night import Outcome
from memoria.store.base import Transaction

_PAGE = 200


class Expired(Item):
    """A memory whose time is over; its key is its id."""


class Expire:
    """Archives what has expired. Searches have not shown it since."""

    name = "expire"
    item = Expired
    rows = 40

    def reduced(self, _night: Night) -> str | None:
        """It never needs a model."""
        return None

    def plan(self, night: Night) -> Iterator[Expired]:
        """Whatever has expired by the night's moment, in the order of its numbers."""
        after = 0
        while True:
            with night.store.read(night.tenant) as tx:
                found = tx.retention.expired(night.at, after, _PAGE)
            if not found:
                return
            yield from (Expired(key=memory_id) for _, memory_id in found)
            after = found[-1][0]

    def apply(self, tx: Transaction, item: Expired, night: Night) -> Applied:
        """Archive it, unless somebody has confirmed it or given it more time since."""
        memory = tx.memories.get(item.key)
        if memory is None or not _over(memory, night.at):
            return Applied(Outcome.CHANGED_SINCE, item.key)
        tx.memories.set_validity(item.key, Validity.ARCHIVED, night.at)
        note(tx, night.at, "archive", item.key, "expired")
        return Applied(Outcome.DONE, item.key, "its time was over")


def _over(memory: Memory, at: int) -> bool:
    return (
        memory.validity is Validity.ACTIVE
        and not memory.pinned
        and memory.expires_at is not None
        and memory.expires_at <= at
    )
