"""Reverting journaled changes: each row becomes what it was before a run or a forget changed it.

A change is reverted column by column: a column that somebody has changed since stays as they left
it. Names of tables and columns come from the journal's own list and the schema, values are bound.

SQLite gives the number of the newest row again once that row is deleted. Where another row has the
number by now, the row is restored under a new number, and so are the references to it. A row is
restored after those it refers to.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from enum import Enum, auto
from typing import TypeAlias

from memoria.store.connection import Connection, RefusedRowError, Row
from memoria.store.rows.document_index import DocumentIndex

JOURNALED_TABLES = (
    "memories",
    "memory_versions",
    "memory_evidence",
    "documents",
    "nodes",
    "entities",
    "entity_names",
    "name_uses",
    "edges",
    "episodes",
    "segments",
    "extraction_queue",
    "scratchpads",
    "completed_tasks",
    "workspaces",
    "core_lines",
    "core_files",
    "generated_files",
)
"""The tables that a run may change. Names are of this list and of the schema, never a user's."""
_Json: TypeAlias = "Mapping[str, str] | str | int | None"
_Cell = str | int | float | bytes | None


class RevertOutcome(Enum):
    """Outcome of reverting a change."""

    RESTORED = auto()
    KEPT = auto()
    """The row was changed later, or is needed by a row that was added later."""
    FORGOTTEN = auto()
    """The content of the row was erased by a forget."""


def revert(
    connection: Connection,
    change: Row | Mapping[str, str],
    documents: DocumentIndex,
    tables: Collection[str] = JOURNALED_TABLES,
) -> RevertOutcome:
    """Revert one change, and return the outcome. Changes are to be reverted newest first.

    Args:
        connection: a connection in a transaction.
        change: a row of the journal.
        documents: the index, from which documents of the run are removed.
        tables: the journaled tables, the only ones that are written to.

    Raises:
        LookupError: the change is to another table.
    """
    table = change["tbl"]
    if table not in tables:
        raise LookupError(table)
    image = json.loads(change["image"])
    if not image:
        return RevertOutcome.FORGOTTEN
    row = _JournaledRow(connection, table, tuple(json.loads(change["key"])))
    match change["op"]:
        case "update":
            return _revert_update(row, {name: _cells(pair) for name, pair in image.items()})
        case "delete":
            return _revert_delete(row, {name: _cell(value) for name, value in image.items()})
        case _:
            values = {name: _cell(value) for name, value in image.items()}
            return _revert_insert(row, values, documents)


def was_edited_since(changes: Sequence[Row], memory: Row | None) -> bool:
    """Check whether somebody has changed a memory that a run made, so that undoing keeps it.

    Args:
        changes: the run's remaining changes to the memory's own row, in order.
        memory: the present row; None if the memory is gone.
    """
    if memory is None or not changes or changes[0]["op"] != "insert":
        return False
    left: dict[str, _Cell] = {}
    for change in changes:
        image = json.loads(change["image"])
        inserted = change["op"] == "insert"
        left |= {name: _cell(it if inserted else it[1]) for name, it in image.items()}
    return any(memory[name] != value for name, value in left.items())


class _JournaledRow:
    """A place in a journaled table, with a row or without."""

    def __init__(self, connection: Connection, table: str, key: tuple[_Cell, ...]) -> None:
        self.connection = connection
        self.table = table
        self.key = key
        names = sorted((c for c in connection.columns(table) if c.key), key=lambda c: c.key)
        self.where = " AND ".join(f"{c.name} = ?" for c in names)

    def row(self) -> Row | None:
        """Return the present row; None if the place is empty."""
        found: Row | None = self.connection.execute(
            f"SELECT * FROM {self.table} WHERE {self.where}", self.key
        ).fetchone()
        return found

    def run(self, sql: str, *values: _Cell) -> bool:
        """Run a statement that changes this row; return False if a constraint forbids it."""
        try:
            with self.connection.savepoint():
                self.connection.execute(sql, values)
        except RefusedRowError:
            return False
        return True


def _revert_update(place: _JournaledRow, pairs: Mapping[str, tuple[_Cell, _Cell]]) -> RevertOutcome:
    row = place.row()
    if row is None:
        return RevertOutcome.FORGOTTEN
    ours = {name: before for name, (before, after) in pairs.items() if row[name] == after}
    if not ours:
        return RevertOutcome.KEPT
    assignments = ", ".join(f"{name} = ?" for name in ours)
    sql = f"UPDATE {place.table} SET {assignments} WHERE {place.where}"
    done = place.run(sql, *ours.values(), *place.key)
    return RevertOutcome.RESTORED if done and len(ours) == len(pairs) else RevertOutcome.KEPT


