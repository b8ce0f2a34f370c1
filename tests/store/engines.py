"""The same rows in both engines: a database of PostgreSQL with all that a file of SQLite has."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from tests.store.postgres import PostgresServer

from memoria.store.postgres.driver import adapters
from memoria.store.postgres.schema import identity_keys, migrate
from memoria.store.sqlite.driver import SqliteConnection

Session = psycopg.Connection[tuple[Any, ...]]
ROLE = "ordinary"
PARENTS = {
    "embeddings": ("documents", "document_n"),
    "passages": ("documents", "document_n"),
    "name_uses": ("nodes", "node_n"),
    "nightly_steps": ("nightly_runs", "run_n"),
    "nightly_plan": ("nightly_runs", "run_n"),
    "nightly_changes": ("nightly_runs", "run_n"),
    "nightly_metrics": ("nightly_runs", "run_n"),
    "forget_digests": ("forget_reports", "report_n"),
}
"""Tables that have a tenant in PostgreSQL alone: whose row has it, and by which column."""


@contextmanager
def new_database(server: PostgresServer, name: str, *, is_migrated: bool = True) -> Iterator[str]:
    """Make a database with all tables, which belongs to an ordinary role; yields the address.

    Superusers are not held by row-level security.
    """
    with psycopg.connect(server.address, autocommit=True) as admin:
        if admin.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (ROLE,)).fetchone() is None:
            admin.execute(f"CREATE ROLE {ROLE} LOGIN")
        admin.execute(
            sql.SQL("CREATE DATABASE {} OWNER {}").format(*map(sql.Identifier, (name, ROLE)))
        )
    address = make_conninfo(server.address, dbname=name, user=ROLE)
    try:
        if is_migrated:
            with psycopg.connect(address, autocommit=True) as owner:
                migrate(owner)
        yield address
    finally:
        with psycopg.connect(server.address, autocommit=True) as admin:
            admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def as_superuser(server: PostgresServer, address: str) -> str:
    """Give the address at which the server's superuser reaches a database."""
    return make_conninfo(server.address, dbname=conninfo_to_dict(address)["dbname"])


def list_tables(source: SqliteConnection, session: Session) -> dict[str, list[str]]:
    """Map each table that both engines have to PostgreSQL's columns that statements may write."""
    known = {name for (name,) in source.tuples("SELECT name FROM sqlite_schema")}
    rows = session.execute(
        "SELECT c.relname, array_agg(a.attname ORDER BY a.attnum)"
        " FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid"
        " WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'"
        " AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''"
        " AND c.relname NOT IN ('schema_version', 'search_index')"
        " GROUP BY c.relname ORDER BY c.relname"
    )
    return {table: columns for table, columns in rows if table in known}


def copy_rows(source: SqliteConnection, target: Session) -> None:
    """Copy every row, with its numbers; no trigger does anything."""
    target.execute("SET session_replication_role = replica")
    tables = list_tables(source, target)
    for table in sorted(tables, key=lambda name: name in PARENTS):  # after their parents
        columns = tables[table]
        own = [name for name in columns if not (name == "tenant_id" and table in PARENTS)]
        names = ", ".join(f'"{name}"' for name in own)
        rows = source.tuples(f"SELECT {names} FROM {table}")
        values = ", ".join(["%s"] * len(own))
        if table in PARENTS:
            parent, key = PARENTS[table]
            names += ", tenant_id"
            values += f", coalesce((SELECT tenant_id FROM {parent} WHERE n = %s), 0)"
            rows = [(*row, row[own.index(key)]) for row in rows]
        with target.cursor() as cursor:
            cursor.executemany(f"INSERT INTO {table} ({names}) VALUES ({values})".encode(), rows)
    target.execute("SET session_replication_role = origin")
    target.execute("ANALYZE")


def set_counter(source: SqliteConnection, target: Session, table: str) -> None:
    """Have both engines give the same number to the next row of a table."""
    if key := identity_keys().get(table):
        given = dict(source.tuples("SELECT name, seq FROM sqlite_sequence"))
        last = given.get(table) or source.tuples(f"SELECT max({key}) FROM {table}")[0][0]
        target.execute(
            "SELECT setval(pg_get_serial_sequence(%s, %s), %s, %s)",
            (table, key, last or 1, last is not None),
        )


def normalize(value: object) -> object:
    """Give a value as both engines would: a flag is 1 or 0, JSON is what it says."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def open_session(address: str) -> Session:
    """Connect as the driver does."""
    return psycopg.connect(address, autocommit=True, context=adapters())
