"""Log of nightly maintenance's actions on a memory, which its history shows."""

from memoria.model.channel import NIGHTLY_CHANNEL
from memoria.store.rows.transaction import Transaction


def log_action(tx: Transaction, at: int, action: str, memory_id: str, why: str) -> None:
    """Log an action of nightly maintenance on a memory."""
    tx.audit.add(
        at=at, channel=NIGHTLY_CHANNEL, client=None, action=action, subject=memory_id, detail=why
    )
