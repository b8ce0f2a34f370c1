"""SQLite files of other programs, read without touching them, and without trusting them.

A program may be writing to its database while we read; see `database_files`. And a database may
have been made to do harm: a view, a virtual table or a computed column runs what it says when it
is read. So nothing is read but plain tables, by statements of our own.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from memoria.bare.lazy_regex import lazy_regex
from memoria.connectors.sources.database_files import (
    ForeignDatabaseError,
    hold_still,
    lie_still,
)
from memoria.connectors.sources.plain_tables import Guard, list_plain_tables
from memoria.connectors.transcripts.source import MAX_LINE_BYTES, open_file

__all__ = [
    "ForeignDatabase",
    "ForeignDatabaseError",
    "ForeignRow",
    "is_database",
    "list_tables",
    "open_database",
    "read_statements",
    "read_value",
]

_HEADER = b"SQLite format 3\0"
_STATEMENT = lazy_regex(r"(?m)^-- name: (\w+)$")

ForeignRow = sqlite3.Row


def is_database(path: Path) -> bool:
    """Check whether a file begins as SQLite's do."""
    try:
        with open_file(path) as file:
            return file.read(len(_HEADER)) == _HEADER
    except OSError:
        return False


class ForeignDatabase:
    """A database of another program, open to be read."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """List its tables; nothing else in it is read yet."""
        self._connection = connection
        self._columns = list_plain_tables(connection)
        self._guard = Guard(connection, self._columns)

    def read_rows(self, statements: str, name: str, **values: object) -> Iterator[ForeignRow]:
        """Yield the rows that a statement of `sql/<statements>.sql` gives.

        Raises:
            ForeignDatabaseError: it can't be read to its end, or from what is no plain table.
        """
        sql = read_statements(statements)[name]
        try:
            self._guard.expect_sound(sql)
            # `yield from` would close the cursor when an import is stopped: after its database.
            for row in self._connection.execute(sql, values):  # noqa: UP028
                yield row
        except sqlite3.Error as error:
            raise ForeignDatabaseError(f"can't be read on: {error}") from error

    def list_columns(self) -> dict[str, frozenset[str]]:
        """Map each plain table to its columns."""
        return self._columns


@cache
def read_statements(file: str) -> dict[str, str]:
    """Read the named statements of `sql/<file>.sql`."""
    text = resources.files(__package__).joinpath("sql", f"{file}.sql").read_text("utf-8")
    _, *parts = _STATEMENT.split(text)
    return dict(zip(parts[::2], (part.strip() for part in parts[1::2]), strict=True))


def list_tables(path: Path) -> dict[str, frozenset[str]]:
    """Map each plain table to its columns, read without the database's log if that tells them.

    Raises:
        ForeignDatabaseError: it can't be read.
    """
    with _open(lie_still(path)) as opened:
        columns = opened.list_columns()
    if columns:
        return columns
    with open_database(path) as whole:
        return whole.list_columns()


def open_database(path: Path) -> AbstractContextManager[ForeignDatabase]:
    """Open a database as it is now.

    Raises:
        ForeignDatabaseError: it can't be read.
    """
    return _open(hold_still(path))


@contextmanager
def _open(still: AbstractContextManager[str]) -> Iterator[ForeignDatabase]:
    try:
        with still as address, closing(_connect(address)) as opened:
            yield ForeignDatabase(opened)
    except (OSError, sqlite3.Error) as error:
        problem = error.strerror if isinstance(error, OSError) else None
        raise ForeignDatabaseError(f"can't be read: {problem or error}") from error


def _connect(address: str) -> sqlite3.Connection:
    connection = sqlite3.connect(address, uri=True)
    connection.row_factory = sqlite3.Row
    connection.text_factory = _decode
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 2 * MAX_LINE_BYTES)
    for pragma in ("trusted_schema = OFF", "query_only = ON", "cell_size_check = ON"):
        connection.execute(f"PRAGMA {pragma}")
    return connection


def _decode(text: bytes) -> str:
    return text.decode("utf-8", "replace")


def read_value(row: ForeignRow, column: str) -> Any:  # noqa: ANN401  (whatever the program wrote)
    """Return a column's value; None where this version of the program has no such column."""
    return row[column] if column in row.keys() else None  # noqa: SIM118  (a Row is no mapping)
