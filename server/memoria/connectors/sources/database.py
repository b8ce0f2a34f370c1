"""SQLite files of other programs, read without touching them, and without trusting them.

A program that runs keeps its newest rows in a log (`-wal`) beside the database, and one that was
killed in the middle of a change leaves a journal (`-journal`). SQLite believes a journal whatever
the journal says, and deletes a file that the journal names. So a database with a journal is not
read at all; one with a log is copied with the log into a folder of our own; one without either is
opened as a file that nobody changes.

A view, a virtual table or a computed column runs what its schema says when it is read. So only
plain tables are read, by statements of our own, and a table is judged by its text in the schema.
A few pages used again and again would give rows without end: that is looked for before a read.
"""

import os
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from functools import cache
from importlib import resources
from io import BufferedReader
from pathlib import Path
from typing import Any

from memoria.bare.lazy_regex import lazy_regex
from memoria.connectors.transcripts.source import MAX_LINE_BYTES, open_file

MOST_BYTES = 64 << 30
"""The largest database that is read."""
MOST_LOG_BYTES = 1 << 30
"""The largest log that is read. A program moves a log of some MiB into its database."""
_ROOM_LEFT = 64 << 20
"""Bytes that a copy leaves free on the disk."""
_TRIES = 3
_BLOCK = 1 << 20
_CLOSE = "Close the program it belongs to, and import it again."


class ForeignDatabaseError(Exception):
    """A database of another program can't be read. The message says why."""


@contextmanager
def hold_still(path: Path) -> Iterator[str]:
    """Yield the address under which SQLite reads a database together with its log.

    Raises:
        ForeignDatabaseError: the database can't be read; the message says what to do.
        OSError: the system does not let it be read.
    """
    real = path.resolve()
    _refuse_journal(real)
    with _open_log(real) as log:
        has_log = log is not None
    if not has_log:
        with lie_still(path) as address:
            yield address
        return
    with tempfile.TemporaryDirectory(prefix="memoria-import-") as folder:
        copy = Path(folder) / "copy.db"
        _copy_both(real, copy)
        yield f"{copy.as_uri()}?mode=ro"


@contextmanager
def lie_still(path: Path) -> Iterator[str]:
    """Yield the address under which SQLite reads a database as if no log was beside it.

    Raises:
        ForeignDatabaseError: the database is too large.
        OSError: the database can't be read.
    """
    with open_file(path) as database:
        _expect_at_most(path, database, MOST_BYTES)
    yield f"{path.resolve().as_uri()}?mode=ro&immutable=1"


def _copy_both(path: Path, copy: Path) -> None:
    """Copy a database and its log as both are at one moment."""
    for _ in range(_TRIES):
        before = _state(path)
        with open_file(path) as database, _open_log(path) as log:
            _expect_room(copy.parent, database, log)
            _copy(database, copy)
            _beside(copy, "-wal").unlink(missing_ok=True)
            if log is not None:
                _copy(log, _beside(copy, "-wal"))
        _refuse_journal(path)
        if _state(path) == before:
            return
    raise ForeignDatabaseError(f"is being written to all the time. {_CLOSE}")


def _refuse_journal(path: Path) -> None:
    """Refuse a database with a journal beside it. A journal that begins with a zero is used up."""
    journal = _beside(path, "-journal")
    with _open_beside(journal) as opened:
        if opened is not None and opened.read(1).strip(b"\0"):
            raise ForeignDatabaseError(
                f"has a journal beside it, {journal.name}: a change of it was begun and not ended. "
                f"{_CLOSE} If none is running, open and close it once with that program: that "
                "settles the journal."
            )


@contextmanager
def _open_log(path: Path) -> Iterator[BufferedReader | None]:
    """Open the log beside a database; None where no log is, or an empty one."""
    log = _beside(path, "-wal")
    with _open_beside(log) as opened:
        if opened is not None:
            _expect_at_most(log, opened, MOST_LOG_BYTES)
        yield opened if opened is not None and _size(opened) else None


@contextmanager
def _open_beside(path: Path) -> Iterator[BufferedReader | None]:
    """Open a file that a program keeps beside its database; None where no file is."""
    if not os.path.lexists(path):
        yield None
        return
    try:
        opened = open_file(path, may_be_link=False)
    except OSError as error:
        raise ForeignDatabaseError(
            f"has {path.name} beside it, which is not a file as its program writes "
            f"({error.strerror or error}). Move that away, and import it again."
        ) from error
    with opened:
        yield opened


def _expect_at_most(path: Path, opened: BufferedReader, most: int) -> None:
    if _size(opened) > most:
        raise ForeignDatabaseError(
            f"can't be read: {path.name} has {_size(opened):,} bytes, and at most {most:,} are "
            f"read. {_CLOSE}"
        )


