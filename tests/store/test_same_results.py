"""Every statement that both engines run says and does the same in both."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import psycopg
import pytest
from tests.store.engines import (
    PARENTS,
    Session,
    as_superuser,
    copy_rows,
    list_tables,
    new_database,
    normalize,
    open_session,
    set_counter,
)
from tests.store.mixing import lose, mix
from tests.store.parameters import Parameters
from tests.store.postgres import PostgresServer
from tests.store.sql_files import list_names, list_shared
from tests.store.tenant_life import SAID, live, marks

from memoria.memories.statements import Statements
from memoria.model import LIBRARY, MemoryType
from memoria.store.connection import Connection
from memoria.store.postgres.driver import PostgresConnection
from memoria.store.sql.statements import statements
from memoria.store.sqlite import SqliteStore
from memoria.store.sqlite.driver import SqliteConnection, connect, sqlite3

TRIES = 25
COUNTS_OTHERWISE = {
    "erasures.clear_nodes"
}  # triggers of the statement's own rows delete some first
OF_ALL = {"erasures.count_rows", "memories.erase_evidence", "memories.newest_unverified"}
OTHERWISE = {"nightly_runs.memory"}  # all columns: a generated one too
_PARAMETER = re.compile(r"(?<!:):(\w+)")
_CHANGES = re.compile(r"\b(?:INSERT INTO|UPDATE|DELETE FROM) (?:OR IGNORE )?(\w+)")


class Both(NamedTuple):
    """The same rows in both engines."""

    sqlite: SqliteConnection
    postgres: Session
    tables: dict[str, list[str]]
    parameters: dict[int, Parameters]


@contextmanager
def fill_both(
    server: PostgresServer, file: Path, *changes: Callable[[SqliteConnection], None]
) -> Iterator[Both]:
    """Have two tenants do everything, change what they left behind, and copy it."""
    store = SqliteStore(file, busy_timeout_ms=5000, readers=1)
    for tenant in ("ann", "bob"):
        live(store, tenant, SAID)
        beside = Statements(store, tenant, LIBRARY, marks(tenant), "a project")
        beside.remember("in this repo it is the port", MemoryType.FACT)
    store.close()
    source = connect(file, 5000)
    for change in changes:
        change(source)
    with new_database(server, file.stem) as address:
        with open_session(as_superuser(server, address)) as target:
            tables = list_tables(source, target)
            copy_rows(source, target)
        with open_session(address) as session:
            tenants = [n for (n,) in source.tuples("SELECT id FROM tenants")]
            parameters = {n: Parameters(source, tables, n) for n in tenants}
            yield Both(source, session, tables, parameters)
    source.close()


@pytest.fixture(scope="module")
def both(postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    """What two tenants left behind, mixed up."""
    with fill_both(postgres, tmp_path_factory.mktemp("both") / "mixed.db", mix) as filled:
        yield filled


def list_statements(*, changing: bool) -> Iterator[tuple[str, str, str]]:
    """Yield the file, the name and PostgreSQL's words of each shared statement."""
    for file in list_shared():
        own = {*list_names("sqlite", file), *list_names("postgres", file)}
        for name in sorted(set(list_names("sql", file)) - own):
            sql = statements(file, "postgres")[name]
            if bool(_CHANGES.search(strip_comments(sql))) == changing:
                yield file, name, sql


def strip_comments(sql: str) -> str:
    return re.sub(r"--.*", "", sql)


def ask_types(session: Session, sql: str) -> dict[str, str]:
    """Ask PostgreSQL for the type of each parameter."""
    numbers: dict[str, int] = {}
    bare = _PARAMETER.sub(
        lambda m: f"${numbers.setdefault(m[1], len(numbers) + 1)}", strip_comments(sql)
    )
    session.execute(f"PREPARE asked AS {bare}".encode())
    found = session.execute(
        "SELECT CAST(parameter_types AS TEXT[]) FROM pg_prepared_statements WHERE name = 'asked'"
    ).fetchone()
    session.execute("DEALLOCATE asked")
    assert found is not None
    return dict(zip(numbers, found[0], strict=True))


def read(connection: Connection, sql: str, parameters: dict[str, Any]) -> list[Any] | int:
    """Give the names of columns that have some, and the rows.

    The rows come in order, if the statement puts them in order. Of rows without an order up to a
    limit there may be others: then only their number counts.
    """
    cursor = connection.execute(sql, parameters)
    rows = [tuple(map(normalize, row)) for row in cursor.fetchall()]
    if "ORDER BY" in sql:
        return rows
    return len(rows) if "LIMIT" in sql else sorted(rows, key=repr)


def compare_reads(both: Both, only: str = "") -> list[str]:
    """Run what reads in both engines, and name the statements that never found a row.

    Args:
        both: the rows.
        only: words of which the name of a statement has one.
    """
    reader = PostgresConnection(both.postgres, only_reads=True)
    idle = []
    for file, name, sql in list_statements(changing=False):
        whole = f"{file}.{name}"
        if whole in OTHERWISE or not re.search(only, whole):
            continue
        random = Random(whole)
        types = ask_types(both.postgres, sql)
        lite = statements(file)[name]
        found = []
        for _ in range(TRIES if types else 1):
            tenant = random.choice([*both.parameters])
            chosen = both.parameters[tenant].choose(sql, types, random)
            found.append((tenant, chosen, read(both.sqlite, lite, chosen)))
        several = [one for one in found if one[2]]
        idle += [] if several else [whole]
        for tenant, chosen, expected in random.sample(several, min(len(several), 3)) + found[:1]:
            see(both.postgres, tenant if "tenant" in types and whole not in OF_ALL else 0)
            assert read(reader, sql, chosen) == expected, f"{whole} {chosen}"
    return idle


