"""Parameters for any statement, chosen from the rows that are there."""

import json
import re
from functools import cache, cached_property
from random import Random
from typing import Any

from tests.store.engines import PARENTS

from memoria.store.sqlite.driver import SqliteConnection

PLACES = "former first place workspace".split()
TIMES = (
    "at before begin end joined_at midnight moment not_before now said_before since touched_before "
    "until valid_to"
).split()
FIXED: dict[str, list[Any]] = {
    "count each few keep limit many most most_turns over page reach": [1, 2, 5, 1000],
    "idle lease longest longest_lease longest_pause": [0, 1000, 1 << 40],
    "offset": [0, 1],
    "boolean": [False, True],
    "double precision": [0.0, 0.25, 1.0],
    "jsonb": ["{}", '{"tokens": 7}'],
}
"""Values by parameter, or by type."""
METADATA = ["{}", '{"ticket": "T-1"}', '{"count": 3, "done": true, "tags": "a"}']
COLUMNS = {
    "by": ("memory_versions.inferred_by",),
    "canonical": ("entities.n",),
    "dst": ("nodes.n", "memories.id"),
    "file": ("core_lines.file",),
    "heir": ("nodes.n",),
    "into_id": ("memories.id",),
    "key": ("entity_names.key",),
    "last": ("documents.n",),
    "memory_id": ("memories.id",),
    "memory_n": ("memories.n",),
    "model": ("embedding_models.n", "embedding_models.name"),
    "of": ("tenants.name",),
    "other": ("memories.id", "memories.n"),
    "owner": ("leases.owner", "extraction_queue.lease_owner"),
    "project": ("workspaces.name",),
    "session_n": ("sessions.n",),
    "subject": ("memories.subject", "tombstones.subject", "audit_log.subject"),
    "src": ("nodes.n", "memories.id"),
    "survivor": ("memories.n",),
    "tenant_name": ("tenants.name",),
    "tombstone": ("tombstones.n",),
    "topic": ("entities.id",),
    "turn_n": ("turns.n",),
}
"""Columns that parameters of other names are compared with, or where one name has many."""
_LISTS = {
    "numbers": r"unnest\(CAST\(translate",
    "texts": r"unnest\(ARRAY\(SELECT jsonb_array_elements_text",
    "lists": r"\(SELECT value FROM jsonb_array_elements",
    "pairs": r"FROM jsonb_each_text",
}
_SORTS: dict[str, type | tuple[type, ...]] = {
    "bigint": int,
    "boolean": int,
    "bytea": bytes,
    "double precision": float,
    "jsonb": str,
    "text": str,
}


