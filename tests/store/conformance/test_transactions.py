"""A transaction sees one moment, and its changes are all kept or none of them."""

import threading
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from memoria.errors import StoreError
from memoria.model import MemoryType, Provenance, new_id
from memoria.store.engine import Store
from memoria.store.values import NewMemory, NewVersion

OpenStore = Callable[[Path], Store]
TIMEOUT_S = 60


def focus(store: Store, tenant: str = "ann") -> str | None:
    with store.read(tenant) as tx:
        found = tx.scratchpads.get("s")
    return None if found is None else found.current_focus


def put(store: Store, text: str, tenant: str = "ann") -> None:
    with store.write(tenant) as tx:
        tx.scratchpads.put("s", text, [], now=1, keep=5)


def test_a_write_that_fails_leaves_nothing_and_the_next_one_works(store: Store) -> None:
    put(store, "before")
    with pytest.raises(ZeroDivisionError), store.write("ann") as tx:  # noqa: PT012
        tx.scratchpads.put("s", "after", ["done"], now=2, keep=5)
        tx.conversations.upsert_session("x", "s", 1, 2, 3)
        raise ZeroDivisionError
    assert focus(store) == "before"
    with store.read("ann") as tx:
        assert tx.statistics().sessions == 0
    put(store, "after")
    assert focus(store) == "after"


def snapshot_of(store: Store) -> object:
    with store.read("ann") as tx:
        return tx.snapshot


def test_readers_have_one_key_until_something_is_written(store: Store) -> None:
    put(store, "before")
    keys = [snapshot_of(store) for _ in range(20)]
    # A server counts what others change in its other databases, too.
    assert any(one == next_one for one, next_one in pairwise(keys))
    put(store, "after")
    assert snapshot_of(store) not in keys


def test_a_write_the_database_refuses_leaves_nothing(store: Store) -> None:
    with pytest.raises(StoreError), store.write("ann") as tx:  # noqa: PT012
        tx.scratchpads.put("s", "focus", [], now=1, keep=5)
        bold = NewMemory(new_id(), MemoryType.FACT, importance=7, confidence=0.5)
        origin = Provenance(source_kind="user_said", trust="user", channel="test")
        tx.memories.add(bold, NewVersion("too important", b"f", 1, 1, origin, None))
    assert focus(store) is None


def test_a_reader_sees_one_moment_however_much_is_written(
    store: Store, open_store: OpenStore, home: Path
) -> None:
    put(store, "before")
    other = open_store(home)
    with store.read("ann") as tx:
        put(other, "after")
        seen = tx.scratchpads.get("s")
        assert seen is not None
        assert seen.current_focus == "before"
    assert focus(store) == "after"


@pytest.mark.parametrize("same", [True, False], ids=["one store", "two stores"])
def test_writers_wait_for_each_other(
    store: Store, open_store: OpenStore, home: Path, same: bool
) -> None:
    other = store if same else open_store(home)
    waiting = threading.Thread(target=put, args=(other, "second"))
    with store.write("ann") as tx:
        waiting.start()
        tx.scratchpads.put("s", "first", [], now=1, keep=5)
    waiting.join(TIMEOUT_S)
    assert not waiting.is_alive()
    assert focus(store) == "second"


def test_who_only_reads_changes_nothing(store: Store) -> None:
    put(store, "before")
    with pytest.raises(StoreError), store.read("ann") as tx:
        tx.scratchpads.put("s", "after", [], now=2, keep=5)
    assert focus(store) == "before"


def test_a_change_is_seen_by_whoever_makes_it_and_by_others_when_it_has_ended(
    store: Store, open_store: OpenStore, home: Path
) -> None:
    other = open_store(home)
    with store.write("ann") as tx:
        tx.scratchpads.put("s", "mine", [], now=1, keep=5)
        found = tx.scratchpads.get("s")
        assert found is not None
        assert found.current_focus == "mine"
        assert focus(other) is None
    assert focus(other) == "mine"


@pytest.mark.parametrize("same", [True, False], ids=["one store", "two stores"])
def test_writers_of_two_tenants_wait_for_nobody_on_postgres(
    engine: str, store: Store, open_store: OpenStore, home: Path, same: bool
) -> None:
    if engine == "sqlite":
        pytest.skip("one file has one writer")
    other = store if same else open_store(home)
    put(store, "before", "bob")
    with store.write("ann") as tx:
        tx.scratchpads.put("s", "first", [], now=1, keep=5)
        writing = threading.Thread(target=put, args=(other, "second", "bob"))
        writing.start()
        writing.join(TIMEOUT_S)
        assert focus(other, "bob") == "second"
    assert focus(store) == "first"


def test_many_writers_lose_no_change(store: Store, open_store: OpenStore, home: Path) -> None:
    stores, each = (store, open_store(home)), 10

    def add(which: int) -> None:
        for n in range(each):
            with stores[which % 2].write("ann") as tx:
                found = tx.scratchpads.get("s")
                count = int(found.current_focus or 0) if found else 0
                tx.scratchpads.put("s", str(count + 1), [], now=n, keep=5)

    threads = [threading.Thread(target=add, args=(which,)) for which in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(TIMEOUT_S)
    assert focus(store) == str(4 * each)
