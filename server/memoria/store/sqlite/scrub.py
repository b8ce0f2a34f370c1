"""Scrubbing: making what was deleted unreadable in the file itself.

A deleted row remains in four places:

- its own bytes, over which `secure_delete` writes zeros;
- its terms in the full-text index, which FTS5 marks as deleted until index segments are merged
  into the last level;
- older copies of its page's cells in the unused space of pages: moving a row to another page leaves
  them, and `secure_delete` does not reach them, so the file is written anew (VACUUM);
- the write-ahead log, which is emptied last.

Scrubbing can be stopped and repeated: a request in `settings`, written together with the deletion,
stays until everything is done. What a file system or a disk keeps of freed blocks is out of reach.
"""

import time

from memoria.store.sql.statements import statements
from memoria.store.sqlite.driver import SqliteConnection, take_turn
from memoria.store.sqlite.index_segments import is_merged_whole

_SQL = statements("scrub")
_PAUSE_S = 0.05
_MOMENT_MS = 200
_PAGES = 500
"""Pages merged in one transaction, so that other writers get their turn."""


def is_scrub_pending(connection: SqliteConnection) -> bool:
    """Check whether something deleted may still be readable."""
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
    """Move the log into the file and empty it; return False if that took too long.

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
    """Merge all segments into one, where no deleted term survives; else build the index anew."""
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
