"""However vectors are searched, a transaction finds the exact ones of its own snapshot."""

import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.databases import open_home
from tests.empty_home import lay_empty_home
from tests.store.insides import any_connection_of, cache_of, index_of, vectors_of
from tests.store.vector_home import (
    DIMS,
    MODEL,
    QUERY,
    STEPS,
    TENANT,
    Add,
    Change,
    VectorHome,
    answers,
    scores,
    truth,
    unit,
)

from memoria.store.engine import Store
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters, Match
from memoria.store.vectors import VectorCache, VectorIndex

OpenStore = Callable[[Path], Store]
TIMEOUT_S = 60
FEW = 5


@pytest.fixture
def few(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Has a matrix serve tenants with more vectors than five."""
    with store.read(TENANT) as tx:
        kept = vectors_of(tx)._kept  # noqa: SLF001
    if kept is None:
        pytest.skip("no index of vectors: each search reads a matrix")
    monkeypatch.setattr(type(kept), "few", FEW)


def truth_of(tx: Transaction) -> list[list[float]]:
    """The scores that a transaction must find."""
    return truth(any_connection_of(tx), tx._tenant)  # noqa: SLF001


def search(tx: Transaction, shared: VectorCache | None, *, by_index: bool = False) -> list[object]:
    """The scores that are found by a matrix, held or read for this once, or by the index."""
    connection, kept = any_connection_of(tx), vectors_of(tx)._kept  # noqa: SLF001
    way = VectorIndex(connection, kept if by_index else None, shared)
    return scores(answers(connection, way, tx._tenant))  # noqa: SLF001


def search_every_way(tx: Transaction, shared: VectorCache) -> list[list[object]]:
    """The scores found by a matrix that is held, by one read for this once, and by the index."""
    return [search(tx, shared), search(tx, None), search(tx, None, by_index=True)]


@settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.too_slow])
@given(STEPS, st.integers(0, 20))
def test_whatever_is_done_every_way_of_searching_sees_its_own_snapshot(
    steps: list[Add | Change], pause: int
) -> None:
    with TemporaryDirectory() as folder, ExitStack() as opened:
        store = open_home(lay_empty_home(Path(folder) / "home"))
        opened.callback(store.close)
        home, shared, slow, before = VectorHome(store), VectorCache(), None, None
        for i, step in enumerate(steps):
            if i == pause:
                slow = opened.enter_context(store.read(TENANT))
                before = truth_of(slow)
            home.take(step)
            with store.read(TENANT) as tx:
                assert search_every_way(tx, shared) == [truth_of(tx)] * 3
        if slow is not None:
            assert search_every_way(slow, shared) == [before] * 3


@pytest.mark.usefixtures("few")
def test_many_vectors_are_held_from_the_second_question_on(store: Store) -> None:
    home = VectorHome(store)

    def held_after_asking() -> int:
        with store.read(TENANT) as tx:
            assert len(tx.documents.nearest("turn", MODEL, QUERY, Filters(), FEW)) == FEW
        return store.vector_bytes

    for n in range(FEW):
        home.embed(home.add(), unit(1, n, 0, 0))
    assert [held_after_asking() for _ in range(3)] == [0, 0, 0]
    home.embed(home.add(), unit(1, 1, 1, 1))
    assert [held_after_asking() > 0 for _ in range(3)] == [False, True, True]


@pytest.mark.usefixtures("few")
def test_a_question_finds_the_same_to_the_last_bit_whichever_way_it_is_answered(
    store: Store,
) -> None:
    VectorHome(store)
    with store.write(TENANT) as tx:
        ns = [index_of(tx).add("turn", None, "", "") for _ in range(100)]
        tx.backlog.add_vectors(MODEL, {n: unit(1, n % 7, n % 5, n % 3) for n in ns})

    def ask_again() -> list[Match]:
        with store.read(TENANT) as tx:
            return tx.documents.nearest("turn", MODEL, QUERY, Filters(), 200)

    by_scan, *by_matrix = (ask_again() for _ in range(3))
    assert store.vector_bytes
    assert by_matrix == [by_scan, by_scan]


def test_all_of_many_vectors_are_read(store: Store) -> None:
    VectorHome(store)
    with store.write(TENANT) as tx:
        ns = [index_of(tx).add("turn", None, "", "") for _ in range(1200)]
        tx.backlog.add_vectors(MODEL, {n: unit(1, n, 0, 0) for n in ns})
    with store.read(TENANT) as tx:
        cache = cache_of(store)
        search(tx, cache)
        assert sorted(n for held in cache._held.values() for n in held.rows._rows) == ns  # type: ignore[union-attr]  # noqa: SLF001


def test_threads_that_share_a_matrix_each_see_their_own_snapshot(store: Store) -> None:
    home, shared, wrong = VectorHome(store), VectorCache(), []
    done = threading.Event()

    def keep_searching() -> None:
        while not done.is_set():
            with store.read(TENANT) as tx:
                expected, found = truth_of(tx), search(tx, shared)
            if expected != found:
                wrong.append((expected, found))

    threads = [threading.Thread(target=keep_searching) for _ in range(3)]
    for thread in threads:
        thread.start()
    for i in range(30):
        home.embed(home.add(), unit(i, 1, 2, 3))
        home.change("hide" if i % 3 else "erase", home.ns[i % len(home.ns)])
    done.set()
    for thread in threads:
        thread.join(TIMEOUT_S)
    assert wrong == []


def test_what_one_process_adds_hides_or_erases_another_finds_or_misses_in_its_next_search(
    store: Store, open_store: OpenStore, home: Path
) -> None:
    lived, other, shared = VectorHome(store), open_store(home), VectorCache()
    for step in ("add", "add", "hide", "show", "add", "erase", "embed anew", "forget the vector"):
        if step == "add":
            lived.embed(lived.add(), unit(len(lived.ns) + 1, 1, 1, 0))
        else:
            lived.change(step, lived.ns[0])
        with other.read(TENANT) as tx:
            assert search_every_way(tx, shared) == [truth_of(tx)] * 3


def vectors_in(shared: VectorCache) -> set[bytes]:
    """Whatever lies in the memory of the matrices, in use or not, but zeros."""
    rows = (
        row.tobytes()
        for held in shared._held.values()  # noqa: SLF001
        for block in held.rows._blocks  # type: ignore[union-attr]  # noqa: SLF001
        for row in block
    )
    return set(rows) - {bytes(4 * DIMS)}


@pytest.mark.parametrize("which", [0, 1, 2])
@pytest.mark.parametrize("how", ["erase", "forget the vector"])
def test_what_another_process_erased_leaves_memory_though_nobody_asks(
    store: Store, open_store: OpenStore, home: Path, which: int, how: str
) -> None:
    lived, other = VectorHome(store), open_store(home)
    directions = [(1, 1, 1, 1), (1, 1, 1, 0), (1, 1, 0, 0)]
    for direction in directions:
        lived.embed(lived.add(), unit(*direction))
    shared = cache_of(other)
    with other.read(TENANT) as tx:
        search(tx, shared)
    assert len(vectors_in(shared)) == 3
    lived.change(how, lived.ns[which])
    with other.backlog(write=False) as backlog:  # as the embedding worker does now and then
        backlog.next_due_at(0, 5)
    assert len(vectors_in(shared)) == 2
    assert unit(*directions[which]).tobytes() not in vectors_in(shared)


def test_what_several_processes_write_at_once_is_followed_by_another(
    store: Store, open_store: OpenStore, home: Path
) -> None:
    writers = [VectorHome(store), VectorHome(open_store(home)), VectorHome(open_store(home), "bob")]
    reader, shared = open_store(home), VectorCache()
    done, wrong = threading.Event(), []

    def write(own: VectorHome, seed: int) -> None:
        random = np.random.default_rng(seed)
        for i in range(20):
            own.embed(own.add(), unit(*random.integers(1, 9, DIMS)))
            own.change("hide" if i % 3 else "erase", own.ns[int(random.integers(len(own.ns)))])

    def keep_searching() -> None:
        while not done.is_set():
            for tenant in (TENANT, "bob"):
                with reader.read(tenant) as tx:
                    if truth_of(tx) != search(tx, shared):
                        wrong.append(tenant)

    threads = [threading.Thread(target=write, args=(own, i)) for i, own in enumerate(writers)]
    searcher = threading.Thread(target=keep_searching)
    for thread in (*threads, searcher):
        thread.start()
    for thread in threads:
        thread.join(TIMEOUT_S)
    done.set()
    searcher.join(TIMEOUT_S)
    assert wrong == []
    for tenant in (TENANT, "bob"):
        with reader.read(tenant) as tx:
            assert search_every_way(tx, shared) == [truth_of(tx)] * 3
