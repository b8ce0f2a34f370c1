"""Text and vectors are searched at the same time where that pays; the answer does not tell."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.store.insides import index_of

from memoria.errors import StoreUnavailableError
from memoria.store.engine import Store
from memoria.store.rows import documents as concurrent_read
from memoria.store.rows.transaction import Transaction
from memoria.store.sqlite.driver import sqlite3
from memoria.store.values import Filters

OpenStore = Callable[[Path], Store]
MODEL = "ones/8"
TIMEOUT_S = 60


@pytest.fixture(autouse=True)
def everybody_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """For what happens to those who have much."""
    monkeypatch.setattr(concurrent_read, "BUDGET", 0)


@pytest.fixture(autouse=True)
def nothing_is_left_running() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) <= before


def say(store: Store, words: str) -> None:
    with store.write("ann") as tx:
        n = index_of(tx).add("turn", None, words, "")
        tx.backlog.add_vectors(MODEL, {n: np.ones(8, np.float32)})


def count(tx: Transaction) -> tuple[int, int]:
    """In which thread this runs, and how many documents of the tenant it sees."""
    found = tx.documents.match(["turn"], ["tea"], Filters(), 10)
    return threading.get_ident(), len(found)


@pytest.fixture
def said(store: Store) -> Store:
    """A home with something in it."""
    with store.backlog(write=True) as backlog:
        backlog.choose_model(MODEL)
    say(store, "tea")
    return store


def test_for_a_large_tenant_work_runs_in_another_thread_over_the_same_rows(said: Store) -> None:
    with said.read("ann") as tx, tx.read_concurrently(count) as counted:
        ident, found = counted()
        assert ident != threading.get_ident()
        assert found == count(tx)[1] == 1


def test_for_a_small_one_it_is_done_in_turn(said: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concurrent_read, "BUDGET", 1)
    with said.read("ann") as tx, tx.read_concurrently(count) as counted:
        assert counted() == (threading.get_ident(), 1)


def test_in_a_change_it_is_done_in_turn_and_sees_the_change(said: Store) -> None:
    with said.write("ann") as tx:
        index_of(tx).add("turn", None, "tea", "")
        with tx.read_concurrently(count) as counted:
            assert counted() == (threading.get_ident(), 2)


def test_where_the_indexes_have_changed_since_what_was_there_is_searched(
    said: Store, open_store: OpenStore, home: Path
) -> None:
    other = open_store(home)
    with said.read("ann") as tx:
        say(other, "tea")
        with tx.read_concurrently(count) as counted:
            assert counted()[1] == count(tx)[1] == 1
    with said.read("ann") as tx, tx.read_concurrently(count) as counted:
        assert counted()[1] == 2


def test_those_who_search_at_once_never_wait_for_each_others_connections(said: Store) -> None:
    found: list[int] = []
    met = threading.Barrier(2)

    def search() -> None:
        with said.read("ann") as tx:
            met.wait(TIMEOUT_S)  # both readers are taken
            with tx.read_concurrently(count) as counted:
                found.append(counted()[1])

    threads = [threading.Thread(target=search) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(TIMEOUT_S)
    assert found == [1, 1]


@pytest.mark.sqlite("raises an error of SQLite")
def test_an_error_comes_to_whoever_asks_for_the_result(said: Store) -> None:
    def fail(_: Transaction) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    with (
        pytest.raises(StoreUnavailableError, match="Check the disk"),
        said.read("ann") as tx,
        tx.read_concurrently(fail) as failed,
    ):
        failed()
    with said.read("ann") as tx, tx.read_concurrently(count) as counted:
        assert counted()[1] == 1


def test_a_block_that_fails_waits_for_the_other_thread(said: Store) -> None:
    failing, done = threading.Event(), threading.Event()

    def work(tx: Transaction) -> None:
        assert failing.wait(TIMEOUT_S)
        count(tx)
        done.set()

    def fail() -> None:
        failing.set()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), said.read("ann") as tx, tx.read_concurrently(work):
        fail()
    assert done.is_set()
