"""The embedded store: one writer and a few readers on one file, many processes at once.

Every transaction that may write begins with BEGIN IMMEDIATE, so that it waits its turn instead
of failing half way; every read is one snapshot. Within a process a lock keeps writers in line;
between processes SQLite does.
"""

import contextlib
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from queue import Empty, LifoQueue
from typing import TypeVar

from memoria.errors import StoreDamagedError, StoreUnavailableError
from memoria.model import AuditEntry, BacklogStatus, Finding, Statistics, now_millis
from memoria.store.sqlite.backlog import SqliteBacklog
from memoria.store.sqlite.concurrent_read import LargeTenants, have_same_indexes, run_concurrently
from memoria.store.sqlite.conversations import SqliteConversations
from memoria.store.sqlite.core_lines import SqliteCoreLines
from memoria.store.sqlite.days import SqliteDays, SqliteGeneratedFileRecords
from memoria.store.sqlite.dependencies import SqliteDependencies
from memoria.store.sqlite.derivations import SqliteDerivations
from memoria.store.sqlite.documents import SqliteDocuments
from memoria.store.sqlite.driver import (
    Connection,
    connect,
    load_vectors,
    transaction,
    translate_errors,
)
from memoria.store.sqlite.episodes import SqliteEpisodes
from memoria.store.sqlite.examination import examine
from memoria.store.sqlite.graph import SqliteGraph
from memoria.store.sqlite.integrity import Damage, inspect
from memoria.store.sqlite.ledger import SqliteModelCallLog
from memoria.store.sqlite.memories import SqliteMemories
from memoria.store.sqlite.mend import mend, rebuild
from memoria.store.sqlite.metrics import SqliteMetrics
from memoria.store.sqlite.migrate import check_version, migrate
from memoria.store.sqlite.nightly_runs import SqliteNightlyRuns
from memoria.store.sqlite.pairs import SqlitePairs
from memoria.store.sqlite.pruned_edges import SqlitePrunedEdges
from memoria.store.sqlite.purge import SqlitePurgeCandidates
from memoria.store.sqlite.queue import SqliteQueue, SqliteWorkQueue
from memoria.store.sqlite.retention import SqliteRetention
from memoria.store.sqlite.rows import TenantRows, build_value
from memoria.store.sqlite.scratchpads import SqliteScratchpads
from memoria.store.sqlite.scrub import is_scrub_pending, scrub
from memoria.store.sqlite.storage_tiers import SqliteStorageTiers
from memoria.store.sqlite.terms import TermStatistics
from memoria.store.sqlite.tombstones import SqliteTombstones
from memoria.store.sqlite.vectors import Vec0Index, VectorCache, VectorIndex

_T = TypeVar("_T")
_Identity = tuple[int, int] | None
_ConcurrentRead = Callable[[], AbstractContextManager["SqliteTransaction | None"]]


