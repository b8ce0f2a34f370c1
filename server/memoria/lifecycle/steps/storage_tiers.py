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
from memoria.store.values import AgedSession, TierAges

_WARM_DAYS = 7
_COLD_DAYS = 30
_AT_ONCE = 20
"""Conversations between two reports."""


class StorageTiersStep(PiecewiseStep):
    """Packs texts more tightly after a week, and those of a conversation together after a month."""

    name = "storage_tiers"
    summary = "Compress the texts of conversations at rest; they come back to the byte."

    def count_work(self, context: StepContext) -> int:
        """Conversations that are old enough for another tier."""
        with context.store.read(context.tenant) as tx:
            return tx.storage_tiers.count_aged(_tier_ages(context))

    def do_piece(self, context: StepContext) -> list[ItemResult]:
        """Pack some conversations."""
        return [
            ItemResult(_pack_conversation(aged, context))
            for aged in islice(_due_conversations(context), _AT_ONCE)
        ]


def _tier_ages(context: StepContext) -> TierAges:
    return TierAges(context.at - _WARM_DAYS * DAY_MS, context.at - _COLD_DAYS * DAY_MS)


def _due_conversations(context: StepContext) -> Iterator[AgedSession]:
    """Conversations that are old enough for another tier, until none is left."""
    while True:
        with context.store.read(context.tenant) as tx:
            found = tx.storage_tiers.next_aged(_tier_ages(context))
        if found is None:
            return
        yield found


def _pack_conversation(aged: AgedSession, context: StepContext) -> StepOutcome:
    """Pack page by page. After a kill it begins anew, and finds its first pages done already."""
    after: int | None = 0
    while after is not None:
        after = _pack_page(aged, after, context)
    return StepOutcome.DONE


def _pack_page(aged: AgedSession, after: int, context: StepContext) -> int | None:
    """Pack a page; gives where the next one begins, None where none is left."""
    with context.store.read(context.tenant) as tx:
        repacked = tx.storage_tiers.repack(aged, after)
    began = time.perf_counter()
    with context.store.write(context.tenant) as tx:
        written = tx.storage_tiers.write_packed(repacked)
        if written and repacked.through is None:
            tx.storage_tiers.set_tier(aged, _tier_ages(context))
    rest(time.perf_counter() - began)
    return repacked.through if written else after
