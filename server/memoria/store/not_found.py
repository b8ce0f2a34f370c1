"""Errors for a memory or turn that is unknown, or was forgotten."""

from memoria.errors import NotFoundError
from memoria.model import now_millis, to_iso
from memoria.store.rows.transaction import Transaction
from memoria.store.values import DocumentKind, Tombstone


def not_found(tx: Transaction, kind: DocumentKind, record_id: str) -> NotFoundError:
    """Return the error to raise for a memory or turn that the tenant does not have."""
    tombstone = tx.tombstones.get(record_id)
    if tombstone is not None:
        return _forgotten(tx, record_id, tombstone)
    if kind == "memory":
        if tx.conversations.turn(record_id) is None:
            return NotFoundError.for_memory(record_id)
        rest = "a turn, and turns stay as they were said. Give the id of a memory"
    else:
        if tx.memories.get(record_id) is None:
            return NotFoundError.for_turn(record_id)
        rest = "a memory, and no turn. Give the id of a turn"
    return NotFoundError(f"{record_id} is {rest}.")


def _forgotten(tx: Transaction, record_id: str, tombstone: Tombstone) -> NotFoundError:
    told = f"{record_id} {tombstone.epitaph}."
    hiding = tx.tombstones.find_hiding(record_id, now_millis())
    if hiding is None:
        return NotFoundError(f"{told} It is gone for good.")
    cure, until = f"`{hiding.undo_command}`", to_iso(hiding.until)
    return NotFoundError(
        f"{told} It is hidden, and the user can put it back until {until}: {cure}.",
        for_person=f"{told} It is hidden; put it back until {until}: {cure}.",
    )