class SqliteTransaction:
    """One tenant's rows over one connection, inside a transaction."""

    def __init__(
        self,
        connection: Connection,
        name: str,
        tenant: int,
        vectors: VectorIndex,
        attempts: int,
        counted: TermStatistics | None = None,
        twin: _ConcurrentRead = nullcontext,
    ) -> None:
        self._connection = connection
        self._twin = twin
        self._name = name
        self._attempts = attempts
        self._admin = TenantRows(connection, tenant, "admin")
        self.documents = SqliteDocuments(connection, tenant, vectors, counted)
        self.conversations = SqliteConversations(connection, tenant, self.documents)
        self.memories = SqliteMemories(connection, tenant, self.documents)
        self.graph = SqliteGraph(connection, tenant)
        self.episodes = SqliteEpisodes(connection, tenant)
        self.core = SqliteCoreLines(connection, tenant)
        self.scratchpads = SqliteScratchpads(connection, tenant)
        self.tombstones = SqliteTombstones(connection, tenant)
        self.queue = SqliteQueue(connection, tenant)
        self.retention = SqliteRetention(connection, tenant)
        self.pairs = SqlitePairs(connection, tenant)
        self.dependencies = SqliteDependencies(connection, tenant)
        self.derivations = SqliteDerivations(connection, tenant)
        self.edge_pruning = SqlitePrunedEdges(connection, tenant)
        self.metrics = SqliteMetrics(connection, tenant)
        self.nightly_runs = SqliteNightlyRuns(connection, tenant, self.documents)
        self.purge = SqlitePurgeCandidates(connection, tenant)
        self.days = SqliteDays(connection, tenant)
        self.file_records = SqliteGeneratedFileRecords(connection, tenant)
        self.storage_tiers = SqliteStorageTiers(connection, tenant)
        self.audit = SqliteAuditLog(self._admin)
        self.ledger = SqliteModelCallLog(connection, tenant)

    @contextlib.contextmanager
    def read_concurrently(
        self, work: Callable[["SqliteTransaction"], _T]
    ) -> Iterator[Callable[[], _T]]:
        """Do something in another thread, on the same rows, while the block runs."""
        with self._twin() as other:
            if other is None:
                yield partial(work, self)
            else:
                with run_concurrently(partial(work, other)) as result:
                    yield result

    def statistics(self) -> Statistics:
        """What the tenant holds."""
        chunks = self._admin.all("chunks")[0]
        pages, page_size = (
            self._connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_count", "page_size")
        )
        return Statistics(
            tenant=self._name,
            sessions=self._admin.number("sessions"),
            turns=self._admin.number("turns"),
            turn_versions=self._admin.number("turn_versions"),
            memories={row["validity"]: row["total"] for row in self._admin.all("memories")},
            raw_chunks=chunks["total"],
            raw_bytes=chunks["raw"],
            stored_bytes=chunks["stored"],
            database_bytes=pages * page_size,
            vectors=self._admin.number("vectors"),
            backlog=BacklogStatus(
                pending=self._admin.number("pending", attempts=self._attempts),
                failed=self._admin.number("failed", attempts=self._attempts),
            ),
            queue=self.queue.status(),
        )


class SqliteAuditLog:
    """The append-only log."""

    def __init__(self, rows: TenantRows) -> None:
        self._rows = rows

    def add(
        self,
        *,
        at: int,
        channel: str,
        client: str | None,
        action: str,
        subject: str,
        detail: str | None = None,
    ) -> None:
        """Write a line."""
        self._rows.insert(
            "audit",
            at=at,
            channel=channel,
            client=client,
            action=action,
            subject=subject,
            detail=detail,
        )

    def list_entries(self, subject: str) -> list[AuditEntry]:
        """What was done to a memory or turn, oldest first."""
        rows = self._rows.all("audit_of", subject=subject)
        return [build_value(AuditEntry, dict(row)) for row in rows]


