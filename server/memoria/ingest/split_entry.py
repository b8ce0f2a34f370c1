"""Halve: a stretch that is too much for a model at once is read in two pieces.

A model on a desk reads a few thousand tokens and writes a few dozen a second: twenty turns and what
is known of them may be beyond it where ten are not.
"""

from memoria.model import QueueKind, new_id, now_millis
from memoria.store.base import Store
from memoria.store.values import LeasedEntry, NewQueueEntry

_OUTCOME = "too much at once, read in halves"


def split_entry(store: Store, work: LeasedEntry, owner: str) -> bool:
    """Put the two halves of a leased entry in its place.

    Nothing changes where another worker has it by now. False where there is nothing to divide: an
    episode is of its whole stretch, and a turn is one.
    """
    if work.kind is not QueueKind.EXTRACT or work.first_index >= work.last_index:
        return False
    middle = (work.first_index + work.last_index) // 2
    with store.write(work.tenant) as tx:
        entry = tx.queue.get_entry(work.id)
        if entry is not None and tx.queue.finish(work.n, owner, _OUTCOME):
            for first, last in ((work.first_index, middle), (middle + 1, work.last_index)):
                tx.queue.add(_half_entry(work, first, last, entry.priority))
    return True


def _half_entry(work: LeasedEntry, first: int, last: int, priority: int) -> NewQueueEntry:
    return NewQueueEntry(
        id=new_id(),
        kind=work.kind,
        session_n=work.session_n,
        first_index=first,
        last_index=last,
        priority=priority,
        reason=work.reason,
        created_at=now_millis(),
    )
