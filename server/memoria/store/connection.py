"""A connection as tables and their statements use it, whatever the engine.

Errors of an engine's driver pass through its connections; whoever opens a transaction explains
them. Only what a table itself answers to is an error of this module.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol, TypeVar

_Value = TypeVar("_Value")
Parameters = Mapping[str, Any] | Sequence[Any]


class RefusedRowError(Exception):
    """A constraint of the database forbids a row."""


class RefusedValueError(Exception):
    """No column of the database can hold a value."""


class Column(NamedTuple):
    """A column of a table."""

    name: str
    declared: str
    key: int
    """Place in the primary key, from 1; 0 if it is not in it."""


class Row(Protocol):
    """A row that a statement gives, by names and by places."""

    def __getitem__(self, column: int | str, /) -> Any:  # noqa: ANN401  (a column holds anything)
        """Return the value of a column, by its place or its name."""
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
        """Yield the rows that are left."""
        ...

    def fetchall(self) -> list[Any]:
        """Return the rows that are left."""
        ...

    def fetchmany(self, size: int, /) -> list[Any]:
        """Return so many of the rows that are left."""
        ...

    def fetchone(self) -> Any:  # noqa: ANN401  (a Row, or None)
        """Return the next row; None if none is left."""
        ...


class Connection(Protocol):
    """A connection to a database, inside of a transaction but where it says otherwise."""

    def execute(self, sql: str, parameters: Parameters = ..., /) -> Cursor:
        """Run a statement."""
        ...

    def executemany(self, sql: str, parameters: Iterable[Parameters], /) -> Cursor:
        """Run a statement that changes rows with many sets of parameters."""
        ...

    def tuples(self, sql: str, parameters: Parameters = (), /) -> list[tuple[Any, ...]]:
        """Run a statement, and return its rows as plain tuples: faster where they are many."""
        ...

    def savepoint(self) -> AbstractContextManager[None]:
        """Run a block whose changes are all taken back if it raises anything.

        Raises:
            RefusedRowError: a constraint forbids one of the rows.
            RefusedValueError: no column can hold one of the values.
        """
        ...

    def columns(self, table: str) -> list[Column]:
        """List the columns of a table that hold the truth, those of its key included."""
        ...

    def hide_changes(
        self, tables: Sequence[str], tenant: int, report_id: str
    ) -> AbstractContextManager[None]:
        """Record in `hidden_changes` each row of these tables as it was before the block.

        Args:
            tables: names of our own, never a user's.
            tenant: whose rows they are.
            report_id: of the forget that changes them.
        """
        ...

    def read_settled(self, what: Hashable, read: Callable[[], _Value]) -> _Value:
        """Read something that all searches read alike and that hardly changes, or return it cached.

        Args:
            what: its key in the cache.
            read: reads it; its result is never changed.
        """
        ...

    def count_commits(self) -> int:
        """Return a number that changes once a snapshot shows what another connection wrote."""
        ...

    def count_bytes(self) -> int:
        """Return the size of the whole database."""
        ...

    def close(self) -> None:
        """Close the connection; a transaction that is open is rolled back."""
        ...
