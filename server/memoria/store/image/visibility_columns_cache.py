"""Standings cache: visibilities and lengths of the documents of one file, by tenant.

A question in a large home meets thousands of documents, each of which would have to be read once.
So from the second such question on all of them are read at once, beside the searches, which go on
as before in the meantime.
"""

import threading
from collections import OrderedDict
from functools import partial
from typing import TYPE_CHECKING

from memoria.store.connection import Connection
from memoria.store.image.background_loader import BackgroundLoader, Connect, Proceed
from memoria.store.image.tenants import StoreTenant, find_tenant
from memoria.store.sql.statements import TenantRows

if TYPE_CHECKING:
    from memoria.store.image.visibility_columns import VisibilityColumns

_MOST_TENANTS = 50


class VisibilityColumnsCache:
    """The standings of the last tenants that asked. Thread-safe."""

    def __init__(self, connect: Connect) -> None:
        """Bind to a file.

        Args:
            connect: opens a connection to the file.
        """
        self._lock = threading.Lock()
        self._held: OrderedDict[int, VisibilityColumns] = OrderedDict()
        self._asked: set[int] = set()
        self._read_at: dict[int, int] = {}
        """Number of its last erasure when all was last read, by tenant."""
        self._reads: BackgroundLoader[int] = BackgroundLoader(connect)

    @property
    def learning(self) -> bool:
        """True if the documents of a large home are being read."""
        return self._reads.is_busy

    def of_tenant(self, tenant: int) -> "VisibilityColumns":
        """Return the standings of a tenant, empty if there are none yet."""
        from memoria.store.image.visibility_columns import VisibilityColumns  # noqa: PLC0415  (brings NumPy)

        with self._lock:
            held = self._held.get(tenant)
            return self._hold(tenant, VisibilityColumns() if held is None else held)

    def find_whole(self, tenant: StoreTenant) -> "VisibilityColumns | None":
        """Return the standings of a tenant if they cover all of its documents; else None."""
        with self._lock:
            held = self._held.get(tenant.number)
        return held if held is not None and held.is_whole(tenant) else None

    def learn(self, tenant: StoreTenant) -> None:
        """Start reading all of a tenant's documents, from the second call on, once per erasure.

        Raises:
            Exception: the error that ended the last reading.
        """
        number = tenant.number
        if self._reads.is_reading(number):
            return
        with self._lock:
            is_first = number not in self._asked
            self._asked.add(number)
            is_known = self._read_at.get(number) == tenant.last_erasure
        if not is_first and not is_known:
            self._reads.start(number, partial(self._read_all, tenant))

    def wait(self) -> None:
        """Wait for the documents that are being read."""
        self._reads.wait()

    def close(self) -> None:
        """Start nothing more, and wait for what is being read."""
        self._reads.close()

    def _read_all(self, tenant: StoreTenant, connection: Connection, proceed: Proceed) -> None:
        from memoria.store.image.visibility_columns import VisibilityColumns  # noqa: PLC0415  (brings NumPy)

        learnt = VisibilityColumns()
        now = find_tenant(connection, tenant.name) or tenant
        learnt.read_all(TenantRows(connection, now.number, "documents"), now, proceed)
        with self._lock:
            self._read_at[now.number] = now.last_erasure
            self._hold(now.number, learnt)

    def _hold(self, tenant: int, standings: "VisibilityColumns") -> "VisibilityColumns":
        self._held[tenant] = standings
        self._held.move_to_end(tenant)
        if len(self._held) > _MOST_TENANTS:
            self._held.popitem(last=False)
        return standings
