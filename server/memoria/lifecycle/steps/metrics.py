"""Metrics: a night measures what it leaves behind, so that one can see where it is going.

What is beyond its bound is acted on where a night can: too many neighbours, and the next step
`graph` thins them out further. The rest is said, for whoever looks at the run.
"""

import time
from collections.abc import Iterator, Sequence

from memoria.lifecycle.face import Applied, Item, Night
from memoria.lifecycle.steps.graph import DENSE
from memoria.model.night import Metric, Outcome
from memoria.store.base import Transaction
from memoria.store.values import Filters

_PROBES = 50
"""Memories that are searched for by their own words."""
_FIRST = 10
_TERMS = 4
_EVERYWHERE = Filters(everywhere=True)
_MS = 1000.0
_UP_TO = {"neighbours": DENSE, "slowest_ms": 1500.0, "segments": 64.0}
"""What a figure should not be above: half the cap of a kind; the seeds' bound; FTS5's usual dozen,
five times over."""
_FROM = {"recall": 0.9}
"""What a figure should not be below."""


class Measured(Item):
    """A figure; its key is its name."""

    value: float


class Metrics:
    """Writes figures down, and changes nothing."""

    name = "metrics"
    item = Measured
    rows = 4

    def reduced(self, _night: Night) -> str | None:
        """It never needs a model."""
        return None

    def plan(self, night: Night) -> Iterator[Measured]:
        """What there is to measure."""
        with night.store.read(night.tenant) as tx:
            links, (archived, memories) = tx.metrics.links(), tx.metrics.archived()
            segments, probes = tx.metrics.segments(), tx.metrics.sample(_PROBES)
        if not memories:
            return
        yield Measured(key="neighbours", value=links.neighbours)
        yield Measured(key="links", value=links.edges / max(1, links.nodes))
        yield Measured(key="archived", value=archived / memories)
        yield Measured(key="segments", value=segments)
        yield from _searched(night, probes)

    def apply(self, tx: Transaction, item: Measured, night: Night) -> Applied:
        """Write it down: nothing of the memory is changed."""
        tx.metrics.put(night.run, judged(item.key, item.value))
        return Applied(Outcome.UNCHANGED)


def judged(name: str, value: float) -> Metric:
    """A figure, and whether it is beyond its bound."""
    least, most = _FROM.get(name), _UP_TO.get(name)
    exceeded = (most is not None and value > most) or (least is not None and value < least)
    return Metric(name=name, value=value, bound=most if least is None else least, exceeded=exceeded)


def _searched(night: Night, probes: Sequence[int]) -> Iterator[Measured]:
    """How many memories their own rarest words find, and how long the longest search took."""
    found, slowest = 0, 0.0
    for n in probes:
        with night.store.read(night.tenant) as tx:
            terms = _telling(tx, n)
            began = time.perf_counter()
            matches = tx.documents.match(["memory"], terms, _EVERYWHERE, _FIRST)
            slowest = max(slowest, time.perf_counter() - began)
        found += any(match.n == n for match in matches)
    if probes:
        yield Measured(key="recall", value=found / len(probes))
        yield Measured(key="slowest_ms", value=_MS * slowest)


def _telling(tx: Transaction, n: int) -> list[str]:
    words = sorted(tx.documents.words([n]).get(n, ()))
    holding = tx.documents.frequencies(["memory"], words, _EVERYWHERE).holding
    return sorted(words, key=lambda word: (holding[word], word))[:_TERMS]
