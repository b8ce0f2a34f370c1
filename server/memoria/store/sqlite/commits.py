"""Commits: one fsync for the writers of several threads, and checkpoints of the log.

A thread that finds nobody writing leads: it begins the transaction, and ends it. Before the end,
writers that wait write too, one after the other, each within a savepoint, so that a failure of one
undoes no other's changes. All of them wait until the transaction is on disk. Writers that follow
must be brief, and there must be a crowd: a single writer that waits is faster by itself.

By itself, SQLite moves the log into the file in every commit after a thousand pages, and that
capture waits. A checkpoint does so in a thread with its own connection. If more is written than the
thread can move, SQLite moves the rest in a commit (`LATEST_PAGES`).

The log begins anew only at a moment when nobody reads. Where readers always overlap, there is none,
and it grows; so from a length on (`_LONG_PAGES`) a checkpoint keeps writers waiting for a second at
most, until those who read have left the log.
"""

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from memoria.errors import StoreError, StoreUnavailableError
from memoria.store.sqlite.driver import SqliteConnection, sqlite3

_CROWD = 3
"""Number of waiting threads from which on a commit is shared."""
_MOST = 32
_LONGEST_S = 0.02
"""Longest time for which followers that have written wait for further ones."""
Lead = Callable[[], AbstractContextManager[SqliteConnection]]
"""Begins a transaction, yields its connection, and ends it."""


class _Waiting:
    """A thread that waits to write."""

    def __init__(self, *, is_brief: bool) -> None:
        self.is_brief = is_brief
        self.connection: SqliteConnection | None = None
        """Connection of the leading thread's transaction; None if this thread is to lead."""
        self.failure: BaseException | None = None
        """Error that kept the thread's changes from the disk."""
        self.turn, self.written, self.ended = _gate(), _gate(), _gate()


def _gate() -> threading.Lock:
    """Return a lock that is held already; releasing the lock lets one waiting thread through."""
    gate = threading.Lock()
    gate.acquire()
    return gate


class SharedCommits:
    """Transactions of one process on one file, some with a shared fsync. Thread-safe."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._line: deque[_Waiting] = deque()
        self._is_led = False

    @contextmanager
    def write(self, lead: Lead, *, is_brief: bool) -> Iterator[SqliteConnection]:
        """Run a transaction; its changes are on disk when the block has ended without an error.

        Args:
            lead: the transaction to begin if this thread leads.
            is_brief: True if other threads may wait for the change.

        Raises:
            StoreUnavailableError: a shared transaction could not be committed.
        """
        waiting = self._wait(is_brief=is_brief)
        if waiting is None or waiting.connection is None:
            with self._leading(lead) as connection:
                yield connection
        else:
            with _following(waiting, waiting.connection):
                yield waiting.connection

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other threads from writing while the block runs."""
        self._wait(is_brief=False)
        try:
            yield
        finally:
            self._hand_over()

    def _wait(self, *, is_brief: bool) -> _Waiting | None:
        """Wait for this thread's turn; return its place in line, None if it leads at once."""
        waiting = self._line_up(is_brief=is_brief)
        if waiting is not None:
            waiting.turn.acquire()
        return waiting

    def _line_up(self, *, is_brief: bool) -> _Waiting | None:
        with self._guard:
            if not self._is_led:
                self._is_led = True
                return None
            waiting = _Waiting(is_brief=is_brief)
            self._line.append(waiting)
            return waiting

    @contextmanager
    def _leading(self, lead: Lead) -> Iterator[SqliteConnection]:
        followers: list[_Waiting] = []
        try:
            with lead() as connection:
                yield connection
                self._let_write(connection, followers)
        except BaseException as error:
            for one in followers:
                one.failure = error
            raise
        finally:
            for one in followers:
                one.ended.release()
            self._hand_over()

    def _let_write(self, connection: SqliteConnection, followers: list[_Waiting]) -> None:
        """Let waiting threads write into the open transaction, as long as many wait."""
        until = time.monotonic() + _LONGEST_S
        least = _CROWD
        while len(followers) < _MOST and time.monotonic() < until:
            waiting = self._next_brief(least)
            if waiting is None:
                return
            least = 1
            followers.append(waiting)
            waiting.connection = connection
            waiting.turn.release()
            waiting.written.acquire()
            if not connection.in_transaction:  # SQLite has given up all of it: the disk is full
                raise StoreUnavailableError(_GIVEN_UP)

    def _next_brief(self, least: int) -> _Waiting | None:
        """Return the next thread if its change is brief and `least` threads wait; else None."""
        with self._guard:
            if len(self._line) >= least and self._line[0].is_brief:
                return self._line.popleft()
            return None

    def _hand_over(self) -> None:
        """Let the next thread in line lead."""
        with self._guard:
            self._is_led = bool(self._line)
            if self._line:
                self._line.popleft().turn.release()


