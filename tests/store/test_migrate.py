"""A file is brought to the present schema by numbered steps, each whole or not at all."""

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.empty_home import empty_database
from tests.store.conftest import OpenStore

import memoria
from memoria.errors import StoreTooNewError
from memoria.store.sqlite import SqliteStore
from memoria.store.sqlite.driver import connect, sqlite3
from memoria.store.sqlite.schema import migrations
from memoria.store.sqlite.vec0 import load_vectors
from memoria.store.values import Filters

pytestmark = pytest.mark.sqlite("migrations of SQLite")

NEWEST = migrations()[-1][0]
Run = Callable[..., str]
Edition = Callable[[dict[str, str]], Path]

OPEN = """
    import sys
    from pathlib import Path
    from memoria.errors import MemoriaError
    from memoria.store.sqlite import SqliteStore

    try:
        SqliteStore(Path(sys.argv[1]) / "memoria.db", busy_timeout_ms=5000, readers=1).close()
    except MemoriaError as error:
        print(type(error).__name__, error)
    else:
        print("opened")
"""


@pytest.fixture
def edition(tmp_path: Path) -> Edition:
    """Another edition of Memoria: the present one with more migrations."""

    def make(more: dict[str, str]) -> Path:
        package = tmp_path / "edition" / "memoria"
        shutil.copytree(
            Path(memoria.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__")
        )
        for name, sql in more.items():
            (package / "store" / "sqlite" / "migrations" / name).write_text(sql, "utf-8")
        return package.parent

    return make


def looked_at(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path)


def schema(connection: sqlite3.Connection) -> list[tuple[str, str, str]]:
    rows = connection.execute("SELECT type, name, coalesce(sql, '') FROM sqlite_schema")
    return sorted(tuple(row) for row in rows)


def version(home: Path) -> int:
    connection = looked_at(home / "memoria.db")
    found = int(connection.execute("PRAGMA user_version").fetchone()[0])
    connection.close()
    return found


def tables(home: Path) -> set[str]:
    connection = looked_at(home / "memoria.db")
    found = {name for kind, name, _ in schema(connection) if kind == "table"}
    connection.close()
    return found


def test_a_new_home_has_exactly_the_schema_the_migrations_say(
    open_store: OpenStore, home: Path, tmp_path: Path
) -> None:
    open_store(home)
    plain = looked_at(tmp_path / "plain.db")
    for _, sql in migrations():
        plain.executescript(sql)
    made = looked_at(home / "memoria.db")
    assert schema(made) == schema(plain)
    made.close()
    plain.close()
    assert version(home) == NEWEST


def test_a_new_home_is_the_same_bytes_each_time(open_store: OpenStore, home: Path) -> None:
    open_store(home).close()
    assert (home / "memoria.db").read_bytes() == empty_database()


def test_migrations_are_numbered_without_a_gap() -> None:
    assert [number for number, _ in migrations()] == list(range(1, NEWEST + 1))


def test_a_newer_edition_brings_an_old_home_up_to_date_and_keeps_what_it_holds(
    store: SqliteStore, home: Path, edition: Edition, run_python: Run
) -> None:
    with store.write("ann") as tx:
        tx.scratchpads.put("s", "focus", [], now=1, keep=5)
    store.close()
    newer = edition({f"{NEWEST + 1:04}_more.sql": "CREATE TABLE more (n INTEGER) STRICT;\n"})
    assert run_python(OPEN, home, path=newer) == "opened\n"
    assert version(home) == NEWEST + 1
    connection = looked_at(home / "memoria.db")
    assert connection.execute("SELECT current_focus FROM scratchpads").fetchall() == [("focus",)]
    connection.close()


def test_a_failing_migration_leaves_the_file_as_it_was(
    store: SqliteStore, home: Path, edition: Edition, run_python: Run
) -> None:
    store.close()
    before = (home / "memoria.db").read_bytes()
    broken = edition(
        {
            f"{NEWEST + 1:04}_broken.sql": "CREATE TABLE half (n INTEGER) STRICT;\n"
            "INSERT INTO half VALUES (1);\n"
            "INSERT INTO nowhere VALUES (1);\n"
        }
    )
    assert "no such table: nowhere" in run_python(OPEN, home, path=broken)
    assert (home / "memoria.db").read_bytes() == before
    assert version(home) == NEWEST


def test_each_migration_of_a_home_is_a_transaction_of_its_own(
    store: SqliteStore, home: Path, edition: Edition, run_python: Run
) -> None:
    store.close()
    broken = edition(
        {
            f"{NEWEST + 1:04}_good.sql": "CREATE TABLE good (n INTEGER) STRICT;\n",
            f"{NEWEST + 2:04}_broken.sql": "CREATE TABLE half (n INTEGER) STRICT;\nNONSENSE;\n",
        }
    )
    assert run_python(OPEN, home, path=broken).startswith("StoreUnavailableError")
    assert version(home) == NEWEST + 1
    assert "good" in tables(home)
    assert "half" not in tables(home)


def test_a_new_home_is_made_whole_or_not_at_all(
    home: Path, edition: Edition, run_python: Run
) -> None:
    broken = edition({f"{NEWEST + 1:04}_broken.sql": "CREATE TABLE half (n INTEGER);\nNONSENSE;\n"})
    assert run_python(OPEN, home, path=broken).startswith("StoreUnavailableError")
    assert version(home) == 0
    assert not tables(home)


def test_a_statement_without_its_semicolon_is_not_forgotten(
    home: Path, edition: Edition, run_python: Run
) -> None:
    careless = edition(
        {
            f"{NEWEST + 1:04}_careless.sql": "CREATE TABLE one (n INTEGER) STRICT;\n"
            "CREATE TABLE two (n INTEGER) STRICT\n"
        }
    )
    run_python(OPEN, home, path=careless)
    assert "two" in tables(home) or version(home) == NEWEST


def test_a_home_of_a_newer_edition_is_refused_and_left_alone(
    home: Path, edition: Edition, run_python: Run
) -> None:
    newer = edition({f"{NEWEST + 1:04}_more.sql": "CREATE TABLE more (n INTEGER) STRICT;\n"})
    run_python(OPEN, home, path=newer)
    file = home / "memoria.db"
    before = file.read_bytes(), file.stat().st_mtime_ns
    with pytest.raises(StoreTooNewError, match="newer Memoria") as caught:
        SqliteStore(file, busy_timeout_ms=5000, readers=1)
    assert f"schema {NEWEST + 1}" in str(caught.value)
    assert "pip install -U memoria-server" in str(caught.value)
    assert (file.read_bytes(), file.stat().st_mtime_ns) == before
    assert run_python(OPEN, home, path=newer) == "opened\n"


def test_a_process_overtaken_by_a_newer_edition_stops_writing_and_says_why(
    store: SqliteStore, home: Path, edition: Edition, run_python: Run
) -> None:
    with store.write("ann") as tx:
        tx.scratchpads.put("s", "focus", [], now=1, keep=5)
    newer = edition({f"{NEWEST + 1:04}_more.sql": "CREATE TABLE more (n INTEGER) STRICT;\n"})
    run_python(OPEN, home, path=newer)
    with (
        pytest.raises(StoreTooNewError, match="pip install -U memoria-server"),
        store.write("ann") as tx,
    ):
        tx.scratchpads.put("s", "lost", [], now=2, keep=5)
    with store.read("ann") as tx:
        found = tx.scratchpads.get("s")
    assert found is not None
    assert found.current_focus == "focus"


FIRST = """
INSERT INTO settings VALUES ('embedding_model', 'letters/8');
INSERT INTO tenants VALUES (1, 'ann', 0);
INSERT INTO documents VALUES (1, 1, 'memory', 1);
INSERT INTO memories (n, id, tenant_id, type, validity, importance, confidence, created_at,
                      updated_at) VALUES (1, 'm', 1, 'fact', 'active', 0.5, 0.7, 0, 0);
INSERT INTO memory_versions (n, memory_n, tenant_id, version, content, fingerprint, valid_from,
    ingested_at, source_kind, trust, channel)
VALUES (1, 1, 1, 1, 'the port is 8080', x'00', 0, 0, 'user_said', 'user', 'cli');
INSERT INTO search_index (rowid, scope, words, context) VALUES (1, 'memory1', 'port 8080', '');
INSERT INTO embedding_models VALUES (1, 'letters/8', 8);
"""
"""What a home of the first schema may hold: a memory with its vector."""


def test_a_home_of_the_first_schema_keeps_its_memories_and_vectors(
    home: Path, open_store: OpenStore
) -> None:
    home.mkdir()
    ones = np.full(8, 8**-0.5, np.float32)
    old = connect(home / "memoria.db", 5000)
    loaded = load_vectors(old)
    old.executescript(migrations()[0][1] + FIRST)
    old.execute("INSERT INTO embeddings VALUES (1, 1, ?)", (ones.tobytes(),))
    if loaded:
        old.execute(
            "CREATE VIRTUAL TABLE vectors_1 USING vec0(tenant_id integer partition key, "
            "kind text partition key, embedding float[8] distance_metric=cosine, chunk_size=64)"
        )
        old.execute("INSERT INTO vectors_1 VALUES (1, 1, 'memory', ?)", (ones.tobytes(),))
    old.execute("PRAGMA user_version = 1")
    old.close()

    store = open_store(home)
    with store.backlog(write=True) as backlog:
        if backlog.index_is_behind("letters/8"):
            backlog.catch_up("letters/8")
    with store.read("ann") as tx:
        memory = tx.memories.get("m")
        by_text = tx.documents.match(["memory"], ["port"], Filters(), 10)
        by_meaning = tx.documents.nearest("memory", "letters/8", ones, Filters(), 10)
    assert memory is not None
    assert (memory.content, memory.workspace) == ("the port is 8080", None)
    assert [match.n for match in by_text] == [match.n for match in by_meaning] == [1]


THIRTEENTH = """
INSERT INTO tenants VALUES (1, 'ann', 0);
INSERT INTO sessions (n, tenant_id, source, session_id, first_at, last_at, last_ingested_at)
VALUES (1, 1, 'cli', 's', 1, 1, 1);
INSERT INTO stretches VALUES (1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 5, 'idle');
INSERT INTO documents (n, tenant_id, kind, barred) VALUES (1, 1, 'memory', 1), (2, 1, 'memory', 0);
INSERT INTO search_index (rowid, scope, words, context) VALUES (1, 'memory1_barred', 'tea', '');
INSERT INTO memories (n, id, tenant_id, type, validity, importance, confidence, created_at,
                      updated_at)
VALUES (1, 'm', 1, 'fact', 'active', 0.5, 0.7, 0, 0),
       (2, 'o', 1, 'fact', 'archived', 0.5, 0.7, 0, 0);
INSERT INTO nodes (n, tenant_id, memory_n) VALUES (1, 1, 1), (2, 1, 2);
INSERT INTO cold_edges (tenant_id, src_n, code, dst_n, weight, confidence, negated, modality,
                        by_model, made_at, power, reason)
VALUES (1, 1, 10, 2, 9000, 9000, 0, 0, 0, 7, 3, 'idle');
INSERT INTO leases VALUES ('nightly', 'somebody', 99);
INSERT INTO tombstones VALUES (1, 1, 'memory', 'gone', 1, 'moved');
INSERT INTO tombstone_marks VALUES (1, 'abc', 1);
INSERT INTO night_files VALUES (1, 'daily_summaries/2026-01-01.md', 'd', 's', 1);
INSERT INTO night_runs (n, id, tenant_id, at, options, state)
VALUES (1, 'first', 1, 5, '{"steps":["expire","graph"],"since":null}', 'finished'),
       (2, 'second', 1, 6, '{"steps":["tiers"],"since":null}', 'running');
INSERT INTO night_steps (run_n, ordinal, name, state)
VALUES (1, 0, 'expire', 'applied'), (1, 1, 'graph', 'applied'), (2, 0, 'tiers', 'planned');
INSERT INTO night_plan VALUES (2, 0, 1, '{}');
INSERT INTO night_changes (run_n, seq, step, tbl, op, key, image) VALUES
(1, 1, 0, 'stretches', 'update', '[1]', '{"closed_at":[null,5],"closed_by":[null,"idle"]}'),
(1, 2, 0, 'documents', 'update', '[1]', '{"barred":[0,1]}'),
(1, 3, 1, 'cold_edges', 'insert', '[1,10,2]',
 '{"tenant_id":1,"src_n":1,"code":10,"dst_n":2,"weight":9000,"made_at":7}'),
(1, 4, 1, 'edges', 'delete', '[1,10,2]',
 '{"tenant_id":1,"src_n":1,"code":10,"dst_n":2,"weight":9000,"confidence":9000,"negated":0,'
 || '"modality":0,"by_model":0,"made_at":7,"power":3}'),
(1, 5, 1, 'night_files', 'insert', '[1,"daily_summaries/2026-01-01.md"]',
 '{"tenant_id":1,"run_n":1}'),
(1, 6, 1, 'cold_edges', 'delete', '[2,10,1]',
 '{"tenant_id":1,"src_n":2,"code":10,"dst_n":1,"weight":1,"confidence":1,"negated":0,'
 || '"modality":0,"by_model":0,"made_at":8,"power":1,"reason":"dense"}');
"""
"""What a home of schema 13 may hold: a nightly run that can be undone, and one not finished."""


def test_a_nightly_run_from_before_the_tables_were_renamed_is_undone_row_by_row(
    home: Path, open_store: OpenStore
) -> None:
    home.mkdir()
    old = connect(home / "memoria.db", 5000)
    for _, sql in migrations()[:13]:
        old.executescript(sql)
    old.executescript(THIRTEENTH)
    old.execute("PRAGMA user_version = 13")
    old.close()

    store = open_store(home)
    with store.write("ann") as tx:
        second, first = tx.nightly_runs.list_runs(2)
        assert (second.state, second.options.steps) == ("stopped", ("storage_tiers",))
        assert [step.name for step in first.steps] == ["archive_expired", "graph"]
        assert tx.nightly_runs.next_items(second, 0, 10) == []
        assert tx.tombstones.find(["abc"], "memory") is not None
        assert tx.leases.owner("nightly", 0) is None
        assert tx.nightly_runs.revert(first, 10) == (3, 0, 0)
    connection = looked_at(home / "memoria.db")
    rows = {
        table: connection.execute(f"SELECT {columns} FROM {table}").fetchall()  # noqa: S608
        for table, columns in {
            "segments": "n, closed_at, closed_by",
            "documents": "n, suppressed",
            "edges": "src_n, dst_n, created_at",
            "generated_files": "path",
        }.items()
    }
    connection.close()
    assert rows == {
        "segments": [(1, None, None)],
        "documents": [(1, 0), (2, 0)],
        "edges": [(1, 2, 7)],
        "generated_files": [],
    }


def test_a_new_home_holds_the_rows_that_all_migrations_leave(
    store: SqliteStore, home: Path
) -> None:
    store.close()
    made, migrated = looked_at(home / "memoria.db"), connect_in_memory()
    for _, sql in migrations():
        migrated.executescript(sql)
    assert rows_by_table(made) == rows_by_table(migrated)


def connect_in_memory() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    load_vectors(connection)
    return connection


def rows_by_table(connection: sqlite3.Connection) -> dict[str, list[object]]:
    names = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
    return {
        name: sorted(connection.execute(f'SELECT * FROM "{name}"').fetchall(), key=repr)  # noqa: S608
        for (name,) in names
    }
