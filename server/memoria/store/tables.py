"""Tables that a move from one engine to another copies, and how they are copied row by row.

Rows keep their numbers, so that references, journals of nights and what a forget hides mean the
same afterwards. What an engine derives for itself is left out: words and vectors to search, leases,
and settings of its own.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import islice
from typing import Any, NamedTuple, Protocol

from memoria.store.connection import Connection

MOVED_TABLES = (
    "tenants",
    "embedding_models",
    "workspaces",
    "raw_chunks",
    "documents",
    "sessions",
    "turns",
    "tool_calls",
    "memories",
    "memory_versions",
    "grounds",
    "memory_evidence",
    "nodes",
    "entities",
    "entity_names",
    "name_uses",
    "edges",
    "segments",
    "episodes",
    "extraction_queue",
    "embeddings",
    "passages",
    "embedding_backlog",
    "scratchpads",
    "completed_tasks",
    "core_files",
    "core_lines",
    "generated_files",
    "nightly_runs",
    "nightly_steps",
    "nightly_plan",
    "nightly_changes",
    "nightly_metrics",
    "tombstones",
    "tombstone_digests",
    "tombstone_vectors",
    "forget_reports",
    "forget_digests",
    "hidden_changes",
    "hidden_texts",
    "hidden_files",
    "private_times",
    "transcripts",
    "model_calls",
    "tokens",
    "events",
    "webhooks",
    "audit_log",
)
"""Tables in the order of their references: what a row refers to is in an earlier one."""
SELF_REFERENCES: Mapping[str, str] = {
    "turns": "attached_to",
    "memories": "merged_into",
    "entities": "canonical_n",
}
"""Columns that refer to other rows of their own table, perhaps to later ones."""
_CHANGES = {"documents": ("changed",)}
"""Columns that no journal has, as they only tell what to read again; a copy needs them."""
_OF_NO_TENANT = {"tenant": 0}
_PAGE = 1000
Note = Callable[[int], None]
"""Called with a number of rows that are done with."""


class MovedRows(Protocol):
    """All rows of a database, as a move reads and writes them."""

    def read_all(self) -> AbstractContextManager[Connection]:
        """Yield a connection that reads one snapshot of all tenants' rows."""
        ...

    def change_table(self, table: str) -> AbstractContextManager[Connection]:
        """Begin a change of one table, all or nothing, in which none of its triggers acts."""
        ...

    def read_numbers(self, connection: Connection) -> Mapping[str, int]:
        """Map tables to the highest number that a row of theirs has had, where that is known."""
        ...

    def raise_numbers(self, numbers: Mapping[str, int]) -> None:
        """Have further rows of each table numbered from beyond a number, and beyond all it has."""
        ...


class Difference(NamedTuple):
    """Rows in which a copy differs from its source: those to write, and keys of those to delete."""

    lacking: list[tuple[Any, ...]]
    changed: list[tuple[Any, ...]]
    extra: list[tuple[Any, ...]]


class _MovedTable(NamedTuple):
    """A table with its columns, in the order of its key and then of their names."""

    name: str
    columns: tuple[str, ...]
    key: int
    """Number of columns of the key, which come first."""

    def read(self, connection: Connection) -> "AbstractContextManager[Iterator[Any]]":
        """Read the rows in the order of their keys."""
        columns, key = _quote(self.columns), _quote(self.columns[: self.key])
        return connection.stream(f'SELECT {columns} FROM "{self.name}" ORDER BY {key}')

    def write(self, connection: Connection, found: Difference) -> None:
        """Write the rows in which a copy differs."""
        refers = SELF_REFERENCES.get(self.name)
        places = [*range(len(self.columns))]
        later = None if refers is None else self.columns.index(refers)
        marks = ", ".join("?" if at != later else "NULL" for at in places)
        added = [tuple(v for at, v in enumerate(row) if at != later) for row in found.lacking]
        connection.executemany(
            f'INSERT INTO "{self.name}" ({_quote(self.columns)}) VALUES ({marks})', added
        )
        rest = self.columns[self.key :]
        where = " AND ".join(f'"{one}" = ?' for one in self.columns[: self.key])
        if rest:
            sets = ", ".join(f'"{one}" = ?' for one in rest)
            changed = [(*row[self.key :], *row[: self.key]) for row in found.changed]
            connection.executemany(f'UPDATE "{self.name}" SET {sets} WHERE {where}', changed)
        gone = [row[: self.key] for row in found.extra]
        connection.executemany(f'DELETE FROM "{self.name}" WHERE {where}', gone)

    def refer(self, connection: Connection, rows: Sequence[tuple[Any, ...]]) -> None:
        """Set the references of rows to others of the table, which are there by now."""
        refers = SELF_REFERENCES.get(self.name)
        if refers is None:
            return
        at = self.columns.index(refers)
        asked = [(row[at], row[0]) for row in rows if row[at] is not None]
        sql = f'UPDATE "{self.name}" SET "{refers}" = ? WHERE "{self.columns[0]}" = ?'
        connection.executemany(sql, asked)