class Parameters:
    """Parameters of one tenant's statements."""

    def __init__(
        self, connection: SqliteConnection, tables: dict[str, list[str]], tenant: int
    ) -> None:
        self._tenant = tenant
        self._values: dict[tuple[str, str], list[Any]] = {}
        self._rows = {
            table: _read_own(connection, table, columns, tenant)
            for table, columns in tables.items()
        }

    def choose(self, sql: str, types: dict[str, str], random: Random) -> dict[str, Any]:
        """Choose a value for each parameter, many of them from one row.

        Args:
            sql: the statement as PostgreSQL runs it.
            types: PostgreSQL's type of each parameter.
            random: chooses.
        """
        row = random.choice(random.choice([self._rows[one] for one in self._list_tables(sql)]))
        if "session_n" in row:
            row = next(s for s in self._rows["sessions"] if s["n"] == row["session_n"]) | row
        return {name: self._choose(sql, name, types[name], row, random) for name in types}

    def _choose(self, sql: str, name: str, sort: str, row: dict[str, Any], random: Random) -> Any:  # noqa: ANN401  (a parameter is anything)
        if name == "tenant":
            return self._tenant
        if _may_be_null(sql, name) and random.random() < 0.4:
            return None
        if kind := _kind_of_list(sql, name):
            return self._choose_list(sql, kind, name, random)
        known = row.get(name)
        if known is not None and isinstance(known, _SORTS[sort]) and random.random() < 0.6:
            return known
        if (name, sort) not in self._values:
            self._values[name, sort] = self._list_values(name, sort)
        return random.choice(self._values[name, sort])

    def _list_tables(self, sql: str) -> list[str]:
        """List the tables that a statement names, or else all: those that have rows."""
        having = [table for table, rows in self._rows.items() if rows]
        named = set(re.findall(r"\b(?:FROM|JOIN|INTO|UPDATE) (\w+)", sql))
        return [table for table in having if table in named] or having

    def _list_values(self, name: str, sort: str) -> list[Any]:
        if name == "metadata":
            return METADATA
        if sort == "bigint" and name in PLACES:
            return [row["n"] for row in self._rows["workspaces"]]
        if sort == "bigint" and name in TIMES:
            return self._times
        for names, values in FIXED.items():
            if (name in names.split() and sort == "bigint") or names == sort:
                return values
        found = [
            value
            for table, rows in self._rows.items()
            for row in rows
            for column, value in row.items()
            if f"{table}.{column}" in COLUMNS.get(name, (f"{table}.{name}",))
            and isinstance(value, _SORTS[sort])
        ]
        if found and sort == "text":
            return [*found, "", "\U0010ffff"]
        others: dict[str, list[Any]] = {
            "bigint": [0, *self._numbers],
            "bytea": [b"", b"x"],
            "text": self._texts,
        }
        return found or others[sort]

    def _choose_list(self, sql: str, kind: str, name: str, random: Random) -> str:
        def some(values: list[Any]) -> list[Any]:
            return [value for value in values if random.random() < 0.6]

        match kind:
            case "numbers" if name == "days":
                return json.dumps(some(self._times))
            case "numbers":
                return json.dumps(some(self._numbers))
            case "pairs":
                return json.dumps({one: random.choice(self._times) for one in some(self._texts)})
            case "lists":
                span = random.choice(self._rows["turns"])["session_n"], 0, 40
                names = ("derived", "since", "session_n", "first_index", "last_index")
                whole = dict(zip(names, ("d", random.choice(self._times), *span), strict=True))
                return json.dumps([whole if "'derived'" in sql else span])
            case _:
                return json.dumps(some(self._texts))

    @cached_property
    def _numbers(self) -> list[int]:
        """Numbers of rows, and small ones."""
        return sorted({v for k, v in self._pairs if isinstance(v, int) and (k == "n" or v < 40)})

    @cached_property
    def _times(self) -> list[int]:
        """Times that rows have, and one before and one after all of them."""
        found = {v for k, v in self._pairs if isinstance(v, int) and (k == "at" or "_at" in k)}
        return [0, *sorted(found), 1 << 50]

    @cached_property
    def _texts(self) -> list[str]:
        """Short texts of rows, ends of ids, and hashes in hexadecimal."""
        short = {v for _, v in self._pairs if isinstance(v, str) and len(v) < 60}
        ends = {v[-8:] for k, v in self._pairs if k == "id" and isinstance(v, str)}
        hashes = {v.hex().upper() for k, v in self._pairs if "hash" in k and v is not None}
        return sorted(short | ends | hashes)

    @cached_property
    def _pairs(self) -> list[tuple[str, Any]]:
        return [pair for rows in self._rows.values() for row in rows for pair in row.items()]


def _read_own(
    connection: SqliteConnection, table: str, columns: list[str], tenant: int
) -> list[dict[str, Any]]:
    if table in PARENTS:
        parent, key = PARENTS[table]
        columns = [name for name in columns if name != "tenant_id"]
        own = f"{key} IN (SELECT n FROM {parent} WHERE tenant_id = {tenant})"
    else:
        own = f"tenant_id = {tenant}" if "tenant_id" in columns else "TRUE"
    names = ", ".join(f'"{name}"' for name in columns)
    rows = connection.tuples(f"SELECT {names} FROM {table} WHERE {own} ORDER BY 1, 2")
    return [dict(zip(columns, row, strict=True)) for row in rows]


@cache
def _kind_of_list(sql: str, name: str) -> str | None:
    """Find which kind of list a statement takes a parameter for; None for no list."""
    for kind, form in _LISTS.items():
        if re.search(rf"{form}\((?:CAST\()*:{name}\b", sql):
            return kind
    return None


@cache
def _may_be_null(sql: str, name: str) -> bool:
    """Whether a statement is made for a parameter without a value."""
    bound = rf"(?:CAST\()*:{name}\b(?: AS \w+\))?"
    said = re.search(rf"coalesce\({bound}|DISTINCT FROM {bound}|{bound} IS NULL", sql)
    return said is not None or name in PLACES
