"""How far a walk of k hops gets: level by level, a question a level, never beyond a bound.

The neighbours come from whoever has them: a store that answers for a whole level at once, or a
mapping in a test. What they leave out (another tenant's, another workspace's) is never reached.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

Adjacency = Mapping[int, Mapping[int, float]]
"""Nodes, their neighbours, and how strongly they are bound."""
FetchNeighbours = Callable[[Sequence[int], Collection[int], int], Adjacency]
"""Gives the neighbours of some nodes: those met before, and of the others at least so many of the
strongest bound, for only that many are wanted."""


@dataclass(frozen=True, slots=True)
class GraphNeighbourhood:
    """What a walk met."""

    distances: Mapping[int, int]
    """Nodes, and the hops to the nearest seed, in the order met."""
    adjacency: Adjacency
    """The edges between them."""


def find_neighbourhood(
    seeds: Sequence[int],
    hops: int,
    neighbours: FetchNeighbours,
    limit: int = 500,
) -> GraphNeighbourhood:
    """The nodes within some hops of the seeds, the strongest bound first.

    Args:
        seeds: where the walk begins.
        hops: how far it goes.
        neighbours: gives the neighbours of all of the nodes it is asked for.
        limit: nodes beyond which no further one is met.
    """
    distances = dict.fromkeys(list(dict.fromkeys(seeds))[:limit], 0)
    edges: dict[int, dict[int, float]] = {n: {} for n in distances}
    level: Sequence[int] = tuple(distances)
    for distance in range(1, hops + 1):
        if not level:
            break
        room = limit - len(distances)
        found = neighbours(level, distances.keys(), room)
        level = _strongest_new_nodes(found, distances, room)
        distances.update(dict.fromkeys(level, distance))
        for n, others in found.items():
            kept = {other: weight for other, weight in others.items() if other in distances}
            edges.setdefault(n, {}).update(kept)
    return GraphNeighbourhood(distances, _make_symmetric(edges))


def _strongest_new_nodes(found: Adjacency, met: Mapping[int, int], room: int) -> tuple[int, ...]:
    """The new nodes that there is room for, by their strongest bond, then by number."""
    bonds: dict[int, float] = {}
    for others in found.values():
        for other, weight in others.items():
            if other not in met:
                bonds[other] = max(weight, bonds.get(other, 0.0))
    return tuple(sorted(bonds, key=lambda n: (-bonds[n], n))[: max(0, room)])


def _make_symmetric(edges: Adjacency) -> Adjacency:
    """The same edges, told by either end: the last level was not asked for its own."""
    told: dict[int, dict[int, float]] = {n: dict(others) for n, others in edges.items()}
    for n, others in edges.items():
        for other, weight in others.items():
            told.setdefault(other, {}).setdefault(n, weight)
    return told
