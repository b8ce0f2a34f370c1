"""Saying that something is not there, and whether it was forgotten."""

from memoria.errors import NotFoundError
from memoria.store.base import Transaction
from memoria.store.values import DocumentKind


def not_found(tx: Transaction, kind: DocumentKind, record_id: str) -> NotFoundError:
    """The error to raise for a memory or turn the tenant does not have."""
    tombstone = tx.tombstones.get(record_id)
    if tombstone is not None:
        return NotFoundError(f"{record_id} {tombstone.epitaph}. It is gone for good.")
    return (
        NotFoundError.for_memory(record_id)
        if kind == "memory"
        else NotFoundError.for_turn(record_id)
    )
