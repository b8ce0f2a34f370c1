"""Pairs of memories that a model has found to speak of two things: nobody asks it again.

They stand in the audit log by their ids. A memory that says something else since is another matter.
"""

from collections.abc import Iterable

from memoria.model import Memory
from memoria.store.rows.transaction import Transaction

APART = "apart"
"""What the log calls it: the line is of the one memory, and its detail is the id of the other."""


def list_apart(tx: Transaction, memories: Iterable[Memory]) -> set[tuple[str, str]]:
    """List the pairs of these memories that are noted and say the same as then.

    The smaller id comes first.
    """
    by_id = {memory.id: memory for memory in memories}
    found = set[tuple[str, str]]()
    for memory in by_id.values():
        for line in tx.audit.list_entries(memory.id):
            other = by_id.get(line.detail or "") if line.action == APART else None
            if other and line.at >= max(memory.current.ingested_at, other.current.ingested_at):
                found.add((min(memory.id, other.id), max(memory.id, other.id)))
    return found
