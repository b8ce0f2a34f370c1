"""What a connection or a transaction has read is read again once it can have changed."""

from collections.abc import Callable, Sequence
from pathlib import Path

from memoria.store.engine import Store
from memoria.store.image.cached_reads import RememberedRows, SnapshotCache


class _Reader:
    def __init__(self) -> None:
        self.read: list[int] = []

    def __call__(self, ns: Sequence[int]) -> dict[int, str]:
        self.read += ns
        return {n: f"turn {n}" for n in ns if n < 10}


def test_what_was_read_of_a_snapshot_is_not_read_again_and_comes_oldest_first() -> None:
    rows, reader = RememberedRows[str](is_kept=True), _Reader()
    assert list(rows.look_up([3, 1, 77], reader)) == [1, 3]
    assert rows.look_up([77, 2, 1], reader) == {1: "turn 1", 2: "turn 2"}
    assert reader.read == [3, 1, 77, 2]


def test_a_writer_reads_each_time() -> None:
    rows, reader = RememberedRows[str](is_kept=False), _Reader()
    for _ in range(2):
        assert rows.look_up([1], reader) == {1: "turn 1"}
    assert reader.read == [1, 1]


def test_who_reads_a_whole_record_keeps_no_more_of_it_than_a_search_needs() -> None:
    rows, reader = RememberedRows[str](is_kept=True), _Reader()
    for n in range(0, 10_000, 100):
        rows.look_up(range(n, n + 100), reader)
    reader.read.clear()
    assert rows.look_up([1], reader) == {1: "turn 1"}
    assert reader.read == [1]


def test_only_where_nothing_changes_is_told_what_was_read_already() -> None:
    kept, changing = RememberedRows[str](is_kept=True), RememberedRows[str](is_kept=False)
    for rows in (kept, changing):
        rows.look_up([1, 2], lambda _: {1: "one"})
    assert kept.list_kept([1, 2, 3]) == {1: "one"}
    assert changing.list_kept([1, 2, 3]) == {}


OpenStore = Callable[[Path], Store]


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
    store: Store, open_store: OpenStore, home: Path
) -> None:
    other = open_store(home)
    for n in range(3):
        with store.read("ann") as tx:
            assert len(tx.scratchpads.list_recent(9)) == n
            found = tx.scratchpads.find_in_hand(None, None)
            assert (found.task if found else None) == (f"task {n - 1}" if n else None)
        with (other if n % 2 else store).write("ann") as tx:
            tx.scratchpads.put(f"session {n}", f"task {n}", (), n, 5)


def test_within_a_change_what_it_writes_is_seen(store: Store) -> None:
    with store.write("ann") as tx:
        for n in range(3):
            tx.scratchpads.put("session", f"task {n}", (), n, 5)
            found = tx.scratchpads.find_in_hand("session", None)
            assert found is not None
            assert found.task == f"task {n}"
