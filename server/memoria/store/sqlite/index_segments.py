"""Index segments of the full text: a nightly run writes its own and merges them bit by bit.

Every transaction that writes to the index adds a segment. FTS5 merges them by itself: now and then,
within whichever transaction comes next, some thousand rows of its tables at once. A night would
hold other writers up with that. So in its transactions nothing is merged, and small transactions of
their own make up for it. A merge is begun only if it can be ended within the bound, for at its end
FTS5 deletes all rows of the merged segments at once. Large segments are left to writers by day.

The levels of segments are known from FTS5's structure record alone. Its form is that of the file,
which newer versions of SQLite can't change either.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from memoria.store.image.varints import read_varints
from memoria.store.sql.statements import statements
from memoria.store.sql.tenant_rows import as_json
from memoria.store.sqlite.driver import SqliteConnection

_SQL = statements("index_segments")
_BY_ITSELF = {"automerge": 4, "crisismerge": 16}
"""FTS5's thresholds of merging, unless it was told otherwise."""
_NEVER = {"automerge": 0, "crisismerge": 1999}
_ENOUGH = 8
"""Segments on a level that are merged into one; FTS5 itself does so with four."""
_MOST_PAGES = 200
"""Pages of all segments that are merged: their rows go at once in the end."""
_AT_ONCE = 40
"""Pages of merged segments that are written at once; about as many are deleted."""
_ROWS = 100
"""Rows after which nothing more is merged in a transaction."""
_COOKIE = 4


class _Level(NamedTuple):
    """Segments of about one size."""

    merging: int
    """Number of them, from the first, that are being merged; 0 if none is."""
    segments: tuple[int, ...]


@contextmanager
def suspend_merging(connection: SqliteConnection) -> Iterator[None]:
    """Merge nothing in this block, which is inside of a transaction; the settings are restored."""
    usual = _BY_ITSELF | {row["k"]: row["v"] for row in connection.execute(_SQL["settings"])}
    _send_settings(connection, _NEVER)
    yield
    connection.execute("SAVEPOINT flush")  # makes FTS5 write down what it holds
    connection.execute("RELEASE flush")
    _send_settings(connection, {name: usual[name] for name in _NEVER})


def has_mergeable(connection: SqliteConnection) -> bool:
    """Check whether something small is left to merge."""
    return _pages_to_merge(connection) > 0


def is_merged_whole(connection: SqliteConnection) -> bool:
    """Check whether all lies in one segment on the last level, or there is nothing.

    FTS5 drops the marks of deleted words only when it merges into the last level. After many
    deletions it may put what is left on a level further down, with empty ones above.
    """
    *lower, last = [len(level.segments) for level in _read_levels(connection)] or [0]
    return last <= 1 and not any(lower)


def merge_some(connection: SqliteConnection) -> None:
    """Merge small segments, up to about a hundred rows."""
    before = connection.total_changes
    while (pages := _pages_to_merge(connection)) and connection.total_changes - before < _ROWS:
        _send_settings(connection, {"merge": pages})


def _pages_to_merge(connection: SqliteConnection) -> int:
    """Return the pages to write at once, so that FTS5 goes on to no other level; 0 for none."""
    chosen = _choose_segments(_read_levels(connection))
    if not chosen:
        return 0
    found = connection.execute(_SQL["pages"], {"segments": as_json(chosen)})
    pages = [int(row["pages"]) for row in found]
    return min(max(1, *pages), _AT_ONCE) if sum(pages) <= _MOST_PAGES else 0


def _send_settings(connection: SqliteConnection, settings: dict[str, int]) -> None:
    for name, value in settings.items():
        connection.execute(_SQL["tell"], {"name": name, "value": value})


def _choose_segments(levels: list[_Level]) -> tuple[int, ...]:
    """Return the segments that FTS5 is going to merge: those begun, or the most on one level."""
    chosen: tuple[int, ...] = ()
    for level in levels:
        if level.merging:
            if level.merging > len(chosen):
                return level.segments[: level.merging]
            break
        if len(level.segments) > len(chosen):
            chosen = level.segments
    return chosen if len(chosen) >= _ENOUGH else ()


def _read_levels(connection: SqliteConnection) -> list[_Level]:
    numbers = read_varints(connection.execute(_SQL["structure"]).fetchone()["block"][_COOKIE:])
    many, _segments, _written = next(numbers), next(numbers), next(numbers)
    return [_read_level(numbers) for _ in range(many)]


def _read_level(numbers: Iterator[int]) -> _Level:
    merging, many = next(numbers), next(numbers)
    segments = [(next(numbers), next(numbers), next(numbers))[0] for _ in range(many)]
    return _Level(merging, tuple(segments))
