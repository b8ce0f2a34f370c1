"""Writers of several threads share a commit, and the log is moved into the file meanwhile."""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, nullcontext
from functools import partial
from pathlib import Path

import pytest

from memoria.errors import StoreUnavailableError
from memoria.store.sqlite import SqliteStore, commits
from memoria.store.sqlite.commits import LATEST_PAGES, Checkpoints
from memoria.store.sqlite.connections import Connections
from memoria.store.sqlite.driver import SqliteConnection, connect, sqlite3

pytestmark = pytest.mark.sqlite("commits to the file")

TIMEOUT_S = 60


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(tmp_path / "home" / "memoria.db", busy_timeout_ms=10_000, readers=2)
    yield store
    store.close()


@contextmanager
def count_commits(store: SqliteStore) -> Iterator[list[str]]:
    """The statements that commit something while the block runs."""
    seen: list[str] = []
    connection = store._connections.writer.connection  # noqa: SLF001
    connection.set_trace_callback(lambda sql: seen.append(sql) if sql == "COMMIT" else None)
    yield seen
    connection.set_trace_callback(None)


def put(store: SqliteStore, name: str, *, is_brief: bool = True) -> None:
    with store.write("ann", is_brief=is_brief) as tx:
        tx.scratchpads.put(name, name, [], now=1, keep=5)


def names(store: SqliteStore) -> set[str]:
    with store.read("ann") as tx:
        return {pad.session_id for pad in tx.scratchpads.list_recent(100, None)}


def write_behind(
    store: SqliteStore, followers: Sequence[Callable[[], None]], *, spoils: bool = False
) -> list[Future[None]]:
    """What becomes of those who come, in this order, while somebody writes; it is the first."""
    line = store._connections._commits._line  # noqa: SLF001
    pause, began = threading.Event(), threading.Event()

    def lead() -> None:
        with store.write("ann", is_brief=True) as tx:
            began.set()
            for _ in range(TIMEOUT_S * 1000):
                if len(line) == len(followers):
                    break
                pause.wait(0.001)
            tx.scratchpads.put("first", "first", [], now=1, keep=5)
            if spoils:  # it is found out when all of it is committed
                connection = store._connections.writer.connection  # noqa: SLF001
                connection.execute("PRAGMA defer_foreign_keys = ON")
                connection.execute(
                    "INSERT INTO segments (tenant_id, session_n, ordinal, first_index, last_index,"
                    " messages, opened_at, last_at, touched_at) VALUES (1, 77, 0, 0, 0, 0, 0, 0, 0)"
                )

    with ThreadPoolExecutor(len(followers) + 1) as pool:
        found = [pool.submit(lead)]
        assert began.wait(TIMEOUT_S)
        for n, follower in enumerate(followers, start=1):
            found.append(pool.submit(follower))
            while len(line) < n and not found[-1].done():
                pause.wait(0.001)
    return found


def test_a_crowd_is_on_disk_by_one_commit(store: SqliteStore) -> None:
    crowd = [partial(put, store, str(n)) for n in range(8)]
    with count_commits(store) as commits:
        results = write_behind(store, crowd)
    assert [result.exception() for result in results] == [None] * 9
    assert names(store) == {"first", *map(str, range(8))}
    assert len(commits) < 9


def test_who_fails_in_a_crowd_loses_nothing_of_the_others(store: SqliteStore) -> None:
    def fail() -> None:
        with store.write("ann", is_brief=True) as tx:
            tx.scratchpads.put("lost", "lost", [], now=1, keep=5)
            raise KeyError("lost")

    crowd = [lambda: put(store, "a"), fail, lambda: put(store, "b"), lambda: put(store, "c")]
    results = write_behind(store, crowd)
    assert [type(result.exception()) for result in results].count(KeyError) == 1
    assert names(store) == {"first", "a", "b", "c"}


def test_who_waits_alone_writes_by_itself(store: SqliteStore) -> None:
    with count_commits(store) as commits:
        write_behind(store, [lambda: put(store, "a")])
    assert names(store) == {"first", "a"}
    assert len(commits) == 2


