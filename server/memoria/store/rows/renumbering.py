"""Renumbering: restoring rows under new numbers if others have theirs by now.

SQLite gives the number of the newest row again once that row is deleted. Rows that refer to a row
with a new number are restored with that number. A row is restored after those it refers to.
"""

import json
from collections.abc import Sequence

from memoria.store.connection import Connection, Row

_REUSED = ("memories", "memory_evidence", "entity_names", "completed_tasks", "segments")
"""Tables, of those that a forget deletes from, whose numbers may be given again."""
_OF_TABLE = {"memory_n": "memories", "merged_into": "memories", "name_n": "entity_names"}
"""Table that a column's numbers belong to."""
_Image = dict[str, object]


class Renumbering:
    """Translates the changes of a journal, newest first, to numbers that are free."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._numbers: dict[tuple[str, object], int] = {}
        self._keys: dict[str, list[str]] = {}

    def translate(self, change: Row) -> dict[str, str]:
        """Return a change with the numbers under which it is to be restored."""
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

    def _with_numbers(self, table: str, values: _Image) -> _Image:
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