@contextmanager
def _following(waiting: _Waiting, connection: SqliteConnection) -> Iterator[None]:
    try:
        connection.execute("SAVEPOINT follower")
        try:
            yield
            connection.execute("RELEASE follower")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK TO follower")
                connection.execute("RELEASE follower")
            raise
    finally:
        waiting.written.release()
    waiting.ended.acquire()
    if waiting.failure is not None:
        raise StoreUnavailableError(_GIVEN_UP) from waiting.failure


_GIVEN_UP = (
    "The store failed: what several wrote at the same moment could not be kept. Nothing was "
    "written. Check the disk and its free space, then try again."
)
LATEST_PAGES = 4_000
"""Pages of the log from which on a commit moves them: 16 MB."""
_COMMITS = 40
"""Commits after which a checkpoint is due; an ordinary commit writes 20 to 30 pages."""
_LONG_PAGES = 16_000
"""Pages of the log from which on it is emptied while writers wait: 64 MB."""
_WRITERS_WAIT_MS = 1_000
_LONGEST_STOP_S = 5.0


class Checkpoints:
    """Checkpoints of one process on one file. Thread-safe."""

    def __init__(
        self,
        connect: Callable[[], SqliteConnection],
        keep_out_writers: Callable[[], AbstractContextManager[None]],
    ) -> None:
        """Bind to a file; the first commit starts the thread.

        Args:
            connect: opens a connection to the file.
            keep_out_writers: has this process's writers wait until its block ends.
        """
        self._connect = connect
        self._keep_out_writers = keep_out_writers
        self._commits = 0
        self._due = threading.Event()
        self._stopping = False
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None

    def note_commit(self) -> None:
        """Count one more commit. Only the thread that holds the writer's lock may call."""
        self._commits += 1
        if self._commits >= _COMMITS:
            self._commits = 0
            self._wake()

    def stop(self) -> None:
        """End the thread, after the checkpoint that it makes."""
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
                connection.execute(f"PRAGMA busy_timeout = {_WRITERS_WAIT_MS}")
                tried_at = 0
                while self._wait_for_work():
                    with contextlib.suppress(sqlite3.Error):  # the next will do it
                        tried_at = self._move_log(connection, tried_at)
        except (StoreError, sqlite3.Error):  # then commits do it, and say what is wrong
            return

    def _wait_for_work(self) -> bool:
        """Wait until a checkpoint is due; return False if the thread is to end."""
        self._due.wait()
        self._due.clear()
        return not self._stopping

    def _move_log(self, connection: SqliteConnection, tried_at: int) -> int:
        """Move the log into the file, and empty it where it has grown long.

        Args:
            connection: to the file.
            tried_at: pages of the log when it could not be emptied; 0 if that was not tried. Those
                who read for minutes are waited for again when it has grown much further.

        Returns:
            The same for the next time.
        """
        pages: int = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()[1]
        if pages < tried_at + _LONG_PAGES:
            return tried_at if pages >= tried_at else 0
        with self._keep_out_writers():
            is_busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        return pages if is_busy else 0
