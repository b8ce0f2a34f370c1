"""One body of SQL: what every engine says in the same words, PostgreSQL understands."""

import re
from pathlib import Path

import pytest
from tests.store.postgres import PostgresServer, translate_schema
from tests.store.sql_files import list_own, list_shared

from memoria.store.sql.statements import statements
from memoria.store.sqlite.driver import connect
from memoria.store.sqlite.migrate import migrate

FULL_TEXT = "the full text is a table of FTS5"
OWN = {
    "core_lines": (1, "a pragma tells whether others have committed"),
    "documents": (21, f"{FULL_TEXT}; only a file is scrubbed"),
    "erasures": (3, FULL_TEXT),
    "examination": (6, "tables and indexes as SQLite describes them, and the full text"),
    "hidden": (1, "only a file is scrubbed"),
    "index_segments": (4, FULL_TEXT),
    "metrics": (1, FULL_TEXT),
    "packed_texts": (3, "tables that a migration of SQLite drops"),
    "scrub": (3, FULL_TEXT),
    "word_renewal": (1, FULL_TEXT),
}
"""Of each file of what SQLite alone says, how many statements it has, and why."""
NOT_YET = {
    "graph.beginning": "DISTINCT in the order of what is not shown, which stops at the limit",
    "queue.widen": "UPDATE OR IGNORE, of rows that may become the same",
}
"""Statements that every engine needs and PostgreSQL does not understand. May only become fewer."""
_PARAMETER = re.compile(r"(?<!:):(\w+)")


def _schema(folder: Path) -> list[str]:
    connection = connect(folder / "schema.db", 5000)
    migrate(connection)
    rows = connection.execute(
        "SELECT sql FROM sqlite_schema WHERE type IN ('table', 'index') AND sql IS NOT NULL "
        "AND name NOT LIKE 'search_index%' AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
    ).fetchall()
    connection.close()
    return translate_schema(row[0] for row in rows)


def _number_parameters(sql: str) -> str:
    """Return a statement with $1 for the first parameter it names, as PREPARE has them."""
    numbers: dict[str, int] = {}
    bare = re.sub(r"--.*", "", sql)
    return _PARAMETER.sub(lambda m: f"${numbers.setdefault(m[1], len(numbers) + 1)}", bare)


def test_postgres_understands_every_shared_statement(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    psycopg = pytest.importorskip("psycopg")
    refused = {}
    with psycopg.connect(postgres.address, autocommit=True) as connection:
        for definition in _schema(tmp_path):
            connection.execute(definition)
        for file in list_shared():
            for name, sql in statements(file, "postgres").items():
                try:
                    connection.execute(f'PREPARE "{file}.{name}" AS {_number_parameters(sql)}')
                except psycopg.Error as error:
                    refused[f"{file}.{name}"] = str(error)
    assert set(refused) == set(NOT_YET), refused


def test_only_what_sqlite_alone_has_stands_apart() -> None:
    only = {file: set(statements(file)) - set(statements(file, "postgres")) for file in list_own()}
    assert {file: len(names) for file, names in only.items()} == {
        file: count for file, (count, _) in OWN.items()
    }


def test_sqlite_keeps_its_hints_and_postgres_gets_none() -> None:
    sql = {d: " ".join(statements("conversations", d).values()) for d in ("sqlite", "postgres")}
    assert "+tenant_id" in sql["sqlite"]
    assert "CROSS JOIN" in sql["sqlite"]
    assert "+tenant_id" not in sql["postgres"]
    assert "CROSS JOIN" not in sql["postgres"]