def test_nobody_waits_for_what_is_long(store: SqliteStore) -> None:
    crowd = [partial(put, store, str(n), is_brief=False) for n in range(4)]
    with count_commits(store) as commits:
        write_behind(store, crowd)
    assert names(store) == {"first", *map(str, range(4))}
    assert len(commits) == 5


def test_nothing_is_acknowledged_that_could_not_be_committed(store: SqliteStore) -> None:
    put(store, "before")
    crowd = [partial(put, store, str(n)) for n in range(4)]
    results = write_behind(store, crowd, spoils=True)
    kept = {str(n) for n, result in enumerate(results[1:]) if result.exception() is None}
    assert results[0].exception() is not None
    assert any(isinstance(one.exception(), StoreUnavailableError) for one in results[1:])
    assert names(store) == {"before", *kept}
    put(store, "after")
    assert "after" in names(store)


PAGE_BYTES = 4096


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "memoria.db"


@pytest.fixture
def connections(file: Path) -> Iterator[Connections]:
    opened = Connections(file, busy_timeout_ms=10_000, readers=2)
    with opened.write() as connection:
        connection.execute("CREATE TABLE scratch (data BLOB)")
    yield opened
    opened.close()


def fill(connections: Connections, commits: int, size: int) -> None:
    for _ in range(commits):
        with connections.write() as connection:
            connection.execute("INSERT INTO scratch VALUES (randomblob(?))", (size,))


def test_a_thread_of_its_own_moves_what_was_committed_into_the_file(
    file: Path, connections: Connections
) -> None:
    moved, threads = threading.Event(), set[str]()

    def note(statement: str) -> None:
        if "wal_checkpoint" in statement:
            threads.add(threading.current_thread().name)
            moved.set()

    def watched() -> SqliteConnection:
        connection = connect(file, 10_000, read_only=True)
        connection.set_trace_callback(note)
        return connection

    connections.writer.connection.set_trace_callback(note)
    connections._checkpoints = Checkpoints(watched, nullcontext)  # noqa: SLF001
    before = file.stat().st_size
    fill(connections, 60, 20_000)
    assert moved.wait(TIMEOUT_S)
    connections._checkpoints.stop()  # noqa: SLF001
    assert threads == {"memoria-checkpoints"}
    assert file.stat().st_size > before + 100 * PAGE_BYTES
    fill(connections, 60, 100)  # nobody moves it any more, and nothing is lost
    with closing(sqlite3.connect(file)) as other:
        assert other.execute("SELECT count(*) FROM scratch").fetchone() == (120,)


def test_the_log_has_a_bound_where_no_thread_can_move_it(
    file: Path, connections: Connections
) -> None:
    def fail() -> SqliteConnection:
        raise sqlite3.OperationalError("unable to open database file")

    connections._checkpoints = Checkpoints(fail, nullcontext)  # noqa: SLF001
    fill(connections, 300, 200_000)
    log = file.with_name("memoria.db-wal")
    assert 0 < log.stat().st_size < 2 * LATEST_PAGES * PAGE_BYTES


def test_the_log_has_a_bound_where_readers_always_overlap(
    file: Path, connections: Connections, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commits, "_LONG_PAGES", 500)
    stops = threading.Event()

    def read() -> None:
        held = ExitStack()
        while not stops.is_set():
            following = ExitStack()
            opened = following.enter_context(connections.read())
            opened.connection.execute("SELECT count(*) FROM scratch").fetchone()
            held.close()
            held = following  # so that one is always open
        held.close()

    fill(connections, 1, 100)
    log, longest = file.with_name("memoria.db-wal"), 0
    with ThreadPoolExecutor(1) as threads:
        reading = threads.submit(read)
        try:
            for _ in range(20):
                fill(connections, 40, 40_000)
                longest = max(longest, log.stat().st_size)
        finally:
            stops.set()
        reading.result(TIMEOUT_S)
    assert 0 < longest < 1_500 * PAGE_BYTES
