"""Joined transactions: what reads and writes files does so in the open transaction of its thread.

Files and rows of one change then last together or not at all, and nobody who has a connection waits
for a second one.
"""

import contextlib
import threading
from collections.abc import Iterator
from typing import NamedTuple, Protocol

from memoria.store.connection import Connection


class TenantConnection(NamedTuple):
    """A connection inside of a tenant's transaction."""

    connection: Connection
    tenant: str
    number: int
    """Number of the tenant; 0 if it has nothing yet."""
    writes: bool


class OpensTransactions(Protocol):
    """A store, as far as it begins transactions, which it notes."""

    def read(self, tenant: str) -> contextlib.AbstractContextManager[object]:
        """Begin a transaction that reads one snapshot of a tenant's rows."""
        ...

    def write(self, tenant: str) -> contextlib.AbstractContextManager[object]:
        """Begin a transaction that changes a tenant's rows, and for which other writers wait."""
        ...

    def open_home(self, *, writes: bool) -> contextlib.AbstractContextManager[Connection]:
        """Begin a transaction on the rows that are of no tenant."""
        ...


class JoinedTransactions:
    """The transactions that are open in each thread, and how others are begun."""

    def __init__(self, store: OpensTransactions) -> None:
        self._store = store
        self._threads = threading.local()

    @contextlib.contextmanager
    def note(self, opened: TenantConnection) -> Iterator[None]:
        """Note a transaction of this thread for as long as the block runs."""
        stack: list[TenantConnection] = self._threads.__dict__.setdefault("open", [])
        stack.append(opened)
        try:
            yield
        finally:
            stack.remove(opened)

    @contextlib.contextmanager
    def join(self, tenant: str, *, writes: bool = False) -> Iterator[TenantConnection]:
        """Yield a connection in the tenant's transaction of this thread, else in one of its own.

        Args:
            tenant: the name of the tenant.
            writes: True for who changes something.
        """
        found = self._find(tenant, writes=writes)
        if found is not None:
            yield found
            return
        with self._store.write(tenant) if writes else self._store.read(tenant):
            own = self._find(tenant, writes=writes)
            if own is None:
                raise RuntimeError("the store has not noted its transaction")
            yield own

    @contextlib.contextmanager
    def join_any(self, *, writes: bool = False) -> Iterator[Connection]:
        """Yield a connection for rows that are of no tenant, in whichever transaction is open."""
        found = self._find(None, writes=writes)
        if found is not None:
            yield found.connection
            return
        with self._store.open_home(writes=writes) as connection:
            yield connection

    def _find(self, tenant: str | None, *, writes: bool) -> TenantConnection | None:
        stack: list[TenantConnection] = self._threads.__dict__.get("open", [])
        for one in reversed(stack):
            if tenant in (None, one.tenant) and (one.writes or not writes):
                return one
        return None
