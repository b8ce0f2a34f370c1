"""Connections to a database, as tables use them with any engine.

Errors of an engine's driver pass through connections; the opener of a transaction explains them.
Only errors that a table handles itself are defined in this module.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol, TypeVar

from memoria.errors import StoreUnavailableError
from memoria.store.word_query import WordQuery

_Value = TypeVar("_Value")
Parameters = Mapping[str, Any] | Sequence[Any]


class RefusedRowError(Exception):
    """A constraint of the database forbids a row."""


class TransactionLostError(StoreUnavailableError):
    """The connection to the database broke before a change was kept, and nothing of it is kept."""


class RefusedValueError(Exception):
    """No column of the database can hold a value."""


class Column(NamedTuple):
    """A column of a table."""

    name: str
    declared: str
    key: int
    """Place in the primary key, from 1; 0 for a column outside of the key."""


class Row(Protocol):
    """A row that a statement gives, by names and by places."""

    def __getitem__(self, column: int | str, /) -> Any:  # noqa: ANN401  (a column holds anything)
        """Return the value of a column by place or name."""
        ...

    def __iter__(self) -> Iterator[Any]:
        """Yield the values in order."""
        ...

    def keys(self) -> list[str]:
        """List the names of the columns."""
        ...


class Cursor(Protocol):
    """Rows that a statement gives."""

    @property
    def description(self) -> Sequence[Sequence[Any]]:
        """The columns, each with its name first."""
        ...

    @property
    def lastrowid(self) -> int | None:
        """Number of the row that was inserted."""
        ...

    @property
    def rowcount(self) -> int:
        """Number of rows that were changed."""
        ...

    def __iter__(self) -> Iterator[Any]:
        """Yield the remaining rows."""
        ...

    def fetchall(self) -> list[Any]:
        """Return the remaining rows."""
        ...

    def fetchmany(self, size: int, /) -> list[Any]:
        """Return up to `size` of the remaining rows."""
        ...

    def fetchone(self) -> Any:  # noqa: ANN401  (a Row, or None)
        """Return the next row; None if no row remains."""
        ...


class Connection(Protocol):
    """A connection to a database, used inside of a transaction unless stated otherwise."""

    has_dense_numbers: bool
    """True if a tenant's numbers of documents tell how many there are, so that an array by number
    is small. False where thousands of tenants take their numbers from one sequence."""

    def execute(self, sql: str, parameters: Parameters = ..., /) -> Cursor:
        """Run a statement."""
        ...

    def send(self, sql: str, parameters: Parameters, /) -> None:
        """Run a statement whose result nobody needs, with the next one at the latest."""
        ...

    def ask_ahead(self, sql: str, parameters: Parameters, /) -> None:
        """Tell what `execute` is going to be asked once, so that it may be asked with other things.

        Whatever is sent or run from here on until then changes nothing of the answer.
        """
        ...

    def statements(self, file: str, /) -> Mapping[str, str]:
        """Return the statements of a `.sql` file by name, in the words of this engine."""
        ...

    def write_query(self, query: WordQuery, /) -> str:
        """Return a query of the full-text index in the language of this engine."""
        ...

    def executemany(self, sql: str, parameters: Iterable[Parameters], /) -> Cursor:
        """Run a statement that changes rows with many sets of parameters."""
        ...

    def tuples(self, sql: str, parameters: Parameters = (), /) -> list[tuple[Any, ...]]:
        """Run a statement, and return its rows as plain tuples: faster if rows are many."""
        ...

    def stream(
        self, sql: str, parameters: Parameters = (), /
    ) -> AbstractContextManager[Iterator[Any]]:
        """Run a statement, and give its rows without holding all of them in memory."""
        ...

    def savepoint(self) -> AbstractContextManager[None]:
        """Run a block, and take back all of its changes if the block raises an error.

        Raises:
            RefusedRowError: a constraint forbids one of the rows.
            RefusedValueError: no column can hold one of the values.
        """
        ...

    def columns(self, table: str) -> list[Column]:
        """List the columns of a table, those of the key included, without generated columns."""
        ...

    def hide_changes(
        self, tables: Sequence[str], tenant: int, report_id: str
    ) -> AbstractContextManager[None]:
        """Record each row that the block changes, as it was before, in `hidden_changes`.

        Args:
            tables: the tables to watch: names of the schema, never a user's.
            tenant: the number of the tenant.
            report_id: the id of the forget that changes the rows.
        """
        ...

    def read_settled(self, what: Hashable, read: Callable[[], _Value]) -> _Value:
        """Return a value that hardly ever changes, from the cache or else by calling `read`.

        Args:
            what: the key of the value in the cache.
            read: reads the value, which must never be changed.
        """
        ...

    def snapshot_key(self) -> Hashable:
        """Return a key of what a reader sees: readers of a store with equal keys see the same."""
        ...

    def count_bytes(self) -> int:
        """Return the size of the whole database."""
        ...

    def close(self) -> None:
        """Close the connection, and roll back an open transaction."""
        ...
