"""Saying that something is not there, and whether it was forgotten."""

from memoria.errors import NotFoundError
from memoria.store.base import Transaction
from memoria.store.values import DocumentKind


def not_found(tx: Transaction, kind: DocumentKind, record_id: str) -> NotFoundError:
    """The error to raise for a memory or turn the tenant does not have."""
    tombstone = tx.tombstones.get(record_id)
    if tombstone is not None:
        return NotFoundError(f"{record_id} {tombstone.epitaph}. It is gone for good.")
    if kind == "memory":
        if tx.conversations.turn(record_id) is None:
            return NotFoundError.for_memory(record_id)
        rest = "a turn, and turns stay as they were said. Give the id of a memory"
    else:
        if tx.memories.get(record_id) is None:
            return NotFoundError.for_turn(record_id)
        rest = "a memory, and no turn. Give the id of a turn"
    return NotFoundError(f"{record_id} is {rest}.")
