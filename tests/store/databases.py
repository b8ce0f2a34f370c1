"""A database of a test's own, whose owner is held by row-level security."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

import psycopg
from tests.store.postgres import PostgresServer

from memoria.store.postgres.connections import PoolSize
from memoria.store.postgres.schema import migrate
from memoria.store.postgres.store import PostgresStore
from memoria.store.rows.transaction import StoreOptions

KEY = bytes(range(32))
_NUMBERS = count()


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

    def clear(self) -> None:
        """Close the stores, and delete files and keys."""
        while self._opened:
            self._opened.pop().close()
        with psycopg.connect(self.address) as raw:
            raw.execute("TRUNCATE files, settings")


@contextmanager
def make_database(server: PostgresServer) -> Iterator[Database]:
    """Make a database with empty tables, and drop it in the end."""
    name = f"own_{next(_NUMBERS)}"
    with psycopg.connect(server.address, autocommit=True) as admin:
        admin.execute(f"CREATE ROLE {name} LOGIN NOSUPERUSER NOBYPASSRLS")
        admin.execute(f"CREATE DATABASE {name} OWNER {name}")
        address = f"{server.address.partition(' ')[0]} user={name} dbname={name}"
        try:
            with psycopg.connect(address, autocommit=True) as raw:
                migrate(raw)
            yield Database(address)
        finally:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
            admin.execute(f"DROP ROLE {name}")
