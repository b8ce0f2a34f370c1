"""Review: memories that wait for the user's word, each with its source and what it contradicts."""

from collections.abc import Iterable, Iterator

from memoria.model import Memory
from memoria.model.provenance import ReviewItem, ReviewPage, SourcedMemory
from memoria.retrieval.lookup.provenance import read_present_wording
from memoria.retrieval.lookup.records import find_memory, mark_conditions
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters

_MOST_AGAINST = 5
"""Most memories that are shown beside one that they contradict."""


def read_pending(tx: Transaction, limit: int, seen: Filters, before: str | None) -> ReviewPage:
    """Read a page of the memories that the user has yet to confirm, newest first.

    Raises:
        NotFoundError: there is no memory `before`.
    """
    found = tx.waiting.list_pending(limit, seen, before)
    items = tuple(_iterate_items(tx, found, seen))
    after = found[-1].id if len(found) == limit else None
    return ReviewPage(items=items, total=tx.waiting.count_pending(seen), after=after)


def read_contradicted(tx: Transaction, limit: int, seen: Filters) -> ReviewPage:
    """Read the pairs of active memories that contradict each other, newest finding first."""
    found = tx.waiting.list_contradicted(limit, seen)
    items = tuple(one for one in _iterate_items(tx, found, seen) if one.against)
    return ReviewPage(items=items, total=tx.waiting.count_contradicted(seen))


def _iterate_items(
    tx: Transaction, memories: Iterable[Memory], seen: Filters
) -> Iterator[ReviewItem]:
    """Yield memories with what they contradict; a pair is told once."""
    told = set[frozenset[str]]()
    for memory in mark_conditions(tx, list(memories)):
        others = tx.memories.list_contradictions([memory.id], seen).get(memory.id, ())
        against = list[Memory]()
        for other in (find_memory(tx, one) for one in others):
            if other is None or frozenset((memory.id, other.id)) in told:
                continue
            if None in (memory.project, other.project) or memory.project == other.project:
                told.add(frozenset((memory.id, other.id)))
                against.append(other)
        yield ReviewItem(
            subject=_add_source(tx, memory),
            against=tuple(_add_source(tx, one) for one in against[:_MOST_AGAINST]),
        )


def _add_source(tx: Transaction, memory: Memory) -> SourcedMemory:
    return SourcedMemory(memory=memory, wording=read_present_wording(tx, memory))
