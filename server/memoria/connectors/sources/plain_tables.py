"""The plain tables of a foreign database, and the guard that lets nothing else be read.

Only a table whose rows are stored as they are runs nothing when it is read: no view, no virtual
table, none with computed columns. SQLite obeys the texts in the file's schema, so a table is judged
by its text, not by what the file calls it. And a few pages that are used again and again would
give rows without end: that is looked for before a table is read.
"""

import re
import sqlite3
from collections.abc import Mapping

from memoria.bare.lazy_regex import lazy_regex
from memoria.connectors.sources.database_files import ForeignDatabaseError

_TABLES = "SELECT name, sql FROM sqlite_master WHERE type = 'table'"
_COLUMNS = "SELECT name, hidden FROM pragma_table_xinfo(?)"
_MADE = lazy_regex(
    r"""CREATE\ TABLE\ (?: "((?:[^"]|"")+)" | '((?:[^']|'')+)' | `([^`]+)` | \[([^\]]+)\] |
    ([^\s(]+) )""",
    re.VERBOSE,
)
_ASKED = lazy_regex(r"\b(?:FROM|JOIN)\s+(\w+)")
_STORED = 0
"""Value by which `table_xinfo` marks a column that is neither hidden nor computed."""
_USED_TWICE = "reference to page"
_MOST_FAULTS = 100
"""Number of a table's faults that SQLite lists; there may be more."""
_FUNCTIONS = frozenset({"count", "like", "max"})
"""All that our statements call."""


def list_plain_tables(connection: sqlite3.Connection) -> dict[str, frozenset[str]]:
    """Map each table that only stores rows to its columns.

    Raises:
        sqlite3.Error: the schema can't be read.
    """
    named = {
        name: _columns(connection, name)
        for name, sql in connection.execute(_TABLES).fetchall()
        if isinstance(name, str) and isinstance(sql, str) and _read_name(sql) == name
    }
    return {name: columns for name, columns in named.items() if columns}


def _read_name(sql: str) -> str | None:
    """Read the name of the table that a text of the schema makes, if it makes one."""
    made = _MADE.match(sql)
    if made is None:
        return None
    name = next(group for group in made.groups() if group is not None)
    mark = sql[made.start(made.lastindex or 0) - 1]
    return name.replace(mark * 2, mark) if mark in "\"'" else name


def _columns(connection: sqlite3.Connection, table: str) -> frozenset[str]:
    """Return the columns of a table; none if one of them is computed."""
    columns = dict(connection.execute(_COLUMNS, (table,)).fetchall())
    return frozenset(columns) if set(columns.values()) == {_STORED} else frozenset()


class Guard:
    """Keeps a connection from reading anything but some tables, and what is wrong in those."""

    def __init__(self, connection: sqlite3.Connection, tables: Mapping[str, object]) -> None:
        """Restrict the connection: from now on it does nothing else.

        Args:
            connection: reads the database.
            tables: may be read.
        """
        self._connection = connection
        self._tables = tables
        self._sound: set[str] = set()
        connection.set_authorizer(self._authorize)

    def expect_sound(self, sql: str) -> None:
        """Check that each table that a statement asks for is a plain one, with an end.

        Raises:
            ForeignDatabaseError: one is not.
            sqlite3.Error: it can't be told.
        """
        for table in set(_ASKED.findall(sql)) - self._sound:
            if table not in self._tables:
                raise ForeignDatabaseError(f"can't be read: it has no plain table {table}")
            self._expect_an_end(table)
            self._sound.add(table)

    def _expect_an_end(self, table: str) -> None:
        # The first answer has the faults of the pages; rows are gone through only after it.
        (faults,) = self._connection.execute(f"PRAGMA quick_check({table})").fetchone()
        if _USED_TWICE in faults or faults.count("\n") >= _MOST_FAULTS:
            raise ForeignDatabaseError(
                f"can't be read: pages of the table {table} are used more than once. Repair it "
                "with its own program, or with `sqlite3 FILE .recover`"
            )

    def _authorize(
        self, action: int, one: str | None, two: str | None, _: str | None, view: str | None
    ) -> int:
        match action:
            case sqlite3.SQLITE_SELECT:
                allowed = view is None
            case sqlite3.SQLITE_READ:
                allowed = view is None and one in self._tables
            case sqlite3.SQLITE_FUNCTION:
                allowed = two in _FUNCTIONS
            case sqlite3.SQLITE_PRAGMA:
                allowed = one == "quick_check"
            case _:
                allowed = False
        return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY
