"""How good a ranking is, and how long things took: pure functions.

Relevance is binary: an item is gold or it is not. A ranking is a sequence of distinct items, best
first; `gold` is never empty. The definitions are those of C. Manning, P. Raghavan, H. Schütze,
"Introduction to Information Retrieval" (2008), chapter 8; NDCG is by K. Järvelin and
J. Kekäläinen, "Cumulated gain-based evaluation of IR techniques" (2002), with log2(1 + rank).
"""

import math
import random
from collections.abc import Hashable, Sequence

_SEED = 20_261_123
_RESAMPLES = 4_000


def recall_at(k: int, ranking: Sequence[Hashable], gold: frozenset[Hashable]) -> float:
    """The share of gold among the first `k`, 0 to 1: gold found ÷ gold."""
    return len(gold.intersection(ranking[:k])) / len(gold)


def any_hit_at(k: int, ranking: Sequence[Hashable], gold: frozenset[Hashable]) -> float:
    """1 when at least one gold item is among the first `k`, else 0."""
    return float(not gold.isdisjoint(ranking[:k]))


def all_found_at(k: int, ranking: Sequence[Hashable], gold: frozenset[Hashable]) -> float:
    """1 when every gold item is among the first `k`, else 0."""
    return float(gold.issubset(ranking[:k]))


def reciprocal_rank(ranking: Sequence[Hashable], gold: frozenset[Hashable]) -> float:
    """1 ÷ the rank of the first gold item, ranks from 1; 0 when there is none."""
    ranks = (rank for rank, item in enumerate(ranking, 1) if item in gold)
    first = next(ranks, None)
    return 0.0 if first is None else 1 / first


def ndcg_at(k: int, ranking: Sequence[Hashable], gold: frozenset[Hashable]) -> float:
    """Discounted cumulative gain of the first `k` ÷ that of the best possible ranking."""
    gained = sum(_discount(rank) for rank, item in enumerate(ranking[:k], 1) if item in gold)
    return gained / sum(_discount(rank) for rank in range(1, min(k, len(gold)) + 1))


def mean(values: Sequence[float]) -> float:
    """The arithmetic mean; 0 of nothing, so that an empty slice can be printed."""
    return math.fsum(values) / len(values) if values else 0.0


def percentile(q: float, values: Sequence[float]) -> float:
    """The `q`-th percentile, `q` from 0 to 100, in the unit of `values`; 0 of nothing.

    Between two values it is interpolated linearly: type 7 of R. Hyndman and Y. Fan, "Sample
    quantiles in statistical packages" (1996), NumPy's default.
    """
    if not values:
        return 0.0
    ordered = sorted(values)
    place = (len(ordered) - 1) * q / 100
    below = ordered[math.floor(place)]
    above = ordered[math.ceil(place)]
    return below + (above - below) * (place - math.floor(place))


def bootstrap_interval(differences: Sequence[float]) -> tuple[float, float]:
    """Between which values the mean difference lies with 95 % confidence; zeros of nothing.

    The percentile bootstrap of B. Efron and R. Tibshirani, "An Introduction to the Bootstrap"
    (1993), chapter 13, over paired differences, with a seed of its own: the same in every run.
    """
    if not differences:
        return 0.0, 0.0
    draw = random.Random(_SEED)  # noqa: S311  (resampling, no secret)
    size = len(differences)
    means = [mean(draw.choices(differences, k=size)) for _ in range(_RESAMPLES)]
    return percentile(2.5, means), percentile(97.5, means)


def _discount(rank: int) -> float:
    return 1 / math.log2(1 + rank)
