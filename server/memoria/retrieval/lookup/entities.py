"""Entities: people, places and things found by name or id, with their memories or in pairs."""

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from itertools import islice

from memoria.errors import InvalidInputError, NotFoundError
from memoria.language.words.analyser import name_key
from memoria.memories.conditions import condition_of_turn, is_withheld
from memoria.memories.entities import Pair
from memoria.model import Edge, Entity, Node
from memoria.model.provenance import EntityMemory, EntityRecord, IncidentEdge, Namesakes
from memoria.retrieval.lookup.provenance import describe_edges, list_incident_edges, other_end
from memoria.retrieval.lookup.records import find_memory, is_short, read_id
from memoria.store.rows.listings import INDEXED_CHARS
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters

_LEAST_SIMILARITY = 0.6
_MOST_SIMILAR = 5
_MOST_COMPARED = 200


def find_entity(
    tx: Transaction, name: str, hops: int, limit: int, visible: Filters
) -> EntityRecord | Namesakes:
    """Read an entity with its memories and turns; return namesakes unless one entity has the name.

    Args:
        tx: where to look.
        name: a name, an alias, an id or the end of an id.
        hops: 1 for the memories that mention the entity, 2 for the links of these as well.
        limit: the most memories and turns together.
        visible: what the asking workspace sees.

    Raises:
        InvalidInputError: the id is that of a memory or a turn.
    """
    found = find_named(tx, name, visible)
    if len(found) == 1:
        return _read_entity(tx, found[0], hops, limit, visible)
    if not found:
        _reject_record_id(tx, name)
    near = () if found else _find_similar_entities(tx, name, visible)
    return Namesakes(name=name, entities=tuple(found), near=tuple(near))


def find_named(tx: Transaction, name: str, visible: Filters) -> list[Entity]:
    """List the entities that a name, an alias, an id or the end of an id may mean."""
    by_id = tx.graph.get_entity(name, visible)
    found = [by_id] if by_id is not None else tx.graph.find_entities([name], visible)
    found = found or list(_find_by_end(tx, name, visible))
    return [one for one in found if _may_be_named(tx, one, visible)]


def _find_by_end(tx: Transaction, name: str, visible: Filters) -> Iterator[Entity]:
    """Yield the entities whose ids end as a name does."""
    end = read_id(name)
    if is_short(end) and len(end) >= INDEXED_CHARS:
        for one in tx.short_ids.list_entities(end):
            entity = tx.graph.get_entity(one, visible) if one.endswith(end) else None
            if entity is not None:
                yield entity


def _read_entity(
    tx: Transaction, entity: Entity, hops: int, limit: int, visible: Filters
) -> EntityRecord:
    node = Node("entity", entity.id)
    mentions: dict[str, list[Edge]] = {}
    turns: list[Edge] = []
    for edge in tx.graph.list_edges(node, visible):
        other = other_end(edge, node)
        if other.kind == "memory":
            mentions.setdefault(other.id, []).append(edge)
        elif other.kind == "turn":
            turns.append(edge)
    mentions = {one: own for one, own in mentions.items() if find_memory(tx, one) is not None}
    turns = [edge for edge in turns if _is_open_turn(tx, other_end(edge, node).id)]
    strongest = sorted(mentions, key=lambda one: (-max(e.weight for e in mentions[one]), one))
    shown = {one: describe_edges(tx, node, mentions[one], visible) for one in strongest[:limit]}
    memories = tuple(_read_entity_memory(tx, one, own, hops, visible) for one, own in shown.items())
    told = {one.memory.current.provenance.turn_id for one in memories}
    newest = sorted(
        (edge for edge in turns if other_end(edge, node).id not in told),
        key=lambda edge: other_end(edge, node).id,
        reverse=True,
    )
    room = limit - len(shown)
    same = (
        None if entity.canonical_id is None else tx.graph.get_entity(entity.canonical_id, visible)
    )
    return EntityRecord(
        entity=entity,
        same_as=same,
        entity_memories=memories,
        omitted=len(strongest) - len(shown),
        entity_turns=describe_edges(tx, node, newest[:room], visible),
        omitted_turns=len(newest[room:]),
    )


