"""Communities: groups of nodes that are linked more closely than they would be by chance.

Louvain's method (V. Blondel, J.-L. Guillaume, R. Lambiotte, E. Lefebvre, "Fast unfolding of
communities in large networks", 2008), as networkx implements it. It visits the nodes in a random
order; with a fixed seed and sorted edges, the same edges always give the same communities.
"""

from collections.abc import Iterable

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
