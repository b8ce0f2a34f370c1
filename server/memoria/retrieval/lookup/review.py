"""Review: memories that wait for the user's word, each with its source and what it contradicts."""

from collections.abc import Iterable, Iterator, Sequence

from memoria.memories.conditions import conditions_of_turns
from memoria.model import Memory, StoredTurn
from memoria.model.memory import Condition
from memoria.model.provenance import SourcedMemory, WaitingItem, WaitingPage
from memoria.retrieval.lookup.records import mark_conditions
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters

_MOST_AGAINST = 5
"""Most memories that are shown beside one that they contradict."""


def read_pending(tx: Transaction, limit: int, seen: Filters, before: str | None) -> WaitingPage:
    """Read a page of the memories that the user has yet to confirm, newest first.

    Raises:
        NotFoundError: there is no memory `before`.
    """
    found = tx.waiting.list_pending(limit, seen, before)
    items = tuple(_iterate_items(tx, found, seen))
    after = found[-1].id if len(found) == limit else None
    return WaitingPage(items=items, total=tx.waiting.count_pending(seen), after=after)


def read_contradicted(tx: Transaction, limit: int, seen: Filters) -> WaitingPage:
    """Read the pairs of active memories that contradict each other, newest finding first."""
    found = tx.waiting.list_contradicted(limit, seen)
    items = tuple(one for one in _iterate_items(tx, found, seen) if one.against)
    return WaitingPage(items=items, total=tx.waiting.count_contradicted(seen))


def _iterate_items(
    tx: Transaction, memories: Sequence[Memory], seen: Filters
) -> Iterator[WaitingItem]:
    """Yield memories with what they contradict; a pair is told once."""
    rivals = tx.memories.list_contradictions([one.id for one in memories], seen)
    ids = {one.id for one in memories}.union(*rivals.values())
    known = {one.id: one for one in mark_conditions(tx, tx.waiting.list_by_id(sorted(ids)))}
    turns = _read_turns(tx, known.values())
    told = set[frozenset[str]]()
    for memory in (known[one.id] for one in memories if one.id in known):
        against = list[Memory]()
        for other in (known[one] for one in rivals.get(memory.id, ()) if one in known):
            pair = frozenset((memory.id, other.id))
            if pair not in told and _are_seen_together(memory, other):
                told.add(pair)
                against.append(other)
        subject, *others = (
            SourcedMemory(memory=one, turn=turns.get(one.current.provenance.turn_id or ""))
            for one in (memory, *against[:_MOST_AGAINST])
        )
        yield WaitingItem(subject=subject, against=tuple(others))


def _are_seen_together(one: Memory, other: Memory) -> bool:
    return None in (one.project, other.project) or one.project == other.project


def _read_turns(tx: Transaction, memories: Iterable[Memory]) -> dict[str, StoredTurn]:
    """Map ids to the turns from which present wordings were concluded and that may be told."""
    ids = [turn_id for one in memories if (turn_id := one.current.provenance.turn_id)]
    turns = tx.conversations.list_turns_by_id(ids)
    conditions = conditions_of_turns(tx, turns) if turns else {}
    return {one.id: one for one in turns if conditions[one.n] is not Condition.WITHHELD}
