"""Rows of a database file, as a move to or from another engine reads and writes them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from memoria.store.connection import Connection
from memoria.store.sql.statements import statements
from memoria.store.sqlite.connections import Connections

_SQL = statements("moves", "sqlite")


class SqliteMovedRows:
    """All rows of a file."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    @contextmanager
    def read_all(self) -> Iterator[Connection]:
        """Yield a connection that reads one snapshot of all tenants' rows."""
        with self._connections.read() as opened:
            yield opened.connection

    @contextmanager
    def change_table(self, table: str) -> Iterator[Connection]:
        """Begin a change of one table; its triggers are gone meanwhile, and back at its end."""
        with self._connections.write() as connection:
            triggers = connection.execute(_SQL["triggers"], {"tbl": table}).fetchall()
            for row in triggers:
                connection.execute(f'DROP TRIGGER "{row["name"]}"')
            yield connection
            for row in triggers:
                connection.execute(row["sql"])

    def read_numbers(self, connection: Connection) -> Mapping[str, int]:
        """Map tables that give no number twice to the highest that a row has had."""
        return dict(connection.tuples(_SQL["numbers"]))

    def raise_numbers(self, numbers: Mapping[str, int]) -> None:
        """Have further rows numbered from beyond a number, in tables that give none twice."""
        with self._connections.write() as connection:
            for (table,) in connection.tuples(_SQL["numbered"]):
                asked = {"tbl": table, "number": numbers.get(table, 0)}
                connection.execute(_SQL["raise_number"], asked)
                connection.execute(_SQL["begin_number"], asked)
