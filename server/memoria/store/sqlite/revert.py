"""Putting a row back as it was before a night changed it.

Column by column: what somebody has changed since stays as they left it. Names of tables and columns
come from the journal's own list and the schema (`journal`), values are bound.
"""

import json
from collections.abc import Mapping, Sequence
from enum import Enum, auto
from typing import TypeAlias

from memoria.store.sqlite.documents import SqliteDocuments
from memoria.store.sqlite.driver import Connection, Row, sqlite3
from memoria.store.sqlite.journal import WATCHED, columns

_Json: TypeAlias = "Mapping[str, str] | str | int | None"
_Cell = str | int | float | bytes | None


class Reverted(Enum):
    """What became of a change."""

    RESTORED = auto()
    KEPT = auto()
    """Changed by somebody since, or needed by what they added."""
    FORGOTTEN = auto()
    """A forget has taken what stood there."""


def revert(connection: Connection, change: Row, documents: SqliteDocuments) -> Reverted:
    """Put one row back.

    Args:
        connection: inside of a transaction; changes are to be reverted newest first.
        change: a row of the journal.
        documents: takes documents out that the night has made.
    """
    table = change["tbl"]
    if table not in WATCHED:
        raise LookupError(table)
    image = json.loads(change["image"])
    if not image:
        return Reverted.FORGOTTEN
    row = _Place(connection, table, tuple(json.loads(change["key"])))
    match change["op"]:
        case "update":
            return _change_back(row, {name: _cells(pair) for name, pair in image.items()})
        case "delete":
            return _put_back(row, {name: _cell(value) for name, value in image.items()})
        case _:
            values = {name: _cell(value) for name, value in image.items()}
            return _take_away(row, values, documents)


def outgrown(changes: Sequence[Row], memory: Row | None) -> bool:
    """Whether somebody has changed a memory that a run made: then it is theirs, words and all.

    Args:
        changes: what the run did to the memory's own row, in order, as far as it is not undone.
        memory: the row as it is; None where there is none.
    """
    if memory is None or not changes or changes[0]["op"] != "insert":
        return False
    left: dict[str, _Cell] = {}
    for change in changes:
        image = json.loads(change["image"])
        inserted = change["op"] == "insert"
        left |= {name: _cell(it if inserted else it[1]) for name, it in image.items()}
    return any(memory[name] != value for name, value in left.items())


class _Place:
    """Where a row stands or stood."""

    def __init__(self, connection: Connection, table: str, key: tuple[_Cell, ...]) -> None:
        self.connection = connection
        self.table = table
        self.key = key
        names = sorted((c for c in columns(connection, table) if c.key), key=lambda c: c.key)
        self.where = " AND ".join(f"{c.name} IS ?" for c in names)

    def row(self) -> Row | None:
        """What stands there now."""
        found: Row | None = self.connection.execute(
            f"SELECT * FROM {self.table} WHERE {self.where}", self.key
        ).fetchone()
        return found

    def run(self, sql: str, *values: _Cell) -> bool:
        """Whether a change of this row alone was possible."""
        self.connection.execute("SAVEPOINT revert")
        try:
            self.connection.execute(sql, values)
        except sqlite3.IntegrityError:
            self.connection.execute("ROLLBACK TO revert")
            return False
        finally:
            self.connection.execute("RELEASE revert")
        return True


def _change_back(place: _Place, pairs: Mapping[str, tuple[_Cell, _Cell]]) -> Reverted:
    row = place.row()
    if row is None:
        return Reverted.FORGOTTEN
    ours = {name: before for name, (before, after) in pairs.items() if row[name] == after}
    if not ours:
        return Reverted.KEPT
    assignments = ", ".join(f"{name} = ?" for name in ours)
    sql = f"UPDATE {place.table} SET {assignments} WHERE {place.where}"
    done = place.run(sql, *ours.values(), *place.key)
    return Reverted.RESTORED if done and len(ours) == len(pairs) else Reverted.KEPT


def _put_back(place: _Place, values: Mapping[str, _Cell]) -> Reverted:
    names, marks = ", ".join(values), ", ".join("?" * len(values))
    sql = f"INSERT INTO {place.table} ({names}) VALUES ({marks})"
    return Reverted.RESTORED if place.run(sql, *values.values()) else Reverted.KEPT


def _take_away(place: _Place, values: Mapping[str, _Cell], documents: SqliteDocuments) -> Reverted:
    row = place.row()
    if row is None:
        return Reverted.RESTORED
    if any(row[name] != value for name, value in values.items()):
        return Reverted.KEPT
    if place.table == "documents":
        if _has_a_wording(place):
            return Reverted.KEPT
        documents.withdraw(int(row["n"]))
        return Reverted.RESTORED
    sql = f"DELETE FROM {place.table} WHERE {place.where}"
    return Reverted.RESTORED if place.run(sql, *place.key) else Reverted.KEPT


def _has_a_wording(place: _Place) -> bool:
    """Whether a document is of a wording that stays."""
    sql = "SELECT 1 FROM memory_versions WHERE n IS ?"
    return place.connection.execute(sql, place.key).fetchone() is not None


def _cells(pair: tuple[_Json, _Json]) -> tuple[_Cell, _Cell]:
    return _cell(pair[0]), _cell(pair[1])


def _cell(value: _Json) -> _Cell:
    """A value as SQLite had it; see `journal`."""
    if not isinstance(value, Mapping):
        return value
    return bytes.fromhex(value["hex"]) if "hex" in value else float(value["real"])
