"""Communities: which nodes hang together more closely than chance would have it.

Louvain's method (V. Blondel, J.-L. Guillaume, R. Lambiotte, E. Lefebvre, "Fast unfolding of
communities in large networks", 2008), as networkx has it. It visits nodes in an order of chance;
with a seed and with ties put in order beforehand, the same ties give the same communities.
"""

from collections.abc import Iterable

WeightedEdge = tuple[int, int, float]
"""Two nodes and how strongly they are bound; which comes first does not matter."""
Community = tuple[int, ...]
"""Its nodes, by number."""

_SEED = 2008
_MAX_MEMBERS = 20
"""Members of a community that is not divided further: more than that are no one theme."""


def find_communities(
    ties: Iterable[WeightedEdge], *, least: int = 3, most: int = _MAX_MEMBERS
) -> list[Community]:
    """The communities of a graph, largest first, whatever the order of its ties.

    Of ties between the same two nodes the strongest counts; one of no strength, or of a node with
    itself, binds nothing.

    Args:
        ties: of the graph.
        least: members below which there is no community.
        most: members above which one is divided again, as far as it can be.
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
    """The parts of a graph; those that are too large are taken for graphs of their own."""
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
    import networkx as nx  # noqa: PLC0415  (0.2 s; only a night pays for it)

    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(sorted({n for pair in bonds for n in pair}))
    graph.add_weighted_edges_from((*pair, weight) for pair, weight in bonds.items())
    found = nx.community.louvain_communities(graph, weight="weight", seed=_SEED)
    return sorted(tuple(sorted(part)) for part in found)
