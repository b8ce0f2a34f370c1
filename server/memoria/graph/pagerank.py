"""Personalised PageRank: which nodes a walker meets who keeps coming back to the seeds.

Power iteration. L. Page, S. Brin, R. Motwani, T. Winograd, "The PageRank Citation Ranking", 1999;
T. H. Haveliwala, "Topic-Sensitive PageRank", 2002. The walker follows an edge in proportion to its
weight; from a node that leads nowhere it returns to the seeds at once. Every round moves all of
the rank there is, so that it sums to one after any number of rounds.
"""

import math
from collections.abc import Mapping, Sequence

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
    ends = {other for others in adjacency.values() for other in others}
    nodes = sorted({*adjacency, *ends, *seeds})
    home = [seeds.get(n, 0.0) / total for n in nodes]
    steps = _steps(adjacency, nodes)
    rank = home
    for _ in range(rounds):
        after = _round(rank, steps, home, damping)
        change = sum(abs(new - old) for new, old in zip(after, rank, strict=True))
        rank = after
        if change < tolerance:
            break
    return dict(zip(nodes, rank, strict=True))


_Steps = list[list[tuple[int, float]]]
"""Where each node leads and in which share, by place; nowhere for one without edges."""


def _steps(adjacency: Mapping[int, Mapping[int, float]], nodes: Sequence[int]) -> _Steps:
    places = {n: place for place, n in enumerate(nodes)}
    steps: _Steps = []
    for n in nodes:
        others = adjacency.get(n, {})
        total = math.fsum(others.values())
        shares = ((places[other], others[other] / total) for other in sorted(others))
        steps.append(list(shares) if total > 0 else [])
    return steps


def _round(
    rank: Sequence[float], steps: _Steps, home: Sequence[float], damping: float
) -> list[float]:
    after = [0.0] * len(rank)
    returning = 0.0
    for share, going in zip(rank, steps, strict=True):
        if share:
            returning += (1 - damping) * share if going else share
            carried = damping * share
            for place, part in going:
                after[place] += carried * part
    return [found + returning * part for found, part in zip(after, home, strict=True)]
