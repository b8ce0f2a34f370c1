"""Splitting: an entry that is too much for the model at once is queued again as two halves.

A small local model may fail at twenty turns with their related memories where it can read ten.
"""

from memoria.model import QueueKind, new_id, now_millis
from memoria.store.engine import Store
from memoria.store.values import LeasedEntry, NewQueueEntry

_OUTCOME = "too much at once, read in halves"


def split_entry(store: Store, entry: LeasedEntry, owner: str) -> bool:
    """Replace a leased entry by its two halves, unless another worker has leased it by now.

    Return False for an entry that cannot be split: a summary, or a single turn.
    """
    if entry.kind is not QueueKind.EXTRACT or entry.first_index >= entry.last_index:
        return False
    middle = (entry.first_index + entry.last_index) // 2
    with store.write(entry.tenant) as tx:
        present = tx.queue.get_entry(entry.id)
        if present is not None and tx.queue.finish(entry.n, owner, _OUTCOME):
            for first, last in ((entry.first_index, middle), (middle + 1, entry.last_index)):
                tx.queue.add(_half_entry(entry, first, last, present.priority))
    return True


def _half_entry(entry: LeasedEntry, first: int, last: int, priority: int) -> NewQueueEntry:
    return NewQueueEntry(
        id=new_id(),
        kind=entry.kind,
        session_n=entry.session_n,
        first_index=first,
        last_index=last,
        priority=priority,
        reason=entry.reason,
        created_at=now_millis(),
    )
