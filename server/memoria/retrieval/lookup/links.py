"""Links of a memory and the names in it, for whoever looks it up."""

from collections.abc import Iterator

from memoria.model import EdgeType, Memory, Node
from memoria.model.memory import LinkRelation, MemoryLink
from memoria.model.provenance import IncidentEdge
from memoria.retrieval.lookup.provenance import list_incident_edges
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters

_MOST_LINKS = 12
_NAMING = (EdgeType.ABOUT, EdgeType.MENTIONS, EdgeType.ROLE)
_OUTWARD: dict[EdgeType, LinkRelation] = {
    EdgeType.VERSION_NEXT: "superseded by",
    EdgeType.DERIVED_FROM: "derived from",
}
_INWARD: dict[EdgeType, LinkRelation] = {
    EdgeType.VERSION_NEXT: "supersedes",
    EdgeType.DERIVED_FROM: "source of",
}


def add_links(tx: Transaction, memory: Memory, visible: Filters) -> Memory:
    """Add to a memory the names in it and what it is linked with.

    Args:
        tx: the transaction to read in.
        memory: the memory.
        visible: from where the ends of links must be seen.
    """
    edges = list_incident_edges(tx, Node("memory", memory.id), visible)
    names = (one.other.text for one in edges if one.edge.type in _NAMING and one.other.text)
    links = list(_links_of(edges, memory))[:_MOST_LINKS]
    return memory.model_copy(
        update={"entities": tuple(dict.fromkeys(names)), "links": tuple(links)}
    )


def _links_of(edges: tuple[IncidentEdge, ...], memory: Memory) -> Iterator[MemoryLink]:
    contradicting = {other.id for other in memory.contradicts}
    seen: set[tuple[str, str]] = set()
    for incident in edges:
        other = incident.other
        relation = _relation_of(incident, is_disputed=other.id in contradicting)
        if other.kind == "entity" or relation is None or (relation, other.id) in seen:
            continue
        seen.add((relation, other.id))
        yield MemoryLink(relation=relation, kind=other.kind, id=other.id, text=other.text)


def _relation_of(incident: IncidentEdge, *, is_disputed: bool) -> LinkRelation | None:
    """Return the memory's relation to the other end; None for what only came before it."""
    kind = incident.edge.type
    if kind is EdgeType.TEMPORAL_NEXT:
        return None
    if kind is EdgeType.CONTRADICTS:
        return "contradicts" if is_disputed else None  # another wording than the present ones
    by_direction = _OUTWARD if incident.outward else _INWARD
    return by_direction.get(kind, "related")