class SqliteStore:
    """An opened database file. Its methods may be called from any thread."""

    def __init__(
        self, path: Path, *, busy_timeout_ms: int, readers: int, attempts: int = 5
    ) -> None:
        """Open the file, and make or migrate it if need be.

        Raises:
            StoreUnavailableError: the file can't be opened or is damaged.
            StoreTooNewError: a newer Memoria wrote it.
            UnsupportedEngineError: this SQLite is too old.
        """
        self._path = path
        self._busy_timeout_ms = busy_timeout_ms
        self._attempts = attempts
        self._write_lock = threading.Lock()
        self._read_slots = threading.BoundedSemaphore(readers)
        self._idle_readers: LifoQueue[tuple[Connection, VectorIndex]] = LifoQueue()
        self._matrices = VectorCache(connect=self._connect_for_learning)
        self._counted = TermStatistics()
        self._large = LargeTenants()
        self._closed = False
        with translate_errors():
            self._file, (self._writer, self._writer_vectors) = self._open_current_file()
            try:
                migrate(self._writer)
            except BaseException:
                self._writer.close()
                raise

    def tenants(self) -> list[str]:
        """Everybody who ever kept anything."""
        with self._read_connection() as (connection, _):
            rows = connection.execute("SELECT name FROM tenants ORDER BY id").fetchall()
        return [str(row["name"]) for row in rows]

    @contextlib.contextmanager
    def read(self, tenant: str) -> Iterator[SqliteTransaction]:
        """A consistent view of a tenant's rows."""
        with self._read_connection() as (connection, vectors):
            yield self._transaction_over(
                connection, vectors, tenant, partial(self._open_concurrent_read, connection, tenant)
            )

    @contextlib.contextmanager
    def write(self, tenant: str) -> Iterator[SqliteTransaction]:
        """A change, all or nothing."""
        with self._write_transaction() as connection:
            number = _tenant_number(connection, tenant) or _add_tenant(connection, tenant)
            yield SqliteTransaction(
                connection, tenant, number, self._writer_vectors, self._attempts
            )

    @contextlib.contextmanager
    def backlog(self, *, write: bool) -> Iterator[SqliteBacklog]:
        """The embedding backlog across tenants."""
        if write:
            with self._write_transaction() as connection:
                yield SqliteBacklog(connection, self._writer_vectors)
        else:
            with self._read_connection() as (connection, vectors):
                vectors.drop_erased()
                yield SqliteBacklog(connection, vectors)

    @contextlib.contextmanager
    def work_queue(self, *, write: bool) -> Iterator[SqliteWorkQueue]:
        """The extraction queue across tenants."""
        if write:
            with self._write_transaction() as connection:
                yield SqliteWorkQueue(connection)
        else:
            with self._read_connection() as (connection, _):
                yield SqliteWorkQueue(connection)

    @property
    def vector_bytes(self) -> int:
        """The memory this process takes to search vectors in."""
        return self._matrices.nbytes

    def examine(self, *, deep: bool) -> list[Finding]:
        """What `doctor` wants to know."""
        with translate_errors(), self._fresh_connection(read_only=True) as (connection, vectors):
            return list(examine(connection, vectors, deep=deep))

    def rebuild(self, progress: Callable[[int, int], None]) -> None:
        """Build the derived indexes anew from the truth."""
        with self._exclusive_writer(), self._fresh_connection() as (connection, vectors):
            rebuild(connection, vectors, progress)

    def mend(self, check: str, progress: Callable[[int, int], None]) -> None:
        """Mend what `examine` found wrong under this name, if it can be. Never the truth."""
        with self._exclusive_writer(), self._fresh_connection() as (connection, vectors):
            mend(connection, vectors, check, progress)

    def needs_scrub(self) -> bool:
        """Whether erased rows may still have left something behind."""
        with self._read_connection() as (connection, _):
            return is_scrub_pending(connection)

    def scrub(self) -> bool:
        """Wipe what erased rows left behind in the file."""
        with self._exclusive_writer(), self._fresh_connection() as (connection, _):
            return scrub(connection, self._busy_timeout_ms)

    def close(self) -> None:
        """Close every connection."""
        self._closed = True
        with self._write_lock:
            self._writer.close()
        while not self._idle_readers.empty():
            self._idle_readers.get_nowait()[0].close()
        self._matrices.clear()

    @contextlib.contextmanager
    def _write_transaction(self) -> Iterator[Connection]:
        with self._exclusive_writer() as connection, transaction(connection):
            self._check_file_identity()
            check_version(connection)  # a newer Memoria may have moved the home on meanwhile
            yield connection

    @contextlib.contextmanager
    def _exclusive_writer(self) -> Iterator[Connection]:
        """The writer's connection, which no other thread has meanwhile."""
        with self._write_lock, self._detect_damage(), translate_errors():
            yield self._writer

    @contextlib.contextmanager
    def _fresh_connection(
        self, *, read_only: bool = False
    ) -> Iterator[tuple[Connection, VectorIndex]]:
        """A connection that remembers nothing.

        FTS5's integrity check trusts what its connection remembers of the index, and after another
        connection's writes it takes a sound index for a broken one.
        """
        connection, vectors = self._open(read_only=read_only)
        with contextlib.closing(connection):
            yield connection, vectors

    @contextlib.contextmanager
    def _read_connection(self) -> Iterator[tuple[Connection, VectorIndex]]:
        with self._read_slots, self._detect_damage(), translate_errors():
            self._check_file_identity()
            with self._open_snapshot() as (connection, vectors):
                yield connection, vectors

    @contextlib.contextmanager
    def _open_concurrent_read(
        self, connection: Connection, tenant: str
    ) -> Iterator[SqliteTransaction | None]:
        """A second view of what a reader sees; None where none is to be had, or it isn't worth it.

        Nobody waits for a slot here: those who hold one and want another would wait for each other.
        """
        number = _tenant_number(connection, tenant) or 0
        if not self._large.includes(connection, number) or not self._read_slots.acquire(
            blocking=False
        ):
            yield None
            return
        try:
            with self._open_snapshot() as (other, vectors):
                same = have_same_indexes(connection, other)
                yield self._transaction_over(other, vectors, tenant) if same else None
        finally:
            self._read_slots.release()

    @contextlib.contextmanager
    def _open_snapshot(self) -> Iterator[tuple[Connection, VectorIndex]]:
        connection, vectors = self._take_connection()
        try:
            connection.execute("BEGIN")
            yield connection, vectors
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            self._idle_readers.put((connection, vectors))

    def _transaction_over(
        self,
        connection: Connection,
        vectors: VectorIndex,
        tenant: str,
        twin: _ConcurrentRead = nullcontext,
    ) -> SqliteTransaction:
        number = _tenant_number(connection, tenant) or 0
        return SqliteTransaction(
            connection, tenant, number, vectors, self._attempts, self._counted, twin
        )

    def _take_connection(self) -> tuple[Connection, VectorIndex]:
        with contextlib.suppress(Empty):
            return self._idle_readers.get_nowait()
        return self._open(read_only=True)

    def _check_file_identity(self) -> None:
        """Stop where going on would mean to write into a file that nobody will read."""
        if _identity(self._path) != self._file:
            raise StoreUnavailableError(
                "The database file was replaced or removed while this process had it open. "
                "Nothing was written. Start the process again."
            )

    @contextlib.contextmanager
    def _detect_damage(self) -> Iterator[None]:
        """What can't be understood is the file's fault where the file is not whole, else ours."""
        try:
            yield
        except (LookupError, TypeError, ValueError) as error:
            if not self._find_damage():
                raise
            raise StoreDamagedError.for_problem("its rows contradict each other") from error

    def _find_damage(self) -> Damage:
        with translate_errors(), self._fresh_connection(read_only=True) as (connection, _):
            return inspect(connection)

    def _open_current_file(self) -> tuple[_Identity, tuple[Connection, VectorIndex]]:
        """The writer, on the file in place: a restore may change it while we wait for its lock."""
        while True:
            before = _identity(self._path)
            opened = self._open()
            if _identity(self._path) == before:
                return before, opened
            opened[0].close()

    def _connect_for_learning(self) -> Connection:
        """A connection for what is done beside the searches."""
        return connect(self._path, self._busy_timeout_ms, read_only=True)

    def _open(self, *, read_only: bool = False) -> tuple[Connection, VectorIndex]:
        if self._closed:
            raise StoreUnavailableError("The store is closed. Open the memory again.")
        connection = connect(self._path, self._busy_timeout_ms, read_only=read_only)
        kept = Vec0Index(connection) if load_vectors(connection) else None
        return connection, VectorIndex(connection, kept, self._matrices if read_only else None)


def _identity(path: Path) -> _Identity:
    """Which file it is, whatever its name; None where there is none."""
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise StoreUnavailableError(
            f"The data folder {path.parent} can't be read: {error.strerror}. Check that it belongs "
            "to this user, or set MEMORIA_HOME to another."
        ) from error
    return found.st_dev, found.st_ino


def _tenant_number(connection: Connection, name: str) -> int | None:
    row = connection.execute("SELECT id FROM tenants WHERE name = ?", (name,)).fetchone()
    return None if row is None else int(row["id"])


def _add_tenant(connection: Connection, name: str) -> int:
    cursor = connection.execute(
        "INSERT INTO tenants (name, created_at) VALUES (?, ?)", (name, now_millis())
    )
    return cursor.lastrowid or 0
