"""Tiers: conversations that have come to rest take less room, and say what they said to the byte.

As nothing changes but the packing, no journal sees it and an undo leaves it (docs/decisions.md).
"""

import time
from collections.abc import Iterator
from itertools import islice

from memoria.lifecycle.face import Applied, Night
from memoria.lifecycle.pace import rest
from memoria.model import DAY_MS
from memoria.model.night import Outcome
from memoria.store.values import Aged, Ages

_WARM_DAYS = 7
_COLD_DAYS = 30
_AT_ONCE = 20
"""Conversations between two reports."""


class Tiers:
    """Packs texts more tightly after a week, and those of a conversation together after a month."""

    name = "tiers"

    def reduced(self, _night: Night) -> str | None:
        """It never needs a model."""
        return None

    def waiting(self, night: Night) -> int:
        """Conversations that are old enough for another tier."""
        with night.store.read(night.tenant) as tx:
            return tx.tiers.count_aged(_ages(night))

    def work(self, night: Night) -> list[Applied]:
        """Pack some conversations."""
        return [Applied(_packed(aged, night)) for aged in islice(_aged(night), _AT_ONCE)]


def _ages(night: Night) -> Ages:
    return Ages(night.at - _WARM_DAYS * DAY_MS, night.at - _COLD_DAYS * DAY_MS)


def _aged(night: Night) -> Iterator[Aged]:
    """What is old enough, until nothing is left."""
    while True:
        with night.store.read(night.tenant) as tx:
            found = tx.tiers.next_aged(_ages(night))
        if found is None:
            return
        yield found


def _packed(aged: Aged, night: Night) -> Outcome:
    """A page at a time; one that was killed is begun anew, and its first pages are done already."""
    after: int | None = 0
    while after is not None:
        after = _page(aged, after, night)
    return Outcome.DONE


def _page(aged: Aged, after: int, night: Night) -> int | None:
    """Pack a page; gives where the next one begins, None where none is left."""
    with night.store.read(night.tenant) as tx:
        repacked = tx.tiers.repack(aged, after)
    began = time.perf_counter()
    with night.store.write(night.tenant) as tx:
        written = tx.tiers.put(repacked)
        if written and repacked.through is None:
            tx.tiers.settle(aged, _ages(night))
    rest(time.perf_counter() - began)
    return repacked.through if written else after