def copy_table(name: str, source: Connection, target: MovedRows, note: Note) -> int:
    """Copy what a table lacks or has otherwise, and return the number of rows that were written.

    Args:
        name: the table, one of `MOVED_TABLES`.
        source: a snapshot of the source.
        target: the copy.
        note: called as rows are done with.
    """
    written = 0
    with target.read_all() as before:
        table = _open_table(name, source, before)
        with target.change_table(name) as connection:
            referring: list[tuple[Any, ...]] = []
            for found in list_differences(table, source, before, note):
                table.write(connection, found)
                written += sum(map(len, found))
                referring += found.lacking if name in SELF_REFERENCES else ()
            table.refer(connection, referring)
    return written


def empty_outdated(source: Connection, target: MovedRows) -> None:
    """Empty the first table in which a copy has what its source has not, and all after it.

    What refers to a row that goes is in a later table, and goes before. The first table stays: its
    rows are brought up to date where they are, as all others refer to them. What goes may have been
    forgotten in the source meanwhile, so that its traces are to be wiped.
    """
    with target.read_all() as before:
        outdated = next(
            (
                at
                for at, name in enumerate(MOVED_TABLES)
                if at and _is_outdated(_open_table(name, source, before), source, before)
            ),
            len(MOVED_TABLES),
        )
    for name in reversed(MOVED_TABLES[outdated:]):
        with target.change_table(name) as connection:
            connection.execute(f'DELETE FROM "{name}"')
            connection.execute(connection.statements("hidden")["want_scrub"], _OF_NO_TENANT)


def _is_outdated(table: _MovedTable, source: Connection, target: Connection) -> bool:
    """Check whether a copy has rows that its source has otherwise, or not at all."""
    pages = list_differences(table, source, target, lambda _: None)
    return any(found.changed or found.extra for found in pages)


def count_differences(name: str, source: Connection, target: Connection, note: Note) -> int:
    """Count the rows in which a table differs, of those on either side."""
    table = _open_table(name, source, target)
    pages = list_differences(table, source, target, note)
    return sum(sum(map(len, found)) for found in pages)


def list_differences(
    table: _MovedTable, source: Connection, target: Connection, note: Note
) -> Iterator[Difference]:
    """Compare a table on both sides, and yield what differs page by page."""
    with table.read(source) as left, table.read(target) as right:
        there = map(_normalise, right)
        other = next(there, None)
        while page := [*map(_normalise, islice(left, _PAGE))]:
            found = Difference([], [], [])
            for row in page:
                key = row[: table.key]
                while other is not None and other[: table.key] < key:
                    found.extra.append(other)
                    other = next(there, None)
                if other is None or other[: table.key] != key:
                    found.lacking.append(row)
                    continue
                if other != row:
                    found.changed.append(row)
                other = next(there, None)
            yield found
            note(len(page))
        if other is not None:
            yield Difference([], [], [other, *there])


def _open_table(name: str, source: Connection, target: Connection) -> _MovedTable:
    """Return a table with the columns that both sides have.

    An engine may keep the tenant of a row in it where another finds it in the row's parent.
    """
    there = {one.name for one in target.columns(name)}
    columns = [one for one in source.columns(name) if one.name in there]
    key = sorted((one for one in columns if one.key), key=lambda one: one.key)
    rest = sorted((*(one.name for one in columns if not one.key), *_CHANGES.get(name, ())))
    return _MovedTable(name, (*(one.name for one in key), *rest), len(key))


def _normalise(row: Sequence[Any]) -> tuple[Any, ...]:
    """Return a row's values as all engines have them: a flag is a number."""
    return tuple(int(value) if isinstance(value, bool) else value for value in row)


def _quote(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
