"""Metrics: a night measures what it leaves behind, so that one can see where it is going.

What is beyond its bound is acted on where a night can: too many neighbours, and the next step
`graph` thins them out further. The rest is said, for whoever looks at the run.
"""

import time
from collections.abc import Iterator, Sequence

from memoria.lifecycle.interface import Item, ItemResult, StepContext
from memoria.lifecycle.steps.graph import MAX_AVERAGE_NEIGHBOURS
from memoria.model.nightly import Metric, StepOutcome
from memoria.store.base import Transaction
from memoria.store.values import Filters

_PROBES = 50
"""Memories that are searched for by their own words."""
_FIRST = 10
_TERMS = 4
_EVERYWHERE = Filters(everywhere=True)
_MS = 1000.0
_UPPER_BOUNDS = {"neighbours": MAX_AVERAGE_NEIGHBOURS, "slowest_ms": 1500.0, "segments": 64.0}
"""What a figure should not be above: half the cap of a kind; the seeds' bound; FTS5's usual dozen,
five times over."""
_LOWER_BOUNDS = {"recall": 0.9}
"""What a figure should not be below."""


class MetricItem(Item):
    """A figure; its key is its name."""

    value: float


class MetricsStep:
    """Writes figures down, and changes nothing."""

    name = "metrics"
    item = MetricItem
    rows = 4

    def describe_limits(self, _night: StepContext) -> str | None:
        """It never needs a model."""
        return None

    def plan(self, context: StepContext) -> Iterator[MetricItem]:
        """What there is to measure."""
        with context.store.read(context.tenant) as tx:
            links, (archived, memories) = tx.metrics.count_links(), tx.metrics.count_archived()
            segments, probes = (
                tx.metrics.count_index_segments(),
                tx.metrics.sample_wordings(_PROBES),
            )
        if not memories:
            return
        yield MetricItem(key="neighbours", value=links.neighbours)
        yield MetricItem(key="links", value=links.edges / max(1, links.nodes))
        yield MetricItem(key="archived", value=archived / memories)
        yield MetricItem(key="segments", value=segments)
        yield from _measure_searches(context, probes)

    def apply(self, tx: Transaction, item: MetricItem, context: StepContext) -> ItemResult:
        """Write it down: nothing of the memory is changed."""
        tx.metrics.add(context.run, check_bound(item.key, item.value))
        return ItemResult(StepOutcome.UNCHANGED)


def check_bound(name: str, value: float) -> Metric:
    """A figure, and whether it is beyond its bound."""
    least, most = _LOWER_BOUNDS.get(name), _UPPER_BOUNDS.get(name)
    exceeded = (most is not None and value > most) or (least is not None and value < least)
    return Metric(name=name, value=value, bound=most if least is None else least, exceeded=exceeded)


def _measure_searches(context: StepContext, probes: Sequence[int]) -> Iterator[MetricItem]:
    """How many memories their own rarest words find, and how long the longest search took."""
    found, slowest = 0, 0.0
    for n in probes:
        with context.store.read(context.tenant) as tx:
            terms = _discriminative_terms(tx, n)
            began = time.perf_counter()
            matches = tx.documents.match(["memory"], terms, _EVERYWHERE, _FIRST)
            slowest = max(slowest, time.perf_counter() - began)
        found += any(match.n == n for match in matches)
    if probes:
        yield MetricItem(key="recall", value=found / len(probes))
        yield MetricItem(key="slowest_ms", value=_MS * slowest)


def _discriminative_terms(tx: Transaction, n: int) -> list[str]:
    words = sorted(tx.documents.distinct_words([n]).get(n, ()))
    holding = tx.documents.frequencies(["memory"], words, _EVERYWHERE).by_term
    return sorted(words, key=lambda word: (holding[word], word))[:_TERMS]
