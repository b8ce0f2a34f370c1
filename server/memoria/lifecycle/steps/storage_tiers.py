"""Storage tiers: the texts of conversations at rest take less room, and come back to the byte.

Nothing changes but the packing, so no journal sees it and an undo leaves it.
"""

import time
from collections.abc import Iterator
from itertools import islice

from memoria.lifecycle.interface import ItemResult, PiecewiseStep, StepContext
from memoria.lifecycle.pace import rest
from memoria.model import DAY_MS
from memoria.model.nightly import StepOutcome

_COLD_DAYS = 30
_AT_ONCE = 20
"""Number of conversations between two reports."""


class StorageTiersStep(PiecewiseStep):
    """Packs the texts of a conversation together when nobody has added to it for a month."""

    name = "storage_tiers"
    summary = "Compress the texts of conversations at rest; they come back to the byte."
    things = ("conversation at rest", "conversations at rest")
    deed = "compressed"

    def count_work(self, context: StepContext) -> int:
        """Count the conversations that are at rest and not packed yet."""
        with context.store.read(context.tenant) as tx:
            return tx.storage_tiers.count_unpacked(_cold_since(context))

    def do_piece(self, context: StepContext) -> list[ItemResult]:
        """Pack some conversations."""
        return [
            ItemResult(_pack_conversation(session_n, context))
            for session_n in islice(_due_conversations(context), _AT_ONCE)
        ]


def _cold_since(context: StepContext) -> int:
    return context.at - _COLD_DAYS * DAY_MS


def _due_conversations(context: StepContext) -> Iterator[int]:
    """Yield conversations that are at rest and not packed yet, until none is left."""
    while True:
        with context.store.read(context.tenant) as tx:
            found = tx.storage_tiers.next_unpacked(_cold_since(context))
        if found is None:
            return
        yield found


def _pack_conversation(session_n: int, context: StepContext) -> StepOutcome:
    """Pack page by page. After a kill it begins anew, and finds its first pages done already."""
    after: int | None = 0
    while after is not None:
        after = _pack_page(session_n, after, context)
    return StepOutcome.DONE


def _pack_page(session_n: int, after: int, context: StepContext) -> int | None:
    """Pack a page; return where the next one begins, None where none is left."""
    with context.store.read(context.tenant) as tx:
        page = tx.storage_tiers.pack_page(session_n, after)
    began = time.perf_counter()
    with context.store.write(context.tenant) as tx:
        written = tx.storage_tiers.write_page(page)
        if written and page.through is None:
            tx.storage_tiers.mark_packed(session_n, _cold_since(context))
    rest(time.perf_counter() - began)
    return page.through if written else after