def _expect_room(folder: Path, *files: BufferedReader | None) -> None:
    needed = sum(_size(file) for file in files if file is not None) + _ROOM_LEFT
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise ForeignDatabaseError(
            f"has a log beside it, so it is read from a copy: that takes {needed:,} bytes, and "
            f"{folder.parent} has room for {free:,}. Free some space, or close the program it "
            "belongs to, and import it again."
        )


def _copy(source: BufferedReader, target: Path) -> None:
    """Copy a file up to its present end. Empty blocks take up no room in the copy."""
    size = left = _size(source)
    with target.open("wb") as copied:
        while left and (block := source.read(min(left, _BLOCK))):
            left -= len(block)
            if block.count(0) == len(block):
                copied.seek(len(block), os.SEEK_CUR)
            else:
                copied.write(block)
        copied.truncate(size - left)


def _size(opened: BufferedReader) -> int:
    return os.fstat(opened.fileno()).st_size


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _state(path: Path) -> list[tuple[int, int] | None]:
    """Return the sizes and times of a database and its log, which every write changes."""
    files = (path, _beside(path, "-wal"))
    found = (one.lstat() if one.exists() else None for one in files)
    return [one and (one.st_size, one.st_mtime_ns) for one in found]


_LIST_TABLES = "SELECT name, sql FROM sqlite_master WHERE type = 'table'"
_LIST_COLUMNS = "SELECT name, hidden FROM pragma_table_xinfo(?)"
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
_ALLOWED_FUNCTIONS = frozenset({"count", "like", "max"})
"""Functions that our statements call."""


def list_plain_tables(connection: sqlite3.Connection) -> dict[str, frozenset[str]]:
    """Map each table that only stores rows to its columns.

    Raises:
        sqlite3.Error: the schema can't be read.
    """
    named = {
        name: _columns(connection, name)
        for name, sql in connection.execute(_LIST_TABLES).fetchall()
        if isinstance(name, str) and isinstance(sql, str) and _read_name(sql) == name
    }
    return {name: columns for name, columns in named.items() if columns}


def _read_name(sql: str) -> str | None:
    """Read the name of the table that a text of the schema makes; None where it makes none."""
    made = _MADE.match(sql)
    if made is None:
        return None
    name = next(group for group in made.groups() if group is not None)
    mark = sql[made.start(made.lastindex or 0) - 1]
    return name.replace(mark * 2, mark) if mark in "\"'" else name


def _columns(connection: sqlite3.Connection, table: str) -> frozenset[str]:
    """Return the columns of a table; none if any column is computed."""
    columns = dict(connection.execute(_LIST_COLUMNS, (table,)).fetchall())
    return frozenset(columns) if set(columns.values()) == {_STORED} else frozenset()


class Guard:
    """Guard that keeps a connection from reading anything but plain tables with an end."""

    def __init__(self, connection: sqlite3.Connection, tables: Mapping[str, object]) -> None:
        """Restrict the connection to reading the tables."""
        self._connection = connection
        self._tables = tables
        self._sound: set[str] = set()
        connection.set_authorizer(self._authorize)

    def expect_sound(self, sql: str) -> None:
        """Check that each table in a statement is a plain table whose rows end.

        Raises:
            ForeignDatabaseError: a table is not plain, or its rows have no end.
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
                allowed = two in _ALLOWED_FUNCTIONS
            case sqlite3.SQLITE_PRAGMA:
                allowed = one == "quick_check"
            case _:
                allowed = False
        return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


_HEADER = b"SQLite format 3\0"
_STATEMENT = lazy_regex(r"(?m)^-- name: (\w+)$")
ForeignRow = sqlite3.Row


def is_database(path: Path) -> bool:
    """Check whether a file begins as a database of SQLite."""
    try:
        with open_file(path) as file:
            return file.read(len(_HEADER)) == _HEADER
    except OSError:
        return False


class ForeignDatabase:
    """A database of another program, open to be read."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """List the database's tables; read nothing else yet."""
        self._connection = connection
        self._columns = list_plain_tables(connection)
        self._guard = Guard(connection, self._columns)

    def read_rows(self, statements: str, name: str, **values: object) -> Iterator[ForeignRow]:
        """Yield the rows that a statement of `sql/<statements>.sql` gives.

        Raises:
            ForeignDatabaseError: rows can't be read to the end, or a table is not plain.
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
    """Map each plain table to its columns. The log is read only where the file has no table.

    Raises:
        ForeignDatabaseError: the database can't be read.
    """
    with _open(lie_still(path)) as opened:
        columns = opened.list_columns()
    if columns:
        return columns
    with open_database(path) as whole:
        return whole.list_columns()


def open_database(path: Path) -> AbstractContextManager[ForeignDatabase]:
    """Open a database together with its log.

    Raises:
        ForeignDatabaseError: the database can't be read.
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
    """Return a column's value; None for a column that this version of the program lacks."""
    return row[column] if column in row.keys() else None  # noqa: SIM118  (a Row is no mapping)
