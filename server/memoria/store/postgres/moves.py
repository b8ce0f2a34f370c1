"""Rows of a database, as a move to or from another engine reads and writes them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from memoria.store.connection import Connection
from memoria.store.postgres.connections import ALL_TENANTS, DatabaseConnections
from memoria.store.postgres.schema import identity_keys
from memoria.store.sql.statements import statements

_SQL = statements("moves", "postgres")


class PostgresMovedRows:
    """All rows of a database."""

    def __init__(self, connections: DatabaseConnections) -> None:
        self._connections = connections

    @contextmanager
    def read_all(self) -> Iterator[Connection]:
        """Yield a connection that reads one snapshot of all tenants' rows, for as long as it takes.

        A side of a move waits while the other writes a large table.
        """
        with self._connections.read(ALL_TENANTS) as connection:
            connection.execute(_SQL["unlimit"])
            yield connection

    @contextmanager
    def change_table(self, table: str) -> Iterator[Connection]:
        """Begin a change of one table, in which its triggers do not act."""
        with self._connections.write(ALL_TENANTS) as connection:
            connection.execute(_SQL["unlimit"])
            found = connection.tuples(_SQL["triggers"], {"tbl": table})
            for (trigger,) in found:
                connection.execute(f'ALTER TABLE "{table}" DISABLE TRIGGER "{trigger}"')
            yield connection
            for (trigger,) in found:
                connection.execute(f'ALTER TABLE "{table}" ENABLE TRIGGER "{trigger}"')

    def read_numbers(self, connection: Connection) -> Mapping[str, int]:
        """Map tables to the highest number that a row has had."""
        return dict(connection.tuples(_SQL["numbers"]))

    def raise_numbers(self, numbers: Mapping[str, int]) -> None:
        """Have further rows numbered from beyond a number, and beyond all rows that are there."""
        with self._connections.write(ALL_TENANTS) as connection:
            for table, key in identity_keys().items():
                highest = f'SELECT greatest(:number, coalesce(max("{key}"), 0)) FROM "{table}"'
                connection.execute(
                    f"SELECT setval(pg_get_serial_sequence('{table}', '{key}'), n.highest)"
                    f" FROM ({highest}) n (highest) WHERE n.highest > 0",
                    {"number": numbers.get(table, 0)},
                )
