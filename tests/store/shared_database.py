"""A database that several servers share, each of which a test opens as a store."""

import psycopg

from memoria.store.postgres.pool import PoolSize
from memoria.store.postgres.store import PostgresStore
from memoria.store.rows.transaction import StoreOptions

KEY = bytes.fromhex("ab" * 32)
"""The key for tombstones with which the databases of tests are begun."""


class Database:
    """A database, and the stores that a test opens in it."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._opened: list[PostgresStore] = []

    def open(self, key: bytes = KEY, connections: int = 8) -> PostgresStore:
        """Open a store, as another server would."""
        size = PoolSize(connections, patience_s=20)
        self._opened.append(PostgresStore(self.address, size, StoreOptions(), key))
        return self._opened[-1]

    def forget_keys(self) -> None:
        """Have the database be one that was never opened with a key."""
        with psycopg.connect(self.address) as raw:
            raw.execute("TRUNCATE settings")

    def close(self) -> None:
        """Close the stores."""
        for one in self._opened:
            one.close()
