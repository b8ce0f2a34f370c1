"""What every search reads and hardly ever changes is read once, until somebody writes."""

from collections.abc import Callable
from pathlib import Path

from memoria.store.image.cached_reads import SnapshotCache
from memoria.store.sqlite import SqliteStore

OpenStore = Callable[[Path], SqliteStore]


def test_it_is_read_again_only_after_a_commit() -> None:
    settled, read = SnapshotCache(), iter(range(9))
    for commits, expected in ((1, 0), (1, 0), (2, 1), (2, 1), (1, 2)):
        settled.follow(commits)
        assert settled.look_up("what", lambda: next(read)) == expected


def test_it_is_read_again_once_something_was_erased() -> None:
    settled, read = SnapshotCache(), iter(range(9))
    settled.follow(1)
    assert settled.look_up("what", lambda: next(read)) == 0
    settled.forget()
    assert settled.look_up("what", lambda: next(read)) == 1


def test_what_is_remembered_has_a_bound() -> None:
    settled = SnapshotCache()
    for n in range(10_000):
        settled.look_up(n, lambda: "read")
    assert len(settled._known) <= 200  # noqa: SLF001


def test_a_reader_sees_what_another_connection_has_written(
    store: SqliteStore, open_store: OpenStore, home: Path
) -> None:
    other = open_store(home)
    for n in range(3):
        with store.read("ann") as tx:
            assert len(tx.scratchpads.list_recent(9)) == n
            found = tx.scratchpads.find_in_hand(None, None)
            assert (found.task if found else None) == (f"task {n - 1}" if n else None)
        with (other if n % 2 else store).write("ann") as tx:
            tx.scratchpads.put(f"session {n}", f"task {n}", (), n, 5)


def test_within_a_change_what_it_writes_is_seen(store: SqliteStore) -> None:
    with store.write("ann") as tx:
        for n in range(3):
            tx.scratchpads.put("session", f"task {n}", (), n, 5)
            found = tx.scratchpads.find_in_hand("session", None)
            assert found is not None
            assert found.task == f"task {n}"
