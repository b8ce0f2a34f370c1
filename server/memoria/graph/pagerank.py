"""Personalised PageRank: how often a random walk that keeps returning to the seeds visits a node.

Power iteration. L. Page, S. Brin, R. Motwani, T. Winograd, "The PageRank Citation Ranking", 1999;
T. H. Haveliwala, "Topic-Sensitive PageRank", 2002. The walk follows an edge in proportion to its
weight; from a node without outgoing edges it returns to the seeds at once. Every round moves the
whole rank, so that the ranks sum to one after any number of rounds.
"""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DAMPING = 0.85
"""The share of steps that follow an edge instead of returning to a seed."""


class _Steps(NamedTuple):
    """All possible steps: origin and end by position, and the probability of each."""

    origins: list[int]
    ends: list[int]
    shares: list[float]


def personalised_pagerank(
    adjacency: Mapping[int, Mapping[int, float]],
    seeds: Mapping[int, float],
    *,
    damping: float = DAMPING,
    rounds: int = 30,
    tolerance: float = 1e-6,
) -> dict[int, float]:
    """Return the rank of every node, summing to one; empty if no seed has a weight.

    Args:
        adjacency: nodes, and the weights (not negative) of the edges that leave them.
        seeds: the nodes that the walk returns to, and in which proportion.
        damping: the share of steps that follow an edge.
        rounds: the most rounds of iteration.
        tolerance: iteration stops when the ranks change by less than this in total.
    """
    import numpy as np  # noqa: PLC0415  (only graph expansion needs it)

    total = math.fsum(seeds.values())
    if total <= 0:
        return {}
    ends = {other for others in adjacency.values() for other in others}
    nodes = sorted({*adjacency, *ends, *seeds})
    home = np.array([seeds.get(n, 0.0) / total for n in nodes])
    steps = _list_steps(adjacency, nodes)
    origins, shares = np.array(steps.origins, np.intp), np.array(steps.shares)
    reached = np.array(steps.ends, np.intp)
    returning = np.ones(len(nodes))
    returning[origins] = 1 - damping
    rank = home
    for _ in range(rounds):
        moved = np.bincount(reached, (damping * rank)[origins] * shares, len(nodes))
        after = moved + _sum_in_order(returning * rank) * home
        change = np.abs(after - rank).sum()
        rank = after
        if change < tolerance:
            break
    return dict(zip(nodes, rank.tolist(), strict=True))


def _sum_in_order(numbers: "NDArray[np.float64]") -> float:
    """Add numbers from left to right: the order of NumPy's own sum depends on the machine."""
    return float(numbers.cumsum()[-1])


def _list_steps(adjacency: Mapping[int, Mapping[int, float]], nodes: Sequence[int]) -> _Steps:
    places = {n: place for place, n in enumerate(nodes)}
    steps = _Steps([], [], [])
    for place, n in enumerate(nodes):
        others = sorted(adjacency.get(n, {}).items())
        total = math.fsum([weight for _, weight in others])
        if total > 0:
            steps.origins.extend([place] * len(others))
            steps.ends.extend([places[other] for other, _ in others])
            steps.shares.extend([weight / total for _, weight in others])
    return steps
