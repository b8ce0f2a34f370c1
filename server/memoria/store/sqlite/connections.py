"""Connections to one file: one that writes, and a few that read a snapshot each.

Every transaction that may write begins with BEGIN IMMEDIATE, so that it waits its turn instead of
failing half way; every read is one snapshot. Writers line up, within a process and between
processes (see `write_queue`). A file that was replaced or removed is not used any further.
"""

import contextlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from queue import Empty, LifoQueue
from typing import NamedTuple

from memoria.errors import StoreDamagedError, StoreUnavailableError
from memoria.store.image.cached_reads import SnapshotCache
from memoria.store.sqlite.commits import LATEST_PAGES, Checkpoints, SharedCommits
from memoria.store.sqlite.driver import SqliteConnection, connect, transaction, translate_errors
from memoria.store.sqlite.examination import Damage, inspect
from memoria.store.sqlite.schema import check_version, migrate
from memoria.store.sqlite.vec0 import Vec0Index, load_vectors
from memoria.store.vectors import VectorCache, VectorIndex

_Identity = tuple[int, int] | None


class Opened(NamedTuple):
    """A connection, and the vector index on that connection."""

    connection: SqliteConnection
    vectors: VectorIndex


class Connections:
    """Connections of one process to one file. Thread-safe."""

    def __init__(self, path: Path, busy_timeout_ms: int, readers: int) -> None:
        """Open the file for writing, and make or migrate it if need be.

        Args:
            path: the database file.
            busy_timeout_ms: how long to wait for other writers.
            readers: how many snapshots may be open at once.

        Raises:
            StoreUnavailableError: the file can't be opened or is damaged.
            StoreTooNewError: a newer Memoria wrote it.
            UnsupportedEngineError: this SQLite is too old.
        """
        self._path = path
        self._busy_timeout_ms = busy_timeout_ms
        self._commits = SharedCommits()
        self._read_slots = threading.BoundedSemaphore(readers)
        self._idle: LifoQueue[Opened] = LifoQueue()
        self._settled: list[SnapshotCache] = []
        self._closed = False
        self.cache = VectorCache(connect=self.connect_beside)
        """Vectors of the file that this process has in memory."""
        self._checkpoints = Checkpoints(self.connect_beside, self._commits.alone)
        with translate_errors():
            self._file, self.writer = self._open_current_file()
            try:
                migrate(self.writer.connection)
            except BaseException:
                self.writer.connection.close()
                raise
            self.writer.connection.execute(f"PRAGMA wal_autocheckpoint = {LATEST_PAGES}")

    @contextlib.contextmanager
    def write(self, *, is_brief: bool = False) -> Iterator[SqliteConnection]:
        """Begin a transaction that writes.

        Args:
            is_brief: True if others may wait for it, so that one fsync writes all to disk.
        """
        with (
            self._detect_damage(),
            translate_errors(),
            self._commits.write(self._transaction, is_brief=is_brief) as connection,
        ):
            yield connection

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[SqliteConnection]:
        with transaction(self.writer.connection):
            self._check_file_identity()
            # A newer Memoria may have moved the home on meanwhile.
            check_version(self.writer.connection)
            yield self.writer.connection
        self._checkpoints.note_commit()

    @contextlib.contextmanager
    def lock_writer(self) -> Iterator[SqliteConnection]:
        """Yield the writer's connection, which no other thread has meanwhile."""
        with self._commits.alone(), self._detect_damage(), translate_errors():
            yield self.writer.connection

    @contextlib.contextmanager
    def read(self) -> Iterator[Opened]:
        """Yield a reader with a snapshot; wait while the largest number of readers is open."""
        with self._read_slots, self._detect_damage(), translate_errors():
            self._check_file_identity()
            with self._open_snapshot() as opened:
                yield opened

    @contextlib.contextmanager
    def try_read(self) -> Iterator[Opened | None]:
        """Yield a second snapshot to a thread; None if the largest number of readers is open.

        Nobody waits: two threads that each have a snapshot and want another would never go on.
        """
        if not self._read_slots.acquire(blocking=False):
            yield None
            return
        try:
            with self._open_snapshot() as opened:
                yield opened
        finally:
            self._read_slots.release()

    @contextlib.contextmanager
    def open_fresh(self, *, read_only: bool = False) -> Iterator[Opened]:
        """Yield a new connection without any cached state.

        FTS5's integrity check trusts what its connection remembers of the index, and after another
        connection's writes it takes a sound index for a broken one.
        """
        opened = self._open(read_only=read_only)
        with contextlib.closing(opened.connection):
            yield opened

    def forget(self, connection: SqliteConnection) -> None:
        """Drop what readers have cached, and vectors of documents erased on a snapshot."""
        for each in self._settled:
            each.forget()
        self.cache.drop_erased(connection)

    def close(self) -> None:
        """Close every connection."""
        self._closed = True
        self._checkpoints.stop()
        with self._commits.alone():
            self.writer.connection.close()
        while not self._idle.empty():
            self._idle.get_nowait().connection.close()
        self.cache.clear()

    @contextlib.contextmanager
    def _open_snapshot(self) -> Iterator[Opened]:
        opened = self._take_reader()
        try:
            opened.connection.begin_snapshot()
            yield opened
        finally:
            if opened.connection.in_transaction:
                opened.connection.execute("ROLLBACK")
            self._idle.put(opened)

    def _take_reader(self) -> Opened:
        with contextlib.suppress(Empty):
            return self._idle.get_nowait()
        opened = self._open(read_only=True)
        opened.connection.settled = SnapshotCache()
        self._settled.append(opened.connection.settled)
        return opened

    def _check_file_identity(self) -> None:
        """Raise StoreUnavailableError if the path leads to another file: writes would be lost."""
        if identify_file(self._path) != self._file:
            raise StoreUnavailableError(
                "The database file was replaced or removed while this process had it open. "
                "Nothing was written. Start the process again."
            )

    @contextlib.contextmanager
    def _detect_damage(self) -> Iterator[None]:
        """Raise StoreDamagedError in place of an error about rows if the file turns out damaged."""
        try:
            yield
        except (LookupError, TypeError, ValueError) as error:
            if not self._find_damage():
                raise
            raise StoreDamagedError.for_problem("its rows contradict each other") from error

    def _find_damage(self) -> Damage:
        with translate_errors(), self.open_fresh(read_only=True) as opened:
            return inspect(opened.connection)

    def _open_current_file(self) -> tuple[_Identity, Opened]:
        """Open the writer on the current file: a restore may replace the file during a wait."""
        while True:
            before = identify_file(self._path)
            opened = self._open()
            if identify_file(self._path) == before:
                return before, opened
            opened.connection.close()

    def connect_beside(self) -> SqliteConnection:
        """Open a connection for a thread that works beside readers and the writer."""
        return connect(self._path, self._busy_timeout_ms, read_only=True)

    def _open(self, *, read_only: bool = False) -> Opened:
        if self._closed:
            raise StoreUnavailableError("The store is closed. Open the memory again.")
        connection = connect(self._path, self._busy_timeout_ms, read_only=read_only)
        kept = Vec0Index(connection) if load_vectors(connection) else None
        return Opened(connection, VectorIndex(connection, kept, self.cache if read_only else None))


def identify_file(path: Path) -> _Identity:
    """Return device and inode of a file; None if there is no file."""
    try:
        found = os.stat(path)  # noqa: PTH116  (faster, and it is asked before each transaction)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise StoreUnavailableError(
            f"The data folder {path.parent} can't be read: {error.strerror}. Check that it belongs "
            "to this user, or set MEMORIA_HOME to another."
        ) from error
    return found.st_dev, found.st_ino
