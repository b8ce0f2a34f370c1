"""Connections that the threads of a process share.

A connection is made by the thread that needs it, when none is idle. While the server does not
answer, that thread tries again and again, so that the first try after an outage comes at once.
"""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import psycopg

from memoria.errors import StoreUnavailableError

_TRY_EVERY_S = 0.2
_BUSY = (
    "The store is busy: all {} connections of this process to the database are in use. Nothing was "
    "written. Try again; if it goes on, raise MEMORIA_DATABASE_CONNECTIONS."
)
_AWAY = (
    "The database's server does not answer ({}). Nothing was written. Check that it runs, then try "
    "again."
)
MAKE_ROOM = (
    "Nothing was written. Each process opens up to MEMORIA_DATABASE_CONNECTIONS connections: lower "
    "that, or raise max_connections of the server."
)
_FULL = f"The database's server takes no more connections ({{}}). {MAKE_ROOM}"
_SAYS_FULL = ("too many", "connection slots")


def is_full(error: psycopg.OperationalError) -> bool:
    """Check whether a server refuses a connection as it has too many; no code says so."""
    return any(words in str(error) for words in _SAYS_FULL)


class PoolSize(NamedTuple):
    """Limits of a pool."""

    connections: int
    patience_s: float
    """Time to wait for a connection, for a lock, and for the server to answer at all."""


class SharedConnections:
    """Pool of connections to one database. Thread-safe."""

    def __init__(self, connect: Callable[[], psycopg.Connection[Any]], size: PoolSize) -> None:
        """Create the pool, still empty.

        Args:
            connect: makes a connection.
            size: the limits.
        """
        self._connect = connect
        self._size = size
        self._free = threading.BoundedSemaphore(size.connections)
        self._lock = threading.Lock()
        self._idle: list[psycopg.Connection[Any]] = []
        self._is_closed = False

    def take(self) -> psycopg.Connection[Any]:
        """Take a connection, to be given back; wait for one as long as the patience lasts.

        Raises:
            StoreUnavailableError: all are in use, the server does not answer, or it is closed.
        """
        deadline = time.monotonic() + self._size.patience_s
        if not self._free.acquire(timeout=self._size.patience_s):
            raise StoreUnavailableError(_BUSY.format(self._size.connections))
        try:
            return self._take_until(deadline)
        except BaseException:
            self._free.release()
            raise

    def take_at_once(self) -> psycopg.Connection[Any] | None:
        """Take a connection if one can be had without waiting; else return None."""
        if not self._free.acquire(blocking=False):
            return None
        try:
            return self._find_idle() or self._connect()
        except psycopg.OperationalError:
            self._free.release()
            return None
        except BaseException:
            self._free.release()
            raise

    def give_back(self, raw: psycopg.Connection[Any]) -> None:
        """Give a connection back; one that broke is closed, and so are those that were idle."""
        if raw.closed:
            self._close_idle()
        elif self._is_closed:
            raw.close()
        else:
            with self._lock:
                self._idle.append(raw)
        self._free.release()

    def close(self) -> None:
        """Close all connections; those in use are closed when they are given back."""
        self._is_closed = True
        self._close_idle()

    def _find_idle(self) -> psycopg.Connection[Any] | None:
        if self._is_closed:
            raise StoreUnavailableError("The store is closed. Open the memory again.")
        with self._lock:
            return self._idle.pop() if self._idle else None

    def _take_until(self, deadline: float) -> psycopg.Connection[Any]:
        """Take a connection that idles, or a new one; try until a moment of the monotonic clock.

        Where the server is full, a process goes on with those that it has.
        """
        while True:
            try:
                return self._find_idle() or self._connect()
            except psycopg.OperationalError as error:
                if time.monotonic() > deadline:
                    reason = str(error).partition("\n")[0].rstrip(".")
                    problem = _FULL if is_full(error) else _AWAY
                    raise StoreUnavailableError(problem.format(reason)) from error
            time.sleep(_TRY_EVERY_S)

    def _close_idle(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for raw in idle:
            with suppress(psycopg.Error):
                raw.close()