def _read_entity_memory(
    tx: Transaction, memory_id: str, own: tuple[IncidentEdge, ...], hops: int, visible: Filters
) -> EntityMemory:
    memory = find_memory(tx, memory_id)
    if memory is None:
        raise NotFoundError.for_memory(memory_id)
    edges = {one.edge for one in own}
    further = list_incident_edges(tx, Node("memory", memory_id), visible) if hops > 1 else ()
    others = tuple(one for one in further if one.edge not in edges)
    return EntityMemory(memory=memory, edges=own, further_edges=others)


def _may_be_named(tx: Transaction, entity: Entity, visible: Filters) -> bool:
    """Return whether an entity may be in an answer: something that may be told has to name it."""
    node = Node("entity", entity.id)
    ends = [other_end(edge, node) for edge in tx.graph.list_edges(node, visible)]
    told = [end for end in ends if end.kind != "entity"]
    return not told or any(_may_be_told(tx, end) for end in told)


def _may_be_told(tx: Transaction, end: Node) -> bool:
    if end.kind == "memory":
        return find_memory(tx, end.id) is not None
    turn = tx.conversations.turn(end.id)
    return turn is not None and not is_withheld(tx, turn)


def _is_open_turn(tx: Transaction, turn_id: str) -> bool:
    """Return whether a turn was told without condition."""
    turn = tx.conversations.turn(turn_id)
    return turn is not None and condition_of_turn(tx, turn) is None


def _reject_record_id(tx: Transaction, name: str) -> None:
    if tx.memories.get(name) is not None or tx.conversations.turn(name) is not None:
        raise InvalidInputError(
            f"{name} is no entity: `memoria show {name}` shows it with what it is linked with."
        )


def _find_similar_entities(tx: Transaction, name: str, visible: Filters) -> list[Entity]:
    """List entities whose names begin alike and read alike."""
    key = name_key(name)
    found: dict[str, Entity] = {}
    for prefix in dict.fromkeys(_prefixes(key)):
        more = tx.graph.by_prefix(prefix, visible, _MOST_COMPARED)
        found.update((entity.id, entity) for entity in more)
    similarity = {
        one.id: max(_name_similarity(key, own) for own in _name_keys(one)) for one in found.values()
    }
    similar = [one for one in found.values() if similarity[one.id] >= _LEAST_SIMILARITY]
    nearest = sorted(similar, key=lambda one: -similarity[one.id])
    named = (one for one in nearest if _may_be_named(tx, one, visible))
    return list(islice(named, _MOST_SIMILAR))


def _prefixes(key: str) -> Iterator[str]:
    """Yield a name, each of its words, and its first character."""
    yield from filter(None, (key, *key.split(), key[:1]))


def _name_keys(entity: Entity) -> Iterable[str]:
    return map(name_key, (entity.name, *entity.aliases))


def _name_similarity(one: str, other: str) -> float:
    """Return the similarity of two names, 0 to 1; a name is similar to a name that it contains."""
    is_contained = one in other or any(word in other.split() for word in one.split())
    return max(0.7 if is_contained else 0.0, SequenceMatcher(None, one, other).ratio())


def choose_pair(tx: Transaction, name: str, other: str, visible: Filters) -> Pair:
    """Return the two entities that two names, aliases or ids mean.

    Among joined entities, a name means the entity whose own name it is.

    Raises:
        NotFoundError: nobody goes by one of the names.
        InvalidInputError: the names mean one entity, or more than two.
    """
    ones, others = (_find_own(tx, each, visible) for each in (name, other))
    pairs = {
        frozenset((one.id, another.id)): (one, another)
        for one in ones
        for another in others
        if one.id != another.id
    }
    if len(pairs) == 1:
        return next(iter(pairs.values()))
    why = "mean one entity" if not pairs else "may mean more than two entities"
    raise InvalidInputError(
        f"{name} and {other} {why}. Say which two by their ids: memoria show NAME shows them."
    )


def _find_own(tx: Transaction, name: str, visible: Filters) -> list[Entity]:
    found = find_named(tx, name, visible)
    if not found:
        raise NotFoundError(f"No memory and no turn is linked with the name {name}.")
    return [own for one in found for own in _own_or_whole(tx, one, name, visible)]


def _own_or_whole(tx: Transaction, whole: Entity, name: str, visible: Filters) -> Iterator[Entity]:
    """Yield the entities joined to a whole that have the name themselves; the whole if none has."""
    joined = (tx.graph.get_entity(one, visible) for one in tx.graph.list_joined(whole.id))
    key = name_key(name)
    own = [one for one in joined if one and key in map(name_key, (one.name, *one.aliases))]
    yield from own or [whole]
