"""What is committed is moved into the file beside the writers, and the log has a bound."""

import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memoria.store.sqlite.commits import LATEST_PAGES, Checkpoints
from memoria.store.sqlite.connections import Connections
from memoria.store.sqlite.driver import SqliteConnection, connect, sqlite3

TIMEOUT_S = 60
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
    connections._checkpoints = Checkpoints(watched)  # noqa: SLF001
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

    connections._checkpoints = Checkpoints(fail)  # noqa: SLF001
    fill(connections, 300, 200_000)
    log = file.with_name("memoria.db-wal")
    assert 0 < log.stat().st_size < 2 * LATEST_PAGES * PAGE_BYTES