def _revert_delete(place: _JournaledRow, values: Mapping[str, _Cell]) -> RevertOutcome:
    names, marks = ", ".join(values), ", ".join("?" * len(values))
    sql = f"INSERT INTO {place.table} ({names}) VALUES ({marks})"
    return RevertOutcome.RESTORED if place.run(sql, *values.values()) else RevertOutcome.KEPT


def _revert_insert(
    place: _JournaledRow, values: Mapping[str, _Cell], documents: DocumentIndex
) -> RevertOutcome:
    row = place.row()
    if row is None:
        return RevertOutcome.RESTORED
    # A document follows the workspace of its memory, which may have been moved later.
    moved = {"workspace_n"} if place.table == "documents" else set()
    if any(row[name] != value for name, value in values.items() if name not in moved):
        return RevertOutcome.KEPT
    if place.table == "documents":
        if _has_wording(place):
            return RevertOutcome.KEPT
        documents.withdraw(int(row["n"]))
        return RevertOutcome.RESTORED
    sql = f"DELETE FROM {place.table} WHERE {place.where}"
    return RevertOutcome.RESTORED if place.run(sql, *place.key) else RevertOutcome.KEPT


def _has_wording(place: _JournaledRow) -> bool:
    """Check whether a document is that of a wording that stays."""
    sql = "SELECT 1 FROM memory_versions WHERE n = ?"
    return place.connection.execute(sql, place.key).fetchone() is not None


def _cells(pair: tuple[_Json, _Json]) -> tuple[_Cell, _Cell]:
    return _cell(pair[0]), _cell(pair[1])


def _cell(value: _Json) -> _Cell:
    """Convert a value of the journal to the value of the column."""
    if not isinstance(value, Mapping):
        return value
    return bytes.fromhex(value["hex"]) if "hex" in value else float(value["real"])


_REUSED = ("memories", "memory_evidence", "entity_names", "completed_tasks", "segments")
"""Tables that a forget deletes from and whose numbers SQLite may give again."""
_OF_TABLE = {"memory_n": "memories", "merged_into": "memories", "name_n": "entity_names"}
"""Table whose numbers a column holds."""
_RowImage = dict[str, object]


class Renumbering:
    """Translates the changes of a journal, newest first, to numbers that are free."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._numbers: dict[tuple[str, object], int] = {}
        self._keys: dict[str, list[str]] = {}

    def translate(self, change: Row) -> dict[str, str]:
        """Return a change with the numbers under which its row is to be restored."""
        table, image = change["tbl"], json.loads(change["image"])
        names = self._key_names(table)
        key = dict(zip(names, json.loads(change["key"]), strict=True))
        if change["op"] == "delete" and table in _REUSED and self._is_taken(table, key["n"]):
            self._numbers[table, key["n"]] = self._next_number(table)
        key = self._with_numbers(table, key)
        if change["op"] == "update":
            pairs = image.items()
            image = {name: [self._number(table, name, one) for one in pair] for name, pair in pairs}
        else:
            image = self._with_numbers(table, image)
        return {
            "tbl": table,
            "op": change["op"],
            "key": json.dumps(list(key.values())),
            "image": json.dumps(image),
        }

    def _with_numbers(self, table: str, values: _RowImage) -> _RowImage:
        return {name: self._number(table, name, value) for name, value in values.items()}

    def _number(self, table: str, column: str, value: object) -> object:
        of = table if column == "n" else _OF_TABLE.get(column)
        return (
            value
            if of is None or isinstance(value, dict)
            else self._numbers.get((of, value), value)
        )

    def _key_names(self, table: str) -> Sequence[str]:
        if table not in self._keys:
            found = sorted(
                (c for c in self._connection.columns(table) if c.key), key=lambda c: c.key
            )
            self._keys[table] = [column.name for column in found]
        return self._keys[table]

    def _is_taken(self, table: str, n: object) -> bool:
        row = self._connection.execute(f"SELECT 1 FROM {table} WHERE n = ?", (n,)).fetchone()
        return row is not None

    def _next_number(self, table: str) -> int:
        (newest,) = self._connection.execute(f"SELECT max(n) FROM {table}").fetchone()
        return int(newest) + 1
