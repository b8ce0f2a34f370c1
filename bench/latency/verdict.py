"""What a run came to: times, ratios, and whether they are within bounds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.latency.resident import Footprint
from bench.metrics import percentile

CAPTURE_BOUND = 3.0
SEARCH_BOUND, SEARCH_TAIL_BOUND = 2.0, 3.0
"""How much dearer than its floors a search may be at the median and the 95th percentile."""
VERY_LARGE = 1_000_000
MOST_MS = 100.0
"""What nineteen of twenty searches may take at the very most in a home of so many turns."""
GROWTH_BOUND = 5.0
"""How much dearer the median search may be in the largest home than in the smallest."""

Times = Mapping[str, Sequence[float]]
"""Milliseconds by name; the n-th of every name belong to the same round."""


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds."""

    p50: float
    p95: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """A call of the product beside its floor."""

    call: Latency
    floor: Latency
    """The sum of its floors, round by round."""
    ratio: float
    """Of the medians."""
    bound: float
    tail_ratio: float
    """Of the 95th percentiles."""
    tail_bound: float | None = None
    most_ms: float | None = None
    """For the 95th percentile, in itself."""

    @property
    def within(self) -> bool:
        """Whether the call is fast enough."""
        return (
            self.ratio <= self.bound
            and (self.tail_bound is None or self.tail_ratio <= self.tail_bound)
            and (self.most_ms is None or self.call.p95 < self.most_ms)
        )


@dataclass(frozen=True, slots=True)
class Verdict:
    """All there is to say about one size."""

    turns: int
    rounds: int
    comparisons: dict[str, Comparison]
    floors: dict[str, Latency]
    memory: Footprint

    @property
    def within(self) -> bool:
        """Whether every call is fast enough."""
        return all(comparison.within for comparison in self.comparisons.values())


FLOORS = {
    "insert alone": "insert + fsync",
    "insert": "insert + fsync, in a thread",
    "embed": "embed a question",
    "match": "BM25",
    "scan": "scan all vectors",
    "scan turns": "scan the turns'",
}
_WAYS = ("by product", "by row")
_CAPTURE = {"record_conversation": ("insert",)}
_SEARCHES = {
    "search_memory": ("embed", "match", "scan"),
    "search_conversation_traces": ("embed", "match", "scan turns"),
}


def verdict(turns: int, rounds: int, took_ms: Times, memory: Footprint) -> Verdict:
    """The times in figures. Of the ways to scan, the faster is the floor."""
    took_ms = {**took_ms, **{name: _faster(took_ms, name) for name in ("scan", "scan turns")}}
    return Verdict(
        turns,
        rounds,
        {
            **{call: _capture(took_ms, call, parts) for call, parts in _CAPTURE.items()},
            **{call: _search(turns, took_ms, call, parts) for call, parts in _SEARCHES.items()},
        },
        {name: latency(took_ms[name]) for name in FLOORS},
        memory,
    )


def growth(verdicts: Sequence[Verdict]) -> dict[str, float]:
    """How much dearer the median search is in the largest home than in the smallest."""
    first, last = (pick(verdicts, key=lambda each: each.turns) for pick in (min, max))
    return {
        call: last.comparisons[call].call.p50 / first.comparisons[call].call.p50
        for call in _SEARCHES
    }


def latency(took_ms: Sequence[float]) -> Latency:
    """Median and 95th percentile."""
    return Latency(percentile(50, took_ms), percentile(95, took_ms))


def _faster(took_ms: Times, name: str) -> Sequence[float]:
    return min((took_ms[f"{name} {way}"] for way in _WAYS), key=lambda took: percentile(50, took))


def _capture(took_ms: Times, call: str, parts: Sequence[str]) -> Comparison:
    return _comparison(took_ms, call, parts, CAPTURE_BOUND)


def _search(turns: int, took_ms: Times, call: str, parts: Sequence[str]) -> Comparison:
    most_ms = MOST_MS if turns >= VERY_LARGE else None
    return _comparison(took_ms, call, parts, SEARCH_BOUND, SEARCH_TAIL_BOUND, most_ms)


def _comparison(
    took_ms: Times,
    call: str,
    parts: Sequence[str],
    bound: float,
    tail_bound: float | None = None,
    most_ms: float | None = None,
) -> Comparison:
    sums = [sum(each) for each in zip(*(took_ms[part] for part in parts), strict=True)]
    measured, floor = latency(took_ms[call]), latency(sums)
    ratio, tail_ratio = measured.p50 / floor.p50, measured.p95 / floor.p95
    return Comparison(measured, floor, ratio, bound, tail_ratio, tail_bound, most_ms)
