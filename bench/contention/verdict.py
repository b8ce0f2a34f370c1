"""What a run came to."""

from collections.abc import Sequence
from dataclasses import dataclass

from bench.metrics import percentile

Interval = tuple[float, float]
"""(start, end) in seconds of the monotonic clock."""


@dataclass(frozen=True, slots=True)
class Latency:
    """How long calls took, in milliseconds."""

    calls: int
    p50: float
    p95: float
    p99: float


@dataclass(frozen=True, slots=True)
class Figures:
    """How fast it went. Rates are over the time from the start to the last clerk's last call."""

    traffic_s: float
    turns_per_s: float
    """Distinct turns; repeated calls don't count."""
    searches_per_s: float
    capture_ms: Latency
    search_ms: Latency
    settle_s: float
    """From the last call until every turn had its vector."""
    batches: int
    embedded: int
    """Texts embedded as documents: one a turn when no batch was made twice."""
    busy: int
    """Captures that were told to come again, and did."""
    longest_overlap_ms: float
    """How long two processes embedded documents at the same time. Must be 0."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The figures, and everything that is wrong: nothing, if the promises hold."""

    figures: Figures
    problems: tuple[str, ...]


def latency(took_ms: Sequence[float]) -> Latency:
    """Percentiles of the times."""
    p50, p95, p99 = (percentile(q, took_ms) for q in (50, 95, 99))
    return Latency(len(took_ms), p50, p95, p99)


def longest_overlap(intervals: Sequence[Interval]) -> float:
    """The longest time, in seconds, that two of the intervals have in common; 0 if none do.

    In order of their starts, an interval's longest overlap with an earlier one is with the one
    that ends last.
    """
    longest = furthest = 0.0
    for start, end in sorted(intervals):
        longest = max(longest, min(end, furthest) - start)
        furthest = max(furthest, end)
    return longest
