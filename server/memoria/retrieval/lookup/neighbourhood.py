"""Neighbourhoods: an entity with what names it, and the entities and memories around that."""

from collections.abc import Sequence

from memoria.memories.conditions import conditions_of_turns
from memoria.model import Entity, Node, StoredTurn
from memoria.model.memory import Condition
from memoria.model.provenance import Namesakes, Neighbourhood
from memoria.retrieval.lookup.records import is_short, mark_conditions, read_id
from memoria.store.rows.entities import NamePlace
from memoria.store.rows.listings import INDEXED_CHARS
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters

_MEMORIES, _TURNS = 24, 8
"""Most memories and turns that are shown of those that name an entity."""
_AROUND = 35
"""Most other entities and memories in a neighbourhood."""
_LINKS = 150
_LOOKED_AT = 3
"""Memories and turns by which a listed entity may be named, of either."""
_NEAR = 5


def read_neighbourhood(tx: Transaction, name: str, visible: Filters) -> Neighbourhood | Namesakes:
    """Read the neighbourhood of an entity; return namesakes unless one entity has the name.

    Args:
        tx: where to look.
        name: a name, an alias, an id or the end of an id.
        visible: what the asking workspace sees.
    """
    found = list_open_entities(tx, _find_candidates(tx, name, visible), visible, _MEMORIES)
    if len(found) != 1:
        near = () if found else list_names(tx, name[:1], None, visible, _NEAR)[0]
        return Namesakes(name=name, entities=tuple(found), near=tuple(near))
    entity = found[0]
    naming = tx.graph.list_naming([entity], visible, _MEMORIES)[entity.id]
    ids = [one.id for one in naming if one.kind == "memory"]
    named = {one.id: one for one in mark_conditions(tx, tx.waiting.list_by_id(ids))}
    links = tx.graph.list_links(entity, [one for one in ids if one in named], visible, _LINKS)
    around = dict.fromkeys(
        end for one in links for end in (one.src, one.dst) if end.id not in {entity.id, *named}
    )
    canonical = entity.canonical_id
    ends = [end for end in around if end.id != canonical and end.kind != "turn"][:_AROUND]
    others = tx.waiting.list_by_id([end.id for end in ends if end.kind == "memory"])
    return Neighbourhood(
        entity=entity,
        memories=tuple(named[one] for one in ids if one in named),
        turns=tuple(_read_turns(tx, [one.id for one in naming if one.kind == "turn"])[:_TURNS]),
        entities=tuple(
            tx.graph.list_entities([end.id for end in ends if end.kind == "entity"], visible)
        ),
        others=tuple(mark_conditions(tx, others)),
        links=tuple(links),
    )


def list_names(
    tx: Transaction, begins: str, after: NamePlace | None, visible: Filters, limit: int
) -> tuple[list[Entity], NamePlace | None]:
    """List entities in the order of their names, and where the list goes on."""
    found, end = tx.graph.list_by_name(begins, after, visible, limit)
    return list_open_entities(tx, found, visible), end


def list_open_entities(
    tx: Transaction, entities: Sequence[Entity], visible: Filters, each: int = _LOOKED_AT
) -> list[Entity]:
    """Select the entities that may be told: not all that names them is to be kept out of answers.

    Args:
        tx: where to look.
        entities: the entities.
        visible: what the asking workspace sees.
        each: how many memories and turns are looked at for an entity, the strongest of either.
    """
    naming = tx.graph.list_naming(entities, visible, each) if entities else {}
    nodes = {node for own in naming.values() for node in own}
    memories = tx.waiting.list_by_id(sorted(one.id for one in nodes if one.kind == "memory"))
    turns = _read_turns(tx, sorted(one.id for one in nodes if one.kind == "turn"))
    told = {Node("memory", one.id) for one in mark_conditions(tx, memories)}
    told |= {Node("turn", one.id) for one in turns}
    return [one for one in entities if not naming[one.id] or not told.isdisjoint(naming[one.id])]


def _find_candidates(tx: Transaction, name: str, visible: Filters) -> list[Entity]:
    """List the entities that a name, an alias, an id or the end of an id may mean."""
    by_id = tx.graph.get_entity(name, visible)
    found = [by_id] if by_id is not None else tx.graph.find_entities([name], visible)
    end = read_id(name)
    if found or not is_short(end) or len(end) < INDEXED_CHARS:
        return found
    ids = [one for one in tx.short_ids.list_entities(end) if one.endswith(end)]
    return tx.graph.list_entities(ids, visible)


def _read_turns(tx: Transaction, ids: Sequence[str]) -> list[StoredTurn]:
    """Return the turns with these ids that may be in an answer, in the order of the ids."""
    turns = tx.conversations.list_turns_by_id(ids)
    conditions = conditions_of_turns(tx, turns) if turns else {}
    told = {one.id: one for one in turns if conditions[one.n] is not Condition.WITHHELD}
    return [told[one] for one in ids if one in told]
