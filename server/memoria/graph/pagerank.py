"""Personalised PageRank: which nodes a walker meets who keeps coming back to the seeds.

Power iteration. L. Page, S. Brin, R. Motwani, T. Winograd, "The PageRank Citation Ranking", 1999;
T. H. Haveliwala, "Topic-Sensitive PageRank", 2002. The walker follows an edge in proportion to its
weight; from a node that leads nowhere it returns to the seeds at once. Every round moves all of
the rank there is, so that it sums to one after any number of rounds.
"""

import math
from collections.abc import Mapping

DAMPING = 0.85
"""How often the walker goes on instead of returning to a seed."""


def personalised_pagerank(
    adjacency: Mapping[int, Mapping[int, float]],
    seeds: Mapping[int, float],
    *,
    damping: float = DAMPING,
    rounds: int = 30,
    tolerance: float = 1e-6,
) -> dict[int, float]:
    """The rank of every node, summing to one; nothing where no seed has a weight.

    Args:
        adjacency: nodes, and the weights (not negative) of the edges that leave them.
        seeds: where the walker returns to, and how often in proportion.
        damping: the share of steps that follow an edge.
        rounds: of iteration at most.
        tolerance: the change of all ranks together at which it is done sooner.
    """
    total = math.fsum(seeds.values())
    if total <= 0:
        return {}
    home = {n: seeds[n] / total for n in sorted(seeds)}
    steps = _steps(adjacency)
    ends = {other for others in adjacency.values() for other in others}
    nodes = sorted({*adjacency, *ends, *home})
    rank = {n: home.get(n, 0.0) for n in nodes}
    for _ in range(rounds):
        after = _round(rank, steps, home, damping)
        change = sum(abs(after[n] - rank[n]) for n in nodes)
        rank = after
        if change < tolerance:
            break
    return rank


def _steps(adjacency: Mapping[int, Mapping[int, float]]) -> dict[int, list[tuple[int, float]]]:
    """Where each node leads and in which share, in the order of the numbers."""
    steps = {}
    for n in sorted(adjacency):
        total = math.fsum(adjacency[n].values())
        if total > 0:
            others = adjacency[n]
            steps[n] = [(other, others[other] / total) for other in sorted(others)]
    return steps


def _round(
    rank: Mapping[int, float],
    steps: Mapping[int, list[tuple[int, float]]],
    home: Mapping[int, float],
    damping: float,
) -> dict[int, float]:
    after = dict.fromkeys(rank, 0.0)
    returning = 0.0
    for n, share in rank.items():
        going = steps.get(n)
        if going is None:
            returning += share
            continue
        returning += (1 - damping) * share
        for other, part in going:
            after[other] += damping * share * part
    for n, part in home.items():
        after[n] += returning * part
    return after