def see(session: Session, tenant: int) -> None:
    """Show a session the rows of a tenant; 0 for those of all."""
    session.execute("SELECT set_config('memoria.tenant', %s, false)", (str(tenant),))


def test_what_reads_finds_the_same_rows_in_the_same_order(both: Both) -> None:
    idle = compare_reads(both)
    assert len(idle) < 60, idle  # an eighth of all; what finds nothing proves nothing


def test_what_looks_for_damage_finds_the_same(postgres: PostgresServer, tmp_path: Path) -> None:
    with fill_both(postgres, tmp_path / "damaged.db", mix, lose) as damaged:
        idle = compare_reads(damaged, "lost|orphan|damaged|missing|unsupported")
    assert len(idle) < 9, idle


Tables = dict[str, list[tuple[object, ...]]]
Outcome = tuple[Any, ...] | str
"""What a statement says that it did, and the rows that went and came; or that it was refused."""


def columns_of(both: Both, table: str) -> list[str]:
    """The columns that both engines have; of events neither time nor order."""
    left_out = {"tenant_id"} if table in PARENTS else {"at", "seq"} if table == "events" else set()
    return [name for name in both.tables[table] if name not in left_out]


def dump(connection: Connection, both: Both, tables: Iterable[str]) -> Tables:
    """Read whole tables."""
    dumped = {}
    for table in tables:
        names = ", ".join(f'"{name}"' for name in columns_of(both, table))
        rows = connection.tuples(f"SELECT {names} FROM {table}")
        dumped[table] = sorted((tuple(map(normalize, row)) for row in rows), key=repr)
    return dumped


def find_changes(before: Tables, after: Tables) -> dict[str, tuple[list[str], list[str]]]:
    """Give the rows that went and came, for each table where any did."""
    changes = {}
    for table, rows in after.items():
        if rows != before[table]:
            old, new = Counter(map(repr, before[table])), Counter(map(repr, rows))
            changes[table] = sorted((old - new).elements()), sorted((new - old).elements())
    return changes


def change_sqlite(
    both: Both, sql: str, parameters: dict[str, Any], before: Tables | None
) -> Outcome | int:
    """Run a statement and take it back; gives what came of it, and what it changed."""
    both.sqlite.execute("SAVEPOINT change")
    counted = both.sqlite.total_changes
    try:
        cursor = both.sqlite.execute(sql, parameters)
        rows = [tuple(map(normalize, row)) for row in cursor.fetchall()]
        if before is None:
            return both.sqlite.total_changes - counted
        return rows or cursor.rowcount, find_changes(before, dump(both.sqlite, both, both.tables))
    except sqlite3.IntegrityError:
        return "refused"
    finally:
        both.sqlite.execute("ROLLBACK TO change")
        both.sqlite.execute("RELEASE change")


def list_touched(session: Session, both: Both) -> list[str]:
    """List the tables that the transaction, or one just before it, may have changed."""
    rows = session.execute(
        "SELECT relname FROM pg_stat_xact_user_tables WHERE n_tup_ins + n_tup_upd + n_tup_del > 0"
    )
    return [table for (table,) in rows if table in both.tables]


def change_postgres(
    both: Both, sql: str, parameters: dict[str, Any], tenant: int, before: Tables
) -> Outcome | int:
    """Do as `change_sqlite`, as the tenant."""
    session = both.postgres
    writer = PostgresConnection(session, only_reads=False)
    session.execute("BEGIN")
    try:
        if table := re.match(r"INSERT INTO (\w+)", strip_comments(sql).strip()):
            set_counter(both.sqlite, session, table[1])
        see(session, tenant)
        cursor = writer.execute(sql, parameters)
        rows = [tuple(map(normalize, row)) for row in cursor.fetchall()] if returns(sql) else []
        count = cursor.rowcount
        touched = list_touched(session, both)
        see(session, 0)
        return rows or count, find_changes(before, dump(writer, both, touched))
    except psycopg.IntegrityError:
        return "refused"
    finally:
        session.execute("ROLLBACK")


def returns(sql: str) -> bool:
    return "RETURNING" in sql


def test_what_changes_rows_changes_the_same_ones(both: Both) -> None:
    before = dump(both.sqlite, both, both.tables)
    idle = []
    for file, name, sql in list_statements(changing=True):
        whole = f"{file}.{name}"
        random = Random(whole)
        types = ask_types(both.postgres, sql)
        lite = statements(file)[name]
        tried = []
        for _ in range(TRIES if types else 1):
            tenant = random.choice([*both.parameters])
            chosen = both.parameters[tenant].choose(sql, types, random)
            tried.append((tenant, chosen, change_sqlite(both, lite, chosen, None)))
        refused = [one for one in tried if one[2] == "refused"]
        done = [one for one in tried if one[2] not in ("refused", 0)]
        idle += [] if done else [whole]
        for tenant, chosen, _ in done[:1] + refused[:1]:
            of = tenant if "tenant" in types and whole not in OF_ALL else 0
            expected = change_sqlite(both, lite, chosen, before)
            got = change_postgres(both, sql, chosen, of, before)
            if whole in COUNTS_OTHERWISE:
                assert isinstance(got, tuple)
                assert isinstance(expected, tuple)
                expected, got = expected[1:], got[1:]
            assert got == expected, f"{whole} {chosen}"
    assert len(idle) < 50, idle  # a fifth of all; what changes nothing proves nothing
