"""Every statement that both engines run says and does the same in both."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
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
from tests.store.mixing import mix
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

TRIES = 40
COMPARED = 3
OF_ALL = {"erasures.count_rows", "memories.erase_evidence", "memories.newest_unverified"}
OTHERWISE = {"nightly_runs.memory"}  # all columns: a generated one too
_PARAMETER = re.compile(r"(?<!:):(\w+)")
_CHANGES = re.compile(r"\b(?:INSERT INTO|UPDATE|DELETE FROM) (?:OR IGNORE )?(\w+)")


class Both(NamedTuple):
    """The same rows in both engines."""

    sqlite: SqliteConnection
    postgres: Session
    address: str
    server: PostgresServer
    tables: dict[str, list[str]]
    parameters: dict[int, Parameters]


@pytest.fixture(scope="module")
def both(postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    """What two tenants who did everything left behind."""
    file = tmp_path_factory.mktemp("both") / "memoria.db"
    store = SqliteStore(file, busy_timeout_ms=5000, readers=1)
    for tenant in ("ann", "bob"):
        live(store, tenant, SAID)
        beside = Statements(store, tenant, LIBRARY, marks(tenant), "a project")
        beside.remember("in this repo it is the port", MemoryType.FACT)
    store.close()
    source = connect(file, 5000)
    mix(source)
    with new_database(postgres, "same_results") as address:
        with open_session(as_superuser(postgres, address)) as target:
            tables = list_tables(target)
            copy_rows(source, target)
        with open_session(address) as session:
            tenants = [n for (n,) in source.tuples("SELECT id FROM tenants")]
            parameters = {n: Parameters(source, tables, n) for n in tenants}
            yield Both(source, session, address, postgres, tables, parameters)
    source.close()


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


def read(connection: Connection, sql: str, parameters: dict[str, Any]) -> Any:
    """Give the names of columns that have some, and the rows.

    The rows come in order, if the statement puts them in order. Of rows without an order up to a
    limit there may be others: then only their number counts.
    """
    cursor = connection.execute(sql, parameters)
    rows = [tuple(map(normalize, row)) for row in cursor.fetchall()]
    if "ORDER BY" in sql:
        return rows
    return len(rows) if "LIMIT" in sql else sorted(rows, key=repr)


def test_what_reads_finds_the_same_rows_in_the_same_order(both: Both) -> None:
    other = []
    empty = []
    reader = PostgresConnection(both.postgres, only_reads=True)
    for file, name, sql in list_statements(changing=False):
        random = Random(f"{file}.{name}")
        if f"{file}.{name}" in OTHERWISE:
            continue
        types = ask_types(both.postgres, sql)
        lite = statements(file)[name]
        found = []
        for _ in range(TRIES if types else 1):
            tenant = random.choice([*both.parameters])
            chosen = both.parameters[tenant].choose(sql, types, random)
            of = tenant if "tenant" in types and f"{file}.{name}" not in OF_ALL else 0
            try:
                found.append((of, chosen, read(both.sqlite, lite, chosen)))
            except sqlite3.Error as error:
                raise AssertionError(f"{file}.{name}: {error} {chosen}") from error
        found.sort(key=lambda one: -len(one[2]) if isinstance(one[2], list) else -one[2])
        if not found[0][2]:
            empty.append(f"{file}.{name}")
        several = [one for one in found if one[2]]
        picked = several[:1] + random.sample(several, min(len(several), COMPARED - 1)) + found[-1:]
        for of, chosen, expected in picked:
            both.postgres.execute("SELECT set_config('memoria.tenant', %s, false)", (str(of),))
            try:
                got = read(reader, sql, chosen)
            except psycopg.Error as error:
                got = str(error)
            if got != expected:
                other.append((f"{file}.{name}", chosen, expected, got))
                break
    for one in other:
        print(*one, sep="\n    ")
    print("EMPTY", len(empty), empty)
    assert not other


Tables = dict[str, list[tuple[object, ...]]]


def columns_of(both: Both, table: str) -> list[str]:
    """The columns that both engines have; without the time and the order in which events were told."""
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


def find_changes(before: Tables, after: Tables) -> dict[str, tuple[list[object], list[object]]]:
    """Give the rows that went and came, for each table where any did."""
    changes = {}
    for table, rows in after.items():
        if rows != before[table]:
            old, new = Counter(map(repr, before[table])), Counter(map(repr, rows))
            changes[table] = sorted((old - new).elements()), sorted((new - old).elements())
    return changes


def change_sqlite(both: Both, sql: str, parameters: dict[str, Any], before: Tables | None) -> Any:
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


def digest_tables(session: Session, both: Both) -> set[tuple[Any, ...]]:
    """Read a digest of each table, of all tenants' rows."""
    session.execute("SELECT set_config('memoria.tenant', '0', false)")
    digests = (
        f"SELECT '{table}', md5(string_agg(md5(CAST(t AS TEXT)), '' ORDER BY md5(CAST(t AS TEXT))))"
        f" FROM {table} t"
        for table in both.tables
    )
    return set(session.execute(" UNION ALL ".join(digests).encode()).fetchall())


def change_postgres(
    both: Both, sql: str, parameters: dict[str, Any], tenant: int, before: Tables, digests: set[Any]
) -> Any:
    """Do as `change_sqlite`, as the tenant."""
    session = both.postgres
    writer = PostgresConnection(session, only_reads=False)
    session.execute("BEGIN")
    try:
        if table := re.match(r"INSERT INTO (\w+)", strip_comments(sql).strip()):
            set_counter(both.sqlite, session, table[1])
        session.execute("SELECT set_config('memoria.tenant', %s, true)", (str(tenant),))
        cursor = writer.execute(sql, parameters)
        rows = [tuple(map(normalize, row)) for row in cursor.fetchall()] if returns(sql) else []
        count = cursor.rowcount
        changed = [table for table, _ in digest_tables(session, both) - digests]
        return rows or count, find_changes(before, dump(writer, both, changed))
    except psycopg.IntegrityError as error:
        print(error)
        return "refused"
    finally:
        session.execute("ROLLBACK")


def returns(sql: str) -> bool:
    return "RETURNING" in sql


def test_what_changes_rows_changes_the_same_ones(both: Both) -> None:
    before = dump(both.sqlite, both, both.tables)
    digests = digest_tables(both.postgres, both)
    other = []
    idle = []
    for file, name, sql in list_statements(changing=True):
        random = Random(f"{file}.{name}")
        types = ask_types(both.postgres, sql)
        lite = statements(file)[name]
        tried = []
        for _ in range(TRIES if types else 1):
            tenant = random.choice([*both.parameters])
            chosen = both.parameters[tenant].choose(sql, types, random)
            tried.append((tenant, chosen, change_sqlite(both, lite, chosen, None)))
        refused = [one for one in tried if one[2] == "refused"]
        done = [one for one in tried if one[2] not in ("refused", 0)]
        if not done:
            idle.append(f"{file}.{name}")
        for tenant, chosen, _ in done[:2] + refused[:1]:
            of = tenant if "tenant" in types and f"{file}.{name}" not in OF_ALL else 0
            expected = change_sqlite(both, lite, chosen, before)
            try:
                got = change_postgres(both, sql, chosen, of, before, digests)
            except psycopg.Error as error:
                got = repr(error)
            if got != expected:
                other.append((f"{file}.{name}", chosen, expected, got))
                break
    for one in other:
        print(*one, sep="\n    ")
    print("IDLE", len(idle), idle)
    assert not other
