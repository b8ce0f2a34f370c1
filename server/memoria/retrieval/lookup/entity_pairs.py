"""Entity pairs: the two entities that somebody means who says that they are one, or two."""

from collections.abc import Iterator

from memoria.errors import InvalidInputError, NotFoundError
from memoria.language.words.name import name_key
from memoria.memories.entities import Pair
from memoria.model import Entity
from memoria.retrieval.lookup.entities import find_named
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters


def choose_pair(tx: Transaction, name: str, other: str, visible: Filters) -> Pair:
    """Return the two entities that two names, aliases or ids mean.

    Of what is joined already each name means the one that has it as its own.

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
    """Yield the entities joined to one that have the name themselves; itself if none has."""
    joined = (tx.graph.get_entity(one, visible) for one in tx.graph.list_joined(whole.id))
    key = name_key(name)
    own = [one for one in joined if one and key in map(name_key, (one.name, *one.aliases))]
    yield from own or [whole]
