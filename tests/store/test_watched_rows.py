"""PostgreSQL's triggers for rows that are put back: on which tables, and with all columns."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import cast

import pytest
from tests.databases import Databases
from tests.store.own_database import connected

from memoria.app.engine import open_store
from memoria.config import Settings
from memoria.store.connection import Connection
from memoria.store.postgres.driver import PostgresConnection
from memoria.store.rows.forgotten import HIDDEN_TABLES
from memoria.store.rows.revert import JOURNALED_TABLES
from memoria.store.sqlite.journal import list_columns
from memoria.store.sqlite.schema import schema


@pytest.fixture
def connection(databases: Databases, home: Path) -> Iterator[PostgresConnection]:
    """A connection to a home's empty database."""
    with databases.dropping():
        named = databases.settings_of(home)
        settings = Settings.from_values(home=home, embedder="off", **named)
        open_store(settings).close()
        with connected(settings) as raw:
            yield PostgresConnection(raw, only_reads=False)


@pytest.mark.parametrize(
    ("function", "tables"), [("journal_change", JOURNALED_TABLES), ("hide_change", HIDDEN_TABLES)]
)
def test_each_table_that_is_put_back_is_watched_and_no_other(
    connection: PostgresConnection, function: str, tables: tuple[str, ...]
) -> None:
    assert set(read_watched(connection, function)) == set(tables)


@pytest.mark.parametrize("function", ["journal_change", "hide_change"])
def test_a_trigger_knows_each_column_of_its_table(
    connection: PostgresConnection, function: str
) -> None:
    for table, definition in read_watched(connection, function).items():
        columns = connection.columns(table)
        unknown = [one for one in columns if f'"{one.name}": "{one.declared}"' not in definition]
        assert unknown == [], table


@pytest.mark.parametrize("table", sorted({*JOURNALED_TABLES, *HIDDEN_TABLES}))
def test_what_is_put_back_of_a_table_has_the_columns_that_sqlite_knows(
    connection: PostgresConnection, table: str
) -> None:
    with closing(sqlite3.connect(":memory:")) as other:
        other.row_factory = sqlite3.Row
        other.execute(schema()[table])
        known = list_columns(cast("Connection", other), table)
    columns = connection.columns(table)
    assert {(one.name, one.key) for one in columns} == {(one.name, one.key) for one in known}


def read_watched(connection: PostgresConnection, function: str) -> dict[str, str]:
    """Read the triggers with a function: the definition of each, by its table."""
    sql = """
        SELECT c.relname, pg_get_triggerdef(t.oid)
        FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
        WHERE t.tgname = :function AND NOT t.tgisinternal"""
    return dict(connection.tuples(sql, {"function": function}))
