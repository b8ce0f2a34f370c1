"""All rows of a memory, read by what the schema says alone, wherever they are kept.

It knows nothing of how a move is made: it is what both ends of one are compared by.
"""

from collections.abc import Callable
from contextlib import closing
from typing import Any

import psycopg

from memoria.config import Settings
from memoria.disk.home_files import DATABASE
from memoria.store.sqlite.driver import connect

LEFT_OUT = {"settings", "leases", "schema_version"}
"""Of an engine's own; what is derived begins with one of the words below."""
DERIVED = ("search_index", "vectors", "sqlite_")
COUNTERS = {"tenants": {"changes", "last_erasure"}, "documents": {"changed"}}
"""Columns by which caches are told to read again, as after any building of indexes anew."""
Rows = dict[str, list[tuple[Any, ...]]]


def read_file(settings: Settings) -> Rows:
    """All rows of a file, read by what its schema says alone."""
    with closing(connect(settings.home_path / DATABASE, 1000)) as own:
        tables = [name for (name,) in own.tuples(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'"
        )]  # fmt: skip
        return {
            table: read_rows(
                [name for _, name, *_ in own.tuples(f'PRAGMA table_info("{table}")')],
                table,
                own.tuples,
            )
            for table in tables
            if is_compared(table)
        }


def read_database(settings: Settings, like: Settings) -> Rows:
    """All rows of the same tables of a database, in the columns that the file has."""
    assert settings.database_url is not None
    with (
        closing(connect(like.home_path / DATABASE, 1000)) as file,
        psycopg.connect(settings.database_url.get_secret_value()) as own,
    ):
        own.execute("SELECT set_config('memoria.tenant', '0', false)")
        return {
            table: read_rows(
                [name for _, name, *_ in file.tuples(f'PRAGMA table_info("{table}")')],
                table,
                lambda sql: own.execute(sql.encode()).fetchall(),
            )
            for table in read_file(like)
        }


def read_rows(
    columns: list[str], table: str, ask: Callable[[str], list[tuple[Any, ...]]]
) -> list[tuple[Any, ...]]:
    names = ", ".join(f'"{one}"' for one in columns if one not in COUNTERS.get(table, ()))
    rows = ask(f'SELECT {names} FROM "{table}"')  # noqa: S608  (names of the schema)
    return sorted((tuple(map(plain, row)) for row in rows), key=repr)


def plain(value: object) -> object:
    return int(value) if isinstance(value, bool) else value


def is_compared(table: str) -> bool:
    return table not in LEFT_OUT and not table.startswith(DERIVED)
