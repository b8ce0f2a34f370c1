"""Metrics: a run measures the memory it leaves behind, and reports each metric with its bound."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from memoria.lifecycle.interface import Item, ItemResult, PlannedStep, StepContext
from memoria.model.nightly import Metric, StepOutcome
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters

_PROBES = 50
"""Number of memories that are searched for by their own words."""
_FIRST = 10
_TERMS = 4
_EVERYWHERE = Filters(everywhere=True)
_MS = 1000.0


@dataclass(frozen=True, slots=True)
class MetricKind:
    """Description of a metric, and the bounds that it should keep."""

    description: str
    lower: float | None = None
    upper: float | None = None

    def is_exceeded(self, value: float) -> bool:
        """Check whether a value is beyond a bound."""
        below = self.lower is not None and value < self.lower
        return below or (self.upper is not None and value > self.upper)


METRICS: Mapping[str, MetricKind] = {
    "archived": MetricKind("share of memories that are archived"),
    "links": MetricKind("links of a memory, on average"),
    "neighbours": MetricKind("neighbours of a memory by meaning, on average", upper=32.0),
    "recall": MetricKind("share of memories found by their own words", lower=0.9),
    "segments": MetricKind("pieces that the text index lies in", upper=64.0),
    "slowest_ms": MetricKind("milliseconds of the slowest search by words", upper=1500.0),
}
"""Metrics by name. The text index usually has a dozen pieces, and searches take far less time."""


class MetricItem(Item):
    """A metric; its key is its name."""

    value: float


class MetricsStep(PlannedStep[MetricItem]):
    """Measures the memory, and changes nothing in it."""

    name = "metrics"
    summary = (
        "Measure the memory: its links, and whether searches find memories by their own words."
    )
    things = ("figure", "figures")
    deed = "measured"
    item = MetricItem
    rows = 4

    def plan(self, context: StepContext) -> Iterator[MetricItem]:
        """Yield all metrics; none if there are no memories."""
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
        """Write the metric down."""
        tx.metrics.add(context.run, check_bound(item.key, item.value))
        return ItemResult(StepOutcome.UNCHANGED)


def check_bound(name: str, value: float) -> Metric:
    """Return a value as a metric, with its bound and whether it is exceeded."""
    kind = METRICS[name]
    bound = kind.upper if kind.lower is None else kind.lower
    return Metric(name=name, value=value, bound=bound, exceeded=kind.is_exceeded(value))


def _measure_searches(context: StepContext, probes: Sequence[int]) -> Iterator[MetricItem]:
    """Yield the share of memories found by their own rarest words, and the longest search time."""
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
