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
_ROLE, _PATTERN = "owner", "pattern"
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

    def close(self) -> None:
        """Close the stores."""
        for one in self._opened:
            one.close()


@contextmanager
def make_database(server: PostgresServer) -> Iterator[Database]:
    """Make a database with empty tables, and drop it in the end."""
    name = f"own_{next(_NUMBERS)}"
    folder = server.address.partition(" ")[0]
    with psycopg.connect(server.address, autocommit=True) as admin:
        if not admin.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (_ROLE,)).fetchone():
            admin.execute(f"CREATE ROLE {_ROLE} LOGIN NOSUPERUSER NOBYPASSRLS")
            admin.execute(f"CREATE DATABASE {_PATTERN} OWNER {_ROLE}")
            pattern = f"{folder} user={_ROLE} dbname={_PATTERN}"
            with psycopg.connect(pattern, autocommit=True) as raw:
                migrate(raw)
        admin.execute(f"CREATE DATABASE {name} OWNER {_ROLE} TEMPLATE {_PATTERN}")
        database = Database(f"{folder} user={_ROLE} dbname={name}")
        try:
            yield database
        finally:
            database.close()
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
