"""SQLite files of other programs, read without touching them.

A program may be writing to its database while we read. SQLite itself would take locks, and write
to the log beside it. So a database with such a log is copied first, together with the log, and the
copy is read; one without is opened as a file that nobody changes. Nothing that a database says is
run: its views and triggers count for nothing.
"""

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib import resources
from pathlib import Path
from typing import Any

from memoria.admin.transcripts.source import MAX_LINE_BYTES
from memoria.bare.lazy_regex import lazy_regex

_LOGS = ("-wal", "-journal")
_UNCHANGING = "mode=ro&immutable=1"
_TRIES = 3
_HEADER = b"SQLite format 3\0"
_STATEMENT = lazy_regex(r"(?m)^-- name: (\w+)$")

ForeignRow = sqlite3.Row


class ForeignDatabaseError(Exception):
    """A database of another program can't be read; says why."""


def is_database(path: Path) -> bool:
    """Whether a file begins as SQLite's do."""
    try:
        with path.open("rb") as file:
            return file.read(len(_HEADER)) == _HEADER
    except OSError:
        return False


class ForeignDatabase:
    """A database of another program, open to be read."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def read_rows(self, statements: str, name: str, **values: object) -> Iterator[ForeignRow]:
        """The rows that a statement of `sql/<statements>.sql` gives.

        Raises:
            ForeignDatabaseError: it can't be read to its end.
        """
        sql = read_statements(statements)[name]
        try:
            # `yield from` would close the cursor when an import is stopped: after its database.
            for row in self._connection.execute(sql, values):  # noqa: UP028
                yield row
        except sqlite3.Error as error:
            raise ForeignDatabaseError(f"can't be read on: {error}") from error

    def list_columns(self) -> dict[str, frozenset[str]]:
        """The columns of each table.

        Raises:
            ForeignDatabaseError: it can't be read.
        """
        columns: dict[str, set[str]] = {}
        for row in self.read_rows("any", "columns"):
            columns.setdefault(row["name"], set()).add(row["column_name"])
        return {table: frozenset(names) for table, names in columns.items()}


def read_statements(file: str) -> dict[str, str]:
    """The named statements of `sql/<file>.sql`."""
    text = resources.files(__package__).joinpath("sql", f"{file}.sql").read_text("utf-8")
    _, *parts = _STATEMENT.split(text)
    return dict(zip(parts[::2], (part.strip() for part in parts[1::2]), strict=True))


def list_tables(path: Path) -> dict[str, frozenset[str]]:
    """The columns of a database's tables, as far as they are told without its log.

    Raises:
        ForeignDatabaseError: it can't be read.
    """
    with closing(_connect(path, _UNCHANGING)) as opened:
        columns = ForeignDatabase(opened).list_columns()
    if columns:
        return columns
    with open_database(path) as whole:
        return whole.list_columns()


@contextmanager
def open_database(path: Path) -> Iterator[ForeignDatabase]:
    """A database as it is now.

    Raises:
        ForeignDatabaseError: it can't be read.
    """
    try:
        with _still_copy(path) as (still, options), closing(_connect(still, options)) as opened:
            yield ForeignDatabase(opened)
    except (OSError, sqlite3.Error) as error:
        problem = error.strerror if isinstance(error, OSError) else None
        raise ForeignDatabaseError(f"can't be read: {problem or error}") from error


def _connect(path: Path, options: str) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?{options}", uri=True)
    connection.row_factory = sqlite3.Row
    connection.text_factory = _decode
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 2 * MAX_LINE_BYTES)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA query_only = ON")
    return connection


def _decode(text: bytes) -> str:
    return text.decode("utf-8", "replace")


@contextmanager
def _still_copy(path: Path) -> Iterator[tuple[Path, str]]:
    """A file that nobody writes to, and how to open it."""
    if not any(_log(path, ending).exists() for ending in _LOGS):
        yield path, _UNCHANGING
        return
    with tempfile.TemporaryDirectory(prefix="memoria-import-") as folder:
        copy = Path(folder) / "copy.db"
        for _ in range(_TRIES):
            before = _state(path)
            shutil.copyfile(path, copy)
            for ending in _LOGS:
                _log(copy, ending).unlink(missing_ok=True)
                if _log(path, ending).exists():
                    shutil.copyfile(_log(path, ending), _log(copy, ending))
            if _state(path) == before:
                yield copy, "mode=rw"
                return
        raise ForeignDatabaseError(
            "is being written to all the time: close the program it belongs to, and try again"
        )


def _log(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _state(path: Path) -> list[tuple[int, int] | None]:
    files = [path, *(_log(path, ending) for ending in _LOGS)]
    return [(one.stat().st_size, one.stat().st_mtime_ns) if one.exists() else None for one in files]


def read_value(row: ForeignRow, column: str) -> Any:  # noqa: ANN401  (whatever the program wrote)
    """A column's value; None where this version of the program has no such column."""
    return row[column] if column in row.keys() else None  # noqa: SIM118  (a Row is no mapping)
