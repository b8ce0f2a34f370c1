"""Scrubbing: making deleted rows unreadable in the file, and merging the full text's segments.

A deleted row remains in four places:

- its own bytes, over which `secure_delete` writes zeros;
- its terms in the full-text index, which FTS5 marks as deleted until index segments are merged
  into the last level;
- older copies of its page's cells in the unused space of pages: moving a row to another page leaves
  them, and `secure_delete` does not reach them, so the file is written anew (VACUUM);
- the write-ahead log, which is emptied last.

Scrubbing can be stopped and repeated: a request in `settings`, written together with the deletion,
stays until everything is done. What a file system or a disk keeps of freed blocks is out of reach.

Every transaction that writes to the full-text index adds a segment. FTS5 merges segments by itself:
now and then, within whichever transaction comes next, some thousand rows at once. A nightly run
would hold other writers up with that. So nothing is merged in its transactions, and small ones of
their own make up for it. A merge is begun only if it can be ended within a bound, for at its end
FTS5 deletes all rows of the merged segments at once. The levels of segments are known from FTS5's
structure record alone, whose form is that of the file: newer versions of SQLite can't change it.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from memoria.store.image.index_size import read_varints
from memoria.store.sql.statements import as_json, statements
from memoria.store.sqlite.driver import SqliteConnection, take_turn

_SEGMENT_SQL = statements("index_segments")
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
    """Have FTS5 merge nothing during the block, which runs within a transaction."""
    usual = _BY_ITSELF | {
        row["k"]: row["v"] for row in connection.execute(_SEGMENT_SQL["settings"])
    }
    _send_settings(connection, _NEVER)
    yield
    connection.execute("SAVEPOINT flush")  # makes FTS5 write down what it holds
    connection.execute("RELEASE flush")
    _send_settings(connection, {name: usual[name] for name in _NEVER})


def has_mergeable(connection: SqliteConnection) -> bool:
    """Check whether small segments are left to merge."""
    return _pages_to_merge(connection) > 0


def is_merged_whole(connection: SqliteConnection) -> bool:
    """Check whether the index has no more than one segment, on the last level.

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
    found = connection.execute(_SEGMENT_SQL["pages"], {"segments": as_json(chosen)})
    pages = [int(row["pages"]) for row in found]
    return min(max(1, *pages), _AT_ONCE) if sum(pages) <= _MOST_PAGES else 0


def _send_settings(connection: SqliteConnection, settings: dict[str, int]) -> None:
    for name, value in settings.items():
        connection.execute(_SEGMENT_SQL["tell"], {"name": name, "value": value})


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
    numbers = read_varints(
        connection.execute(_SEGMENT_SQL["structure"]).fetchone()["block"][_COOKIE:]
    )
    many, _segments, _written = next(numbers), next(numbers), next(numbers)
    return [_read_level(numbers) for _ in range(many)]


def _read_level(numbers: Iterator[int]) -> _Level:
    merging, many = next(numbers), next(numbers)
    segments = [(next(numbers), next(numbers), next(numbers))[0] for _ in range(many)]
    return _Level(merging, tuple(segments))


_SQL = statements("scrub")
_PAUSE_S = 0.05
_MOMENT_MS = 200
_PAGES = 500
"""Pages merged in one transaction, so that other writers get their turn."""


def is_scrub_pending(connection: SqliteConnection) -> bool:
    """Check whether deleted rows may still be readable in the file."""
    return _read_request(connection) is not None


def scrub(connection: SqliteConnection, wait_ms: int) -> bool:
    """Scrub the file; return True if nothing is left, False if old pages were read for too long."""
    wanted = _read_request(connection)
    if wanted is None:
        return True
    _merge_full_text(connection)
    connection.execute("PRAGMA temp_store = FILE")  # VACUUM keeps a whole copy there
    with take_turn(connection):
        connection.execute("VACUUM")
    if not _empty_log(connection, wait_ms):
        return False
    with take_turn(connection):
        connection.execute(_SQL["done"], {"value": wanted})  # unless more was deleted meanwhile
    return not is_scrub_pending(connection)


def _empty_log(connection: SqliteConnection, wait_ms: int) -> bool:
    """Move the log into the file and empty the log; return False if that took too long.

    While SQLite waits for readers here, nobody can write. So it waits for a moment only, and
    between two attempts all writers in line get their turn.
    """
    deadline = time.monotonic() + wait_ms / 1000
    connection.execute(f"PRAGMA busy_timeout = {_MOMENT_MS}")
    try:
        while not _try_to_empty_log(connection):
            if time.monotonic() > deadline:
                return False
            time.sleep(_PAUSE_S)
    finally:
        connection.execute(f"PRAGMA busy_timeout = {connection.busy_timeout_ms}")
    return True


def _try_to_empty_log(connection: SqliteConnection) -> bool:
    with take_turn(connection):
        return not connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]


def _merge_full_text(connection: SqliteConnection) -> None:
    """Merge all segments into one, in which no deleted term is left; else build the index anew."""
    step = "begin_merge"
    while True:
        before = connection.total_changes
        with take_turn(connection):
            connection.execute(_SQL[step], {"pages": _PAGES})
        # FTS5 counts one change for the command and more for each page it wrote.
        if connection.total_changes - before < 2 and step == "merge":  # noqa: PLR2004
            break
        step = "merge"
    if not is_merged_whole(connection):
        with take_turn(connection):
            connection.execute(_SQL["rebuild"])


def _read_request(connection: SqliteConnection) -> str | None:
    row = connection.execute(_SQL["pending"]).fetchone()
    return None if row is None else str(row["value"])
