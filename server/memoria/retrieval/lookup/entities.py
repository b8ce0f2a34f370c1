"""Entities: what is known of a person, place or thing, found by its name or id."""

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher

from memoria.errors import InvalidInputError, NotFoundError
from memoria.model import Edge, Entity, Node
from memoria.model.provenance import EntityMemory, EntityRecord, IncidentEdge, Namesakes
from memoria.retrieval.lookup.provenance import describe_edges, list_bonds, other_end
from memoria.store.base import Transaction
from memoria.store.values import Filters
from memoria.text.name import name_key

_LEAST_SIMILARITY = 0.6
_MOST_SIMILAR = 5
_MOST_COMPARED = 200


def find_entity(
    tx: Transaction, name: str, hops: int, limit: int, seen: Filters
) -> EntityRecord | Namesakes:
    """What is known of an entity; where the name names several or none, which there are.

    Args:
        tx: where to look.
        name: a name, an alias or an id.
        hops: 1 for the memories that speak of it, 2 for what these are linked with as well.
        limit: memories at most.
        seen: from where it is looked.

    Raises:
        InvalidInputError: the id is a memory's or a turn's.
    """
    by_id = tx.graph.get_entity(name, seen)
    found = [by_id] if by_id is not None else tx.graph.find_entities([name], seen)
    if len(found) == 1:
        return _read_entity(tx, found[0], hops, limit, seen)
    if not found:
        _reject_record_id(tx, name)
    near = () if found else _find_similar_entities(tx, name, seen)
    return Namesakes(name=name, entities=tuple(found), near=tuple(near))


def _read_entity(
    tx: Transaction, entity: Entity, hops: int, limit: int, seen: Filters
) -> EntityRecord:
    node = Node("entity", entity.id)
    spoken: dict[str, list[Edge]] = {}
    for edge in tx.graph.list_edges(node, seen):
        other = other_end(edge, node)
        if other.kind == "memory":
            spoken.setdefault(other.id, []).append(edge)
    strongest = sorted(spoken, key=lambda one: (-max(e.weight for e in spoken[one]), one))
    shown = {one: describe_edges(tx, node, spoken[one], seen) for one in strongest[:limit]}
    same = None if entity.canonical_id is None else tx.graph.get_entity(entity.canonical_id, seen)
    return EntityRecord(
        entity=entity,
        same_as=same,
        entity_memories=tuple(
            _read_telling(tx, one, own, hops, seen) for one, own in shown.items()
        ),
        omitted=len(strongest) - len(shown),
    )


def _read_telling(
    tx: Transaction, memory_id: str, own: tuple[IncidentEdge, ...], hops: int, seen: Filters
) -> EntityMemory:
    memory = tx.memories.get(memory_id)
    if memory is None:
        raise NotFoundError.for_memory(memory_id)
    edges = {bond.edge for bond in own}
    beyond = list_bonds(tx, Node("memory", memory_id), seen) if hops > 1 else ()
    others = tuple(bond for bond in beyond if bond.edge not in edges)
    return EntityMemory(memory=memory, edges=own, further_edges=others)


def _reject_record_id(tx: Transaction, name: str) -> None:
    if tx.memories.get(name) is not None or tx.conversations.turn(name) is not None:
        raise InvalidInputError(
            f"{name} is no entity: `memoria show {name}` shows it with what it is linked with."
        )


def _find_similar_entities(tx: Transaction, name: str, seen: Filters) -> list[Entity]:
    """Entities whose names begin alike and read alike."""
    key = name_key(name)
    found: dict[str, Entity] = {}
    for prefix in dict.fromkeys(_prefixes(key)):
        more = tx.graph.by_prefix(prefix, seen, _MOST_COMPARED)
        found.update((entity.id, entity) for entity in more)
    likeness = {
        one.id: max(_name_similarity(key, own) for own in _name_keys(one)) for one in found.values()
    }
    alike = [one for one in found.values() if likeness[one.id] >= _LEAST_SIMILARITY]
    return sorted(alike, key=lambda one: -likeness[one.id])[:_MOST_SIMILAR]


def _prefixes(key: str) -> Iterator[str]:
    """What names like this one may begin with: it, each of its words, its first character."""
    yield from filter(None, (key, *key.split(), key[:1]))


def _name_keys(entity: Entity) -> Iterable[str]:
    return map(name_key, (entity.name, *entity.aliases))


def _name_similarity(one: str, other: str) -> float:
    """From 0 to 1; a name that another begins with or holds is like it."""
    held = one in other or any(word in other.split() for word in one.split())
    return max(0.7 if held else 0.0, SequenceMatcher(None, one, other).ratio())
