"""What a reading transaction has read of a document is read once; a writer reads each time."""

from collections.abc import Sequence

from memoria.store.image.cached_reads import RememberedRows


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
