"""What a run came to: times, ratios, and whether they are within bounds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.latency.resident import Footprint
from bench.metrics import percentile

CAPTURE_BOUND = 2.0
SEARCH_BOUND = 3.0

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

    @property
    def within(self) -> bool:
        """Whether the call is fast enough."""
        return self.ratio <= self.bound


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
_SUMS = {
    "record_conversation": (CAPTURE_BOUND, ("insert",)),
    "search_memory": (SEARCH_BOUND, ("embed", "match", "scan")),
    "search_conversation_traces": (SEARCH_BOUND, ("embed", "match", "scan turns")),
}


def verdict(turns: int, rounds: int, took_ms: Times, memory: Footprint) -> Verdict:
    """The times in figures. Of the ways to scan, the faster is the floor."""
    took_ms = {**took_ms, **{name: _faster(took_ms, name) for name in ("scan", "scan turns")}}
    return Verdict(
        turns,
        rounds,
        {call: _comparison(took_ms, call, bound, parts) for call, (bound, parts) in _SUMS.items()},
        {name: latency(took_ms[name]) for name in FLOORS},
        memory,
    )


def _faster(took_ms: Times, name: str) -> Sequence[float]:
    return min((took_ms[f"{name} {way}"] for way in _WAYS), key=lambda took: percentile(50, took))


def latency(took_ms: Sequence[float]) -> Latency:
    """Median and 95th percentile."""
    return Latency(percentile(50, took_ms), percentile(95, took_ms))


def _comparison(took_ms: Times, call: str, bound: float, parts: Sequence[str]) -> Comparison:
    sums = [sum(each) for each in zip(*(took_ms[part] for part in parts), strict=True)]
    measured, floor = latency(took_ms[call]), latency(sums)
    return Comparison(measured, floor, measured.p50 / floor.p50, bound)
