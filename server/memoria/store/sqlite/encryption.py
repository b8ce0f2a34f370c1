"""A database file under another key: copied table by table, and compared row by row."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from memoria.errors import StoreError
from memoria.store.sqlite.driver import sqlite3
from memoria.store.sqlite.library import name_key, require_library

_PRIVATE = 0o600
_TABLES = "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY name"
_SCHEMA = "SELECT type, name, tbl_name, sql FROM {}.sqlite_schema ORDER BY type, name"
_ROWS, _NUMBERED = 'SELECT * FROM {}."{}"', 'SELECT _rowid_, * FROM {}."{}" ORDER BY _rowid_'
_COUNT, _EMPTY = 'SELECT count(*) FROM copy."{}"', 'DELETE FROM copy."{}"'
_FILL = 'INSERT INTO copy."{0}" (_rowid_, {1}) SELECT _rowid_, {1} FROM main."{0}" ORDER BY _rowid_'
_COLUMNS = "SELECT name FROM pragma_table_info(?)"
_HAS_ROW_IDS = "SELECT NOT wr FROM pragma_table_list(?) WHERE schema = 'main'"
_KEPT = ("user_version", "application_id")


def copy_under(
    connection: sqlite3.Connection, target: Path, key: bytes | None
) -> Mapping[str, int]:
    """Copy a file into a new file under a key, compare both, and return the rows by table.

    Args:
        connection: of the file, which nobody else may write to; outside of a transaction.
        target: the new file.
        key: of the new file; None for a plain one.

    Raises:
        StoreError: the copy is not the same.
    """
    require_library()
    os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_RDWR, _PRIVATE))
    connection.execute("ATTACH DATABASE ? AS copy KEY ?", (str(target), name_key(key)))
    connection.execute("PRAGMA copy.synchronous = FULL")
    connection.execute("SELECT sqlcipher_export('copy')")
    for name in _KEPT:
        value = int(connection.execute(f"PRAGMA main.{name}").fetchone()[0])
        connection.execute(f"PRAGMA copy.{name} = {value}")
    schemas = (connection.execute(_SCHEMA.format(one)).fetchall() for one in ("main", "copy"))
    _require_same(next(schemas) == next(schemas), "the schema")
    tables = [str(name) for (name,) in connection.execute(_TABLES).fetchall()]
    for table in tables:
        if not _is_same(connection, table):
            _number_as_before(connection, table)
    rows = dict[str, int]()
    for table in tables:  # all of them again: a trigger may have acted
        _require_same(_is_same(connection, table), table)
        rows[table] = int(connection.execute(_COUNT.format(table)).fetchone()[0])
    connection.execute("DETACH DATABASE copy")
    return rows


def _is_same(connection: sqlite3.Connection, table: str) -> bool:
    """Check that both files have the same rows under the same numbers."""
    ours, theirs = (_list_rows(connection, one, table) for one in ("main", "copy"))
    return all(one == next(theirs, None) for one in ours) and next(theirs, None) is None


def _list_rows(connection: sqlite3.Connection, schema: str, table: str) -> Iterator[object]:
    """Read the rows in the order of their numbers, or of their key, which both files have."""
    has_numbers = bool(connection.execute(_HAS_ROW_IDS, (table,)).fetchone()[0])
    yield from connection.execute((_NUMBERED if has_numbers else _ROWS).format(schema, table))


def _number_as_before(connection: sqlite3.Connection, table: str) -> None:
    """Copy a table's rows again, with their numbers, which an index may know them by."""
    columns = ", ".join(f'"{name}"' for (name,) in connection.execute(_COLUMNS, (table,)))
    connection.execute("BEGIN")
    connection.execute(_EMPTY.format(table))
    connection.execute(_FILL.format(table, columns))
    connection.execute("COMMIT")


def _require_same(is_same: bool, what: str) -> None:
    if not is_same:
        raise StoreError(f"The copy of the database has not the same: {what}. Nothing was changed.")
