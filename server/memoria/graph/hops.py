"""The nodes within k hops of some seeds, found level by level with one query each, up to a limit.

The caller supplies the neighbours: a store answers for a whole level at once, a test uses a
mapping. Nodes that the caller leaves out (another tenant's, another workspace's) are never reached.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

Adjacency = Mapping[int, Mapping[int, float]]
"""Nodes, their neighbours, and the strength of each link."""
FetchNeighbours = Callable[[Sequence[int], Collection[int], int], Adjacency]
"""Gives the neighbours of some nodes. It is called with the nodes, the nodes visited so far, and a
count: of neighbours not yet visited only that many, the most strongly linked, are needed."""


@dataclass(frozen=True, slots=True)
class GraphNeighbourhood:
    """The nodes that were reached, and the edges between them."""

    distances: Mapping[int, int]
    """The hops from each node to the nearest seed, in the order visited."""
    adjacency: Adjacency
    """The edges between the nodes."""


def find_neighbourhood(
    seeds: Sequence[int],
    hops: int,
    neighbours: FetchNeighbours,
    limit: int = 500,
) -> GraphNeighbourhood:
    """Find the nodes within some hops of the seeds, the most strongly linked first.

    Args:
        seeds: where to begin.
        hops: how far to go.
        neighbours: gives the neighbours of a list of nodes.
        limit: stop after so many nodes.
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
    """Select new nodes by their strongest link, then by number, up to `room`."""
    bonds: dict[int, float] = {}
    for others in found.values():
        for other, weight in others.items():
            if other not in met:
                bonds[other] = max(weight, bonds.get(other, 0.0))
    return tuple(sorted(bonds, key=lambda n: (-bonds[n], n))[: max(0, room)])


def _make_symmetric(edges: Adjacency) -> Adjacency:
    """Add the reverse of each edge: the neighbours of the last level were not queried."""
    told: dict[int, dict[int, float]] = {n: dict(others) for n, others in edges.items()}
    for n, others in edges.items():
        for other, weight in others.items():
            told.setdefault(other, {}).setdefault(n, weight)
    return told
