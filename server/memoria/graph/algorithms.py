"""Graph algorithms: the neighbourhood of some nodes, personalised PageRank, and communities."""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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
    seeds: Sequence[int], hops: int, neighbours: FetchNeighbours, limit: int = 500
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


WeightedEdge = tuple[int, int, float]
"""Two nodes, in either order, and the strength of the link between them."""
Community = tuple[int, ...]
"""The numbers of its nodes."""
_SEED = 2008
_MAX_MEMBERS = 20
"""Largest community that is left whole: more nodes than that have no common theme."""


def find_communities(
    ties: Iterable[WeightedEdge], *, least: int = 3, most: int = _MAX_MEMBERS
) -> list[Community]:
    """Find the communities of a graph, largest first.

    The result does not depend on the order of the edges. Of several edges between the same two
    nodes the strongest counts. Edges without strength, and loops, are ignored.

    Args:
        ties: the edges of the graph.
        least: the smallest community that is returned.
        most: a larger community is divided again, if it can be.
    """
    bonds = _bonds(ties)
    found = [part for part in _parts(bonds, most) if len(part) >= least]
    return sorted(found, key=lambda part: (-len(part), part))


def _bonds(ties: Iterable[WeightedEdge]) -> dict[tuple[int, int], float]:
    bonds: dict[tuple[int, int], float] = {}
    for one, other, weight in ties:
        if one != other and weight > 0:
            pair = (min(one, other), max(one, other))
            bonds[pair] = max(weight, bonds.get(pair, 0.0))
    return dict(sorted(bonds.items()))


def _parts(bonds: dict[tuple[int, int], float], most: int) -> list[Community]:
    """Divide a graph, and divide each part that is too large as a graph of its own."""
    parts = _louvain(bonds)
    if len(parts) <= 1:
        return parts
    home = {n: place for place, part in enumerate(parts) for n in part if len(part) > most}
    inside: dict[int, dict[tuple[int, int], float]] = {place: {} for place in home.values()}
    for (one, other), weight in bonds.items():
        if one in home and home[one] == home.get(other):
            inside[home[one]][one, other] = weight
    small = [part for part in parts if len(part) <= most]
    return small + [part for graph in inside.values() for part in _parts(graph, most)]


def _louvain(bonds: dict[tuple[int, int], float]) -> list[Community]:
    if not bonds:
        return []
    import networkx as nx  # noqa: PLC0415  (importing takes 0.2 s; only nightly maintenance needs it)

    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(sorted({n for pair in bonds for n in pair}))
    graph.add_weighted_edges_from((*pair, weight) for pair, weight in bonds.items())
    found = nx.community.louvain_communities(graph, weight="weight", seed=_SEED)
    return sorted(tuple(sorted(part)) for part in found)
