"""Everything a home holds that is not derived, to be compared row by row."""

import hashlib
import re
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from memoria.bare.home import OWNER_FILE, TENANTS
from memoria.disk.folders import tenant_folder
from memoria.disk.home_files import BACKUPS, DATABASE
from memoria.store.connection import Connection
from memoria.store.rows.revert import JOURNALED_TABLES
from memoria.store.sqlite.driver import connect

Dump = dict[str, list[tuple[Any, ...]]]
RECORDS = ("audit_log", "nightly_steps", "nightly_changes")
"""What a night writes about itself: equal too where one that was killed has been finished."""
_FILES = "files"
_TOKENS = re.compile(r',"tokens":\d+')


def dump(home: Path, *more: str) -> Dump:
    """The rows of every table that a night may change, what the text index holds, and the files.

    Args:
        home: whose; it is not changed.
        more: other tables.
    """
    with closing(connect(home / DATABASE, 5000, read_only=True)) as connection:
        return dump_rows(connection, *more) | {_FILES: dump_files(home)}


def dump_rows(connection: Connection, *more: str) -> Dump:
    """The rows of every table that a night may change, and what the text index holds."""
    found = {table: _rows(connection, table) for table in (*JOURNALED_TABLES, *more)}
    numbers = [column.name for column in connection.columns("search_index") if column.key]
    number = numbers[0] if numbers else "rowid"
    sql = f"SELECT {number}, scope, words, context FROM search_index"  # noqa: S608  (its key)
    found["search_index"] = sorted(map(tuple, connection.execute(sql)))
    return found


def differences(one: Dump, other: Dump) -> list[str]:
    """A line for every table in which they differ."""
    return [
        f"{table}: {_differ(one[table], other[table])}"
        for table in one
        if one[table] != other[table]
    ]


def _differ(one: Sequence[tuple[Any, ...]], other: Sequence[tuple[Any, ...]]) -> str:
    only_one, only_other = set(one) - set(other), set(other) - set(one)
    example = min(only_one or only_other, key=repr, default=())
    return f"{len(only_one)} rows only here, {len(only_other)} only there, such as {example!r:.300}"


def _rows(connection: Connection, table: str) -> list[tuple[Any, ...]]:
    names = ", ".join(column.name for column in connection.columns(table))
    rows = connection.execute(f"SELECT {names} FROM {table}")  # noqa: S608  (the schema's names)
    found = map(tuple, rows)
    return sorted(map(_unpaid, found) if table == "nightly_steps" else found, key=repr)


def _unpaid(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """A step's record but for its tokens: who was killed while asking pays again."""
    return tuple(_TOKENS.sub("", cell) if isinstance(cell, str) else cell for cell in row)


def dump_files(home: Path) -> list[tuple[str, str]]:
    """Path and digest of every file but the database, its copies and what folders say of whose.

    A tenant's folder says its tenant's name from its making on, and an undo leaves it there.
    """
    found = []
    for file in home.rglob("*"):
        path = file.relative_to(home)
        is_kept = path.parts[0] == BACKUPS or path.name.startswith(DATABASE)
        if file.is_file() and not is_kept and not _names_owner(home, file):
            found.append((path.as_posix(), hashlib.sha256(file.read_bytes()).hexdigest()))
    return sorted(found)


def _names_owner(home: Path, file: Path) -> bool:
    """Return whether a file says the name of the tenant whose folder it is in, and nothing else."""
    if file.name != OWNER_FILE or file.parent.parent != home / TENANTS:
        return False
    return tenant_folder(home, file.read_text("utf-8", "surrogateescape")) == file.parent
