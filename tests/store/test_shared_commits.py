"""Where many threads write at once, several are on disk by one fsync, and none loses by another."""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from memoria.errors import StoreUnavailableError
from memoria.store.sqlite import SqliteStore

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
