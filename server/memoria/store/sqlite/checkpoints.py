"""Checkpoints: moving what was written to the log into the file, in a thread of its own.

By itself, SQLite has a commit do it every thousand pages, so that some captures wait for a thousand
pages and two more fsyncs. Here a thread does it with its own connection, and nobody waits. If more
is written than it can move, SQLite does it in a commit as ever, so that the log has a bound
(`LATEST_PAGES`).
"""

import contextlib
import threading
from collections.abc import Callable

from memoria.errors import StoreError
from memoria.store.sqlite.driver import SqliteConnection, sqlite3

LATEST_PAGES = 4_000
"""Pages of the log from which on a commit moves them: 16 MB."""
_COMMITS = 40
"""Commits after which a checkpoint is due; an ordinary commit writes 20 to 30 pages."""
_LONGEST_STOP_S = 5.0


class Checkpoints:
    """The checkpoints of one process in one file. Thread-safe."""

    def __init__(self, connect: Callable[[], SqliteConnection]) -> None:
        """Bind to a file; the thread begins when there is something to move.

        Args:
            connect: opens a connection to the file.
        """
        self._connect = connect
        self._commits = 0
        self._due = threading.Event()
        self._stopping = False
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None

    def note_commit(self) -> None:
        """Count a commit; the caller has the writer's lock."""
        self._commits += 1
        if self._commits >= _COMMITS:
            self._commits = 0
            self._wake()

    def stop(self) -> None:
        """End the thread, after the checkpoint that it is at."""
        with self._guard:
            self._stopping, thread = True, self._thread
        self._due.set()
        if thread is not None:
            thread.join(_LONGEST_STOP_S)

    def _wake(self) -> None:
        with self._guard:
            if self._thread is None and not self._stopping:
                self._thread = threading.Thread(
                    target=self._run, name="memoria-checkpoints", daemon=True
                )
                self._thread.start()
        self._due.set()

    def _run(self) -> None:
        try:
            with contextlib.closing(self._connect()) as connection:
                while self._wait_for_work():
                    with contextlib.suppress(sqlite3.Error):  # the next will do it
                        connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        except (StoreError, sqlite3.Error):  # then commits do it, and say what is wrong
            return

    def _wait_for_work(self) -> bool:
        """Wait until a checkpoint is due; return False if the thread is to end."""
        self._due.wait()
        self._due.clear()
        return not self._stopping
