"""Entities joined and parted: two names of one person, place or thing, on somebody's word.

That two entities go by one name is a sign that they are one, and no more: it is proposed, and who
knows says which it is. A model that gives somebody two names has said so, and joins whoever is on
record under the second. What the user has parted is neither proposed nor joined by a model any
more. Each keeps the names and links that are its own, so that nothing is lost either way.
"""

from collections.abc import Iterator
from itertools import islice

from memoria.errors import InvalidInputError
from memoria.language.names.keys import USER
from memoria.language.words.name import name_key
from memoria.model import Entity, Memory, Mention, Node, Trust, Validity
from memoria.model.channel import EXTRACTION_CHANNEL, Channel
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters

JOINED = "join entity"
PARTED = "part entity"
_PROPOSED = "propose to join entity"
_MOST_PAIRS = 1000
"""Most pairs of one name that are looked at for what may be proposed."""
_BY_MODEL = Channel(name=EXTRACTION_CHANNEL, trust=Trust.REPORTED)
Pair = tuple[Entity, Entity]


def join_entities(tx: Transaction, pair: Pair, channel: Channel, now: int) -> None:
    """Let the first of two entities be the same as the second, and say so in the log.

    Raises:
        InvalidInputError: they are one already.
    """
    one, into = pair
    if _whole(one) == _whole(into):
        raise InvalidInputError(f"{one.name} and {into.name} are one already.")
    tx.graph.merge_entities(one.id, into.id)
    _log(tx, JOINED, pair, channel, now)


def part_entities(tx: Transaction, pair: Pair, channel: Channel, now: int) -> None:
    """Part two entities, and remember that they are two."""
    one, other = pair
    if _whole(one) == _whole(other):
        member = one if one.canonical_id is not None else other
        tx.graph.split_entity(member.id)
    _log(tx, PARTED, pair, channel, now)


def join_as_read(tx: Transaction, memory: Memory, mention: Mention, entity: Node, now: int) -> None:
    """Join an entity with whoever is on record under another name that a model gives it.

    A memory that waits for the user's word joins nobody.

    Args:
        tx: the transaction that stored the memory.
        memory: in which a model has read the mention.
        mention: a name, and others of the same.
        entity: as which it was known again.
        now: UTC epoch milliseconds.
    """
    seen = Filters(workspace=memory.workspace)
    own = tx.graph.get_entity(entity.id, seen)
    if own is None or memory.validity is not Validity.ACTIVE or USER in _keys(own):
        return
    for other in tx.graph.find_entities(mention.names, seen):
        if _may_be_one(own, other) and not _has_entry(tx, PARTED, (own, other)):
            join_entities(tx, (other, own), _BY_MODEL, now)


def _may_be_one(one: Entity, other: Entity) -> bool:
    """Return whether two of one name may be one: of one kind, and told apart by no word."""
    is_one_kind = one.kind == other.kind or "other" in (one.kind, other.kind)
    is_told_apart = one.distinct is not None or other.distinct is not None
    return is_one_kind and not is_told_apart and _whole(one) != _whole(other)


def list_proposals(tx: Transaction, visible: Filters, limit: int) -> list[Pair]:
    """List pairs of entities that may be one: as seen from there they go by one name."""
    return list(islice(_iterate_proposals(tx, visible), limit))


def list_new_proposals(tx: Transaction, visible: Filters, limit: int) -> list[Pair]:
    """List the proposals that no night has named."""
    new = (pair for pair in _iterate_proposals(tx, visible) if not _has_entry(tx, _PROPOSED, pair))
    return list(islice(new, limit))


def note_proposal(tx: Transaction, pair: Pair, channel: Channel, now: int) -> None:
    """Note that a night has named two entities that may be one."""
    _log(tx, _PROPOSED, pair, channel, now)


def _iterate_proposals(tx: Transaction, visible: Filters) -> Iterator[Pair]:
    for ids in tx.graph.list_same_named(_MOST_PAIRS):
        one, other = (tx.graph.get_entity(entity_id, visible) for entity_id in ids)
        if one and other and _keys(one) & _keys(other) and not _has_entry(tx, PARTED, (one, other)):
            yield one, other


def _keys(entity: Entity) -> frozenset[str]:
    return frozenset(map(name_key, (entity.name, *entity.aliases)))


def _whole(entity: Entity) -> str:
    return entity.canonical_id or entity.id


def _has_entry(tx: Transaction, action: str, pair: Pair) -> bool:
    """Return whether the log has an action on a pair, whichever was named first."""
    return any(
        entry.action == action and entry.detail == against.id
        for entity, against in (pair, pair[::-1])
        for entry in tx.audit.list_entries(entity.id)
    )


def _log(tx: Transaction, action: str, pair: Pair, channel: Channel, now: int) -> None:
    one, other = pair
    tx.audit.add(
        at=now,
        channel=channel.name,
        client=channel.client,
        action=action,
        subject=one.id,
        detail=other.id,
    )
