"""The tables of a PostgreSQL database: those of a file of SQLite, each tenant by itself."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from psycopg import sql
from tests.store.engines import (
    PARENTS,
    Session,
    as_superuser,
    copy_rows,
    list_tables,
    new_database,
    open_session,
)
from tests.store.postgres import PostgresServer
from tests.store.tenant_life import SAID, live

from memoria.store.postgres.schema import migrate, migrations
from memoria.store.sqlite import SqliteStore
from memoria.store.sqlite.driver import SqliteConnection, connect

GENERATED = {("memories", "short_id"), ("turns", "short_id")}
"""Row-level security keeps an index of an expression from being used; SQLite has such ones."""
MIGRATE = """
    import sys
    import psycopg
    from memoria.store.postgres.schema import migrate
    with psycopg.connect(sys.argv[1], autocommit=True) as session:
        migrate(session)
"""
NEVER_UPDATED = {"search_index"}  # a trigger refuses it, whoever asks
REFUSED = (  # the parent row, from which a row takes its tenant, is not seen either
    psycopg.errors.InsufficientPrivilege,
    psycopg.errors.NotNullViolation,
)
NO_TENANT = (psycopg.errors.UndefinedObject, psycopg.errors.InvalidTextRepresentation)
COLUMNS = """
SELECT c.relname, a.attname, a.attnotnull FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.relnamespace = CAST('public' AS REGNAMESPACE) AND a.attnum > 0 AND NOT a.attisdropped
  AND c.relkind IN ('r', 'p')"""
UNIQUES = """
SELECT CAST(CAST(i.indrelid AS REGCLASS) AS TEXT),
       (SELECT array_agg(a.attname ORDER BY k.place)
        FROM unnest(CAST(i.indkey AS SMALLINT[])) WITH ORDINALITY AS k (number, place)
        JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number),
       i.indpred IS NOT NULL
FROM pg_index i WHERE i.indisunique"""
FOREIGN = """
SELECT CAST(CAST(c.conrelid AS REGCLASS) AS TEXT), CAST(CAST(c.confrelid AS REGCLASS) AS TEXT),
       (SELECT array_agg(a.attname ORDER BY k.place)
        FROM unnest(c.conkey) WITH ORDINALITY AS k (number, place)
        JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.number),
       CASE c.confdeltype WHEN 'a' THEN 'NO ACTION' WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL'
                          ELSE CAST(c.confdeltype AS TEXT) END
FROM pg_constraint c WHERE c.contype = 'f'"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteConnection]:
    """What two tenants who did everything left in a file."""
    path = tmp_path_factory.mktemp("schema") / "memoria.db"
    store = SqliteStore(path, busy_timeout_ms=5000, readers=1)
    for tenant in ("ann", "bob"):
        live(store, tenant, SAID)
    store.close()
    connection = connect(path, 5000)
    yield connection
    connection.close()


@pytest.fixture(scope="module")
def address(postgres: PostgresServer, file: SqliteConnection) -> Iterator[str]:
    """A database with the same rows."""
    with new_database(postgres, "schema") as made:
        with open_session(as_superuser(postgres, made)) as session:
            copy_rows(file, session)
        yield made


@pytest.fixture
def session(address: str) -> Iterator[Session]:
    """A session in the database, which sees all tenants."""
    with open_session(address) as opened:
        opened.execute("SELECT set_config('memoria.tenant', '0', false)")
        yield opened


def list_with_tenant(session: Session) -> list[str]:
    return sorted(table for table, column, _ in session.execute(COLUMNS) if column == "tenant_id")


def test_both_engines_have_the_same_columns(file: SqliteConnection, session: Session) -> None:
    tables = list_tables(file, session)
    found = {row for row in session.execute(COLUMNS).fetchall() if row[0] in tables}
    own = {(table, "tenant_id", True) for table in PARENTS}
    own |= {(*column, False) for column in GENERATED}
    assert found - own == {
        (table, name, bool(is_needed or key))
        for table in tables
        for _, name, _, is_needed, _, key in file.tuples(f"PRAGMA table_info({table})")
    }


