"""What a process knows of the documents of one file: of each tenant, how its documents stand.

A question in a large home meets thousands of documents, each of which would have to be read once.
So from the second such question on all of them are read at once, a second for a million, beside
the searches, which go on as before in the meantime.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING

from memoria.store.sqlite.driver import Connection
from memoria.store.sqlite.rows import TenantRows
from memoria.store.sqlite.tenants import StoreTenant, find_tenant

if TYPE_CHECKING:
    from memoria.store.sqlite.standings import Standings

Connect = Callable[[], Connection]
_MOST_TENANTS = 50


class StandingsCache:
    """The standings of the last tenants that asked. Thread-safe."""

    def __init__(self, connect: Connect) -> None:
        """Nothing is known yet.

        Args:
            connect: opens a connection to the file.
        """
        self._connect = connect
        self._lock = threading.Lock()
        self._held: OrderedDict[int, Standings] = OrderedDict()
        self._asked: set[int] = set()
        self._read_at: dict[int, int] = {}
        """By tenant, its last erasure when all was read last."""
        self._reading: dict[int, threading.Thread] = {}
        self._failed: dict[int, Exception] = {}
        self._closed = threading.Event()

    @property
    def learning(self) -> bool:
        """Whether the documents of a large home are being read."""
        with self._lock:
            return bool(self._reading)

    def of_tenant(self, tenant: int) -> "Standings":
        """What is known of a tenant's documents."""
        from memoria.store.sqlite.standings import Standings  # noqa: PLC0415  (brings NumPy)

        with self._lock:
            held = self._held.get(tenant)
            return self._hold(tenant, Standings() if held is None else held)

    def learn(self, tenant: StoreTenant) -> None:
        """Have all of a tenant's documents read, from the second time on, once an erasure.

        Raises:
            Exception: what kept the last reading from its end.
        """
        number = tenant.number
        with self._lock:
            if error := self._failed.pop(number, None):
                raise error
            is_first = number not in self._asked
            self._asked.add(number)
            is_known = self._read_at.get(number) == tenant.last_erasure
            if is_first or is_known or number in self._reading or self._closed.is_set():
                return
            thread = threading.Thread(target=self._read_all, args=(tenant,), daemon=True)
            self._reading[number] = thread
            thread.start()

    def close(self) -> None:
        """Read nothing more."""
        self._closed.set()
        with self._lock:
            reading = list(self._reading.values())
        for thread in reading:
            thread.join()

    def _read_all(self, tenant: StoreTenant) -> None:
        from memoria.store.sqlite.standings import Standings  # noqa: PLC0415  (brings NumPy)

        learnt = Standings()
        try:
            with closing(self._connect()) as connection:
                connection.execute("BEGIN")
                now = find_tenant(connection, tenant.name) or tenant
                rows = TenantRows(connection, now.number, "documents")
                learnt.read_all(rows, now, lambda: not self._closed.is_set())
            with self._lock:
                self._read_at[now.number] = now.last_erasure
                self._hold(now.number, learnt)
        except Exception as error:  # noqa: BLE001  (the next search raises it)
            self._failed[tenant.number] = error
        finally:
            with self._lock:
                del self._reading[tenant.number]

    def _hold(self, tenant: int, standings: "Standings") -> "Standings":
        self._held[tenant] = standings
        self._held.move_to_end(tenant)
        if len(self._held) > _MOST_TENANTS:
            self._held.popitem(last=False)
        return standings
