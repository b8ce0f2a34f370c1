"""What nightly maintenance did to a memory, in the log that its history shows."""

from memoria.model.channel import NIGHTLY_CHANNEL
from memoria.store.rows.transaction import Transaction


def log_action(tx: Transaction, at: int, action: str, memory_id: str, why: str) -> None:
    """Log that nightly maintenance did this."""
    tx.audit.add(
        at=at, channel=NIGHTLY_CHANNEL, client=None, action=action, subject=memory_id, detail=why
    )
