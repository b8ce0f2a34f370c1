"""The ledger that calls to chat models are entered in: each entry a transaction of its own.

An entry must be on disk before the model is asked, so that neither a crash nor another process can
spend the same tokens a second time.
"""

from memoria.model import DAY_MS, DailyCap, ModelCall
from memoria.store.engine import Store
from memoria.store.rows.transaction import Transaction


class StoreLedger:
    """A store as a ledger. Its methods may be called from any thread."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def reserve(self, tenant: str, call: ModelCall, since: int, cap: DailyCap) -> int | None:
        """Enter a call that is about to be made, and return its number.

        None if the tenant's entries of the day that began at `since` would come to more than the
        cap.
        """
        with self._store.write(tenant, only_adds=True) as tx:
            return enter_call(tx, call, since, cap)

    def settle(self, tenant: str, n: int, call: ModelCall) -> None:
        """Set the outcome and the cost of an entry's call."""
        with self._store.write(tenant, only_adds=True) as tx:
            tx.ledger.settle(n, call)


def enter_call(tx: Transaction, call: ModelCall, since: int, cap: DailyCap) -> int | None:
    """Enter a call that is about to be made, if the day allows it; see `StoreLedger.reserve`."""
    spent = tx.ledger.spending(since, since + DAY_MS)
    return tx.ledger.add(call) if cap.allows(call, spent) else None
