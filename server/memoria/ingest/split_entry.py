"""Splitting: an entry that is too much for the model at once is queued again as two halves.

A small local model may fail at twenty turns with their related memories where it can read ten.
"""

from memoria.model import QueueKind, new_id, now_millis
from memoria.store.base import Store
from memoria.store.values import LeasedEntry, NewQueueEntry

_OUTCOME = "too much at once, read in halves"


def split_entry(store: Store, work: LeasedEntry, owner: str) -> bool:
    """Replace a leased entry by its two halves, unless another worker has leased it by now.

    Gives False for an entry that cannot be split: a summary, or a single turn.
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