def test_the_same_rows_are_unique(file: SqliteConnection, session: Session) -> None:
    tables = list_tables(file, session)
    found = {
        (table, tuple(columns), is_partial)
        for table, columns, is_partial in session.execute(UNIQUES).fetchall()
        if table in tables
    }
    expected = set()
    for table in tables:
        keys = {key: name for _, name, *_, key in file.tuples(f"PRAGMA table_info({table})") if key}
        expected.add((table, tuple(keys[place] for place in sorted(keys)), False))
        for _, name, is_unique, _, is_partial in file.tuples(f"PRAGMA index_list({table})"):
            if is_unique:
                columns = tuple(one for *_, one in file.tuples(f"PRAGMA index_info({name})"))
                expected.add((table, columns, bool(is_partial)))
    assert found == expected


def test_the_same_rows_go_with_others(file: SqliteConnection, session: Session) -> None:
    tables = list_tables(file, session)
    found = {
        (table, to, tuple(columns), action)
        for table, to, columns, action in session.execute(FOREIGN).fetchall()
        if table in tables
    }
    expected = set()
    for table in tables:
        keys: dict[int, tuple[str, str, list[str], str]] = {}
        for n, _, to, column, _, _, action, _ in file.tuples(f"PRAGMA foreign_key_list({table})"):
            keys.setdefault(n, (table, to, [], action))[2].append(column)
        expected |= {(table, to, tuple(columns), act) for table, to, columns, act in keys.values()}
    assert found == expected


def test_row_level_security_holds_whoever_owns_the_tables(session: Session) -> None:
    forced = session.execute("SELECT relname FROM pg_class WHERE relforcerowsecurity")
    assert sorted(name for (name,) in forced) == list_with_tenant(session)


def test_nothing_is_read_without_a_tenant(address: str, session: Session) -> None:
    with open_session(address) as unset:
        for table in list_with_tenant(session):
            read = sql.SQL("SELECT FROM {} LIMIT 1").format(sql.Identifier(table))
            if session.execute(read).rowcount:
                with pytest.raises(NO_TENANT):
                    unset.execute(read)


def test_a_tenant_reaches_no_other_tenants_rows(session: Session) -> None:
    for table in set(list_with_tenant(session)) - NEVER_UPDATED:
        name = sql.Identifier(table)
        of_bob = session.execute(
            sql.SQL("SELECT count(*) FROM {} WHERE tenant_id = 2").format(name)
        ).fetchone()
        assert of_bob is not None
        with session.transaction(force_rollback=True):
            session.execute("SELECT set_config('memoria.tenant', '1', true)")
            for statement in (
                "SELECT FROM {} WHERE tenant_id = 2",
                "UPDATE {} SET tenant_id = 1 WHERE tenant_id = 2",
                "DELETE FROM {} WHERE tenant_id = 2",
            ):
                done = session.execute(sql.SQL(statement).format(name))
                assert done.rowcount == 0, f"{table} has {of_bob[0]} rows of another tenant"


def test_a_tenant_writes_no_rows_of_another(file: SqliteConnection, session: Session) -> None:
    tried = []
    for table, columns in list_tables(file, session).items():
        names = sql.SQL(", ").join(map(sql.Identifier, columns))
        read = sql.SQL("SELECT {} FROM {} WHERE tenant_id = 2 LIMIT 1").format(
            names, sql.Identifier(table)
        )
        row = session.execute(read).fetchone() if "tenant_id" in columns else None
        if row is None:
            continue
        marks = sql.SQL(", ").join([sql.Placeholder()] * len(row))
        insert = sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(
            sql.Identifier(table), names, marks
        )
        with session.transaction(force_rollback=True):
            session.execute("SELECT set_config('memoria.tenant', '1', true)")
            with pytest.raises(REFUSED):
                session.execute(insert, row)
        tried.append(table)
    assert len(tried) > 30


def test_migrating_twice_changes_nothing(postgres: PostgresServer) -> None:
    with new_database(postgres, "twice") as address, open_session(address) as session:
        when = session.execute("SELECT * FROM schema_version").fetchall()
        migrate(session)
        assert session.execute("SELECT * FROM schema_version").fetchall() == when
        assert [number for number, _ in when] == [number for number, _ in migrations()]


def test_two_processes_may_begin_a_database_at_once(
    postgres: PostgresServer, run_python: Callable[..., str]
) -> None:
    with new_database(postgres, "at_once", is_migrated=False) as address:
        with ThreadPoolExecutor() as threads:
            begun = [threads.submit(run_python, MIGRATE, address) for _ in range(2)]
        assert [one.result() for one in begun] == ["", ""]
        with open_session(address) as session:
            rows = session.execute("SELECT number FROM schema_version ORDER BY 1").fetchall()
        assert [number for (number,) in rows] == [number for number, _ in migrations()]
