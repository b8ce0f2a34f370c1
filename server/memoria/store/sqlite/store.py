"""SQLite store: many tenants' rows in one file, which many processes may have open.

A nightly run opens its own store, which writes only while its owner has the lease and journals
each change.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from memoria.bare.kept_before import end_epoch
from memoria.bare.spans import spans
from memoria.disk.home_folder import HomeFolder
from memoria.errors import StoreUnavailableError
from memoria.model import Finding, now_millis
from memoria.model.moments import MACHINE_ZONE, Zone
from memoria.model.nightly import NightlyRun
from memoria.model.status import HomeFigures
from memoria.store.image.tenant_images import TenantImages
from memoria.store.image.tenants import (
    StoreTenant,
    enter_tenant,
    find_tenant,
    list_erasures,
    list_tenants,
)
from memoria.store.rows.backlog import Backlog
from memoria.store.rows.documents import LargeTenants
from memoria.store.rows.figures import read_figures
from memoria.store.rows.nightly import require_lease
from memoria.store.rows.outbox import DueWebhook, list_due_webhooks
from memoria.store.rows.queue import WorkQueue
from memoria.store.rows.revert import JOURNALED_TABLES
from memoria.store.rows.transaction import ConcurrentRead, StoreOptions, Transaction
from memoria.store.rows.word_renewal import WordRenewal
from memoria.store.sqlite.connections import Connections, Opened
from memoria.store.sqlite.driver import SqliteConnection, translate_errors
from memoria.store.sqlite.examination import examine
from memoria.store.sqlite.journal import install_triggers, journal_changes
from memoria.store.sqlite.mend import mend, rebuild
from memoria.store.sqlite.moves import SqliteMovedRows
from memoria.store.sqlite.scrub import (
    has_mergeable,
    is_scrub_pending,
    merge_some,
    scrub,
    suspend_merging,
)


class SqliteStore:
    """Store on an opened database file. Thread-safe."""

    def __init__(
        self,
        path: Path,
        *,
        busy_timeout_ms: int,
        readers: int,
        attempts: int = 5,
        private: Iterable[str] = (),
        zone: Zone = MACHINE_ZONE,
    ) -> None:
        """Open the file, and make or migrate it if need be.

        Args:
            path: the database file.
            busy_timeout_ms: how long to wait for other writers.
            readers: how many transactions may read at once.
            attempts: how often an embedding is tried.
            private: the workspaces that are seen from themselves alone.
            zone: where days begin of which nothing better is known.

        Raises:
            StoreUnavailableError: the file can't be opened or is damaged.
            StoreTooNewError: a newer Memoria wrote it.
            UnsupportedEngineError: this SQLite is too old.
        """
        self.files = HomeFolder(path.parent)
        self._home = str(path.parent)
        self._busy_timeout_ms = busy_timeout_ms
        self._options = StoreOptions(attempts, frozenset(private), zone)
        self._connections = Connections(path, busy_timeout_ms, readers)
        self.moved = SqliteMovedRows(self._connections)
        self._images = TenantImages(self._connections.connect_beside)
        self._large = LargeTenants()

    def tenants(self) -> list[str]:
        """List the names of all tenants that ever stored something."""
        with self._connections.read() as (connection, _):
            return list_tenants(connection)

    @contextlib.contextmanager
    def read(self, tenant: str) -> Iterator[Transaction]:
        """Begin a transaction that reads one snapshot of a tenant's rows."""
        with spans.time("read store"), self._connections.read() as opened:
            found = find_tenant(opened.connection, tenant) or StoreTenant(tenant)
            self._images.forget_erased(found.number, found.last_erasure)
            another = partial(self._read_same, opened.connection, found)
            yield self._read_transaction(opened, found, another)

    @contextlib.contextmanager
    def write(
        self, tenant: str, *, is_brief: bool = False, only_adds: bool = False
    ) -> Iterator[Transaction]:
        """Begin a transaction that writes; its changes are on disk when the block has ended."""
        with spans.time("write store"), self._write_transaction(is_brief=is_brief) as connection:
            found = enter_tenant(connection, tenant)
            vectors = self._connections.writer.vectors
            end_kept = partial(_end_kept, self._home, tenant)
            if not only_adds:
                end_kept()
            yield Transaction(
                connection, found, vectors, self._options, self._images, end_kept=end_kept
            )

    @contextlib.contextmanager
    def backlog(self, *, write: bool) -> Iterator[Backlog]:
        """Open the embedding backlog of all tenants for a transaction."""
        if write:
            with self._write_transaction() as connection:
                yield Backlog(connection, self._connections.writer.vectors)
        else:
            with self._connections.read() as (connection, vectors):
                self._forget_erased(connection)
                yield Backlog(connection, vectors)

    @contextlib.contextmanager
    def work_queue(self, *, write: bool) -> Iterator[WorkQueue]:
        """Open the extraction queue of all tenants for a transaction."""
        if write:
            with self._write_transaction() as connection:
                yield WorkQueue(connection)
        else:
            with self._connections.read() as (connection, _):
                yield WorkQueue(connection)

    def list_due_webhooks(self, now: int) -> list[DueWebhook]:
        """List the webhooks of all tenants to which events may be sent now, in UTC epoch ms."""
        with self._connections.read() as (connection, _):
            return list_due_webhooks(connection, now)

    @property
    def zone(self) -> Zone:
        """Zone that decides where days begin, if nothing better is known."""
        return self._options.zone

    @property
    def vector_bytes(self) -> int:
        """Bytes of this process's memory that hold vectors to search."""
        return self._connections.cache.nbytes

    @property
    def is_learning(self) -> bool:
        """True while a thread reads the vectors or visibilities of a large home."""
        return self._connections.cache.learning or self._images.is_reading

    def figures(self) -> HomeFigures:
        """Return figures of the whole home, read from one snapshot."""
        with self._connections.read() as (connection, _):
            return read_figures(
                connection,
                now_millis(),
                self._options.attempts,
                is_scrub_pending=is_scrub_pending(connection),
            )

    def examine(self, *, deep: bool) -> list[Finding]:
        """Check the file and its indexes for `doctor`, and list what was found."""
        with translate_errors(), self._connections.open_fresh(read_only=True) as opened:
            return list(examine(*opened, deep=deep))

    def rebuild(self, progress: Callable[[int, int], None]) -> None:
        """Build the full text and the vector indexes anew from stored rows."""
        with self._connections.lock_writer(), self._connections.open_fresh() as opened:
            rebuild(*opened, self.zone, progress)

    def mend(self, check: str, progress: Callable[[int, int], None]) -> None:
        """Mend what a check of `examine` has found; only derived rows are changed."""
        if check == "erasure":
            self.scrub()
            return
        with self._connections.lock_writer(), self._connections.open_fresh() as opened:
            mend(*opened, self.zone, check, progress)

    def renew_words(self, most: int) -> bool:
        """Index some documents by the words of this version; return True if more may be left."""
        with self._connections.read() as opened:
            page = WordRenewal(*opened, self.zone).read_page(most)
        if page is None:
            return False
        with self._write_transaction(is_brief=not page.stale) as connection:
            WordRenewal(connection, self._connections.writer.vectors, self.zone).write(page)
        return True

    def needs_scrub(self) -> bool:
        """Check whether erased rows may still be readable in the file."""
        with self._connections.read() as (connection, _):
            return is_scrub_pending(connection)

    def scrub(self) -> bool:
        """Wipe erased rows from the file and from the memory of this process."""
        with self._connections.lock_writer(), self._connections.open_fresh() as opened:
            self._forget_erased(opened.connection)
            return scrub(opened.connection, self._busy_timeout_ms)

    def close(self) -> None:
        """Close every connection."""
        self._images.close()
        self._connections.close()

    def _write_transaction(
        self, *, is_brief: bool = False
    ) -> contextlib.AbstractContextManager[SqliteConnection]:
        return self._connections.write(is_brief=is_brief)

    def _forget_erased(self, connection: SqliteConnection) -> None:
        """Drop what this process still knows of erased rows."""
        self._connections.forget(connection)
        for tenant, last_erasure in list_erasures(connection):
            self._images.forget_erased(tenant, last_erasure)

    @contextlib.contextmanager
    def _read_same(
        self, connection: SqliteConnection, tenant: StoreTenant
    ) -> Iterator[Transaction | None]:
        """Yield another transaction on the same state; None for a small tenant, or if busy."""
        if not self._large.includes(connection, tenant):
            yield None
            return
        with self._connections.try_read() as opened:
            same = opened and find_tenant(opened.connection, tenant.name)
            if opened and same and same.changes == tenant.changes:
                yield self._read_transaction(opened, same)
            else:
                yield None

    def _read_transaction(
        self, opened: Opened, tenant: StoreTenant, another: ConcurrentRead = contextlib.nullcontext
    ) -> Transaction:
        return Transaction(
            opened.connection, tenant, opened.vectors, self._options, self._images, another
        )


def _end_kept(home: str, tenant: str) -> None:
    try:
        end_epoch(home, tenant)
    except OSError as error:
        raise StoreUnavailableError(
            f"{error.filename} can't be deleted: {error.strerror}. Nothing was changed."
        ) from error


class SqliteJournalingStore(SqliteStore):
    """Store of a nightly run, for use in one thread."""

    def __init__(
        self,
        path: Path,
        *,
        busy_timeout_ms: int,
        attempts: int,
        private: Iterable[str] = (),
        zone: Zone = MACHINE_ZONE,
        tenant: str,
        lease: str,
        owner: str,
    ) -> None:
        """Open the file, which other processes may have open as well.

        Args:
            path: the database file.
            busy_timeout_ms: how long to wait for other writers.
            attempts: how often an embedding is tried.
            private: the workspaces that are seen from themselves alone.
            zone: where days begin of which nothing better is known.
            tenant: whose nightly maintenance it is.
            lease: the tenant's lease without which nothing is written.
            owner: whose it must be.

        Raises:
            StoreError: see `SqliteStore`.
        """
        super().__init__(
            path,
            busy_timeout_ms=busy_timeout_ms,
            readers=1,
            attempts=attempts,
            private=private,
            zone=zone,
        )
        self._lease = {"tenant_name": tenant, "name": lease, "owner": owner}
        self._at: tuple[int, int] | None = None
        self.most_rows = 0
        self._writer = self._connections.writer.connection
        install_triggers(self._writer, JOURNALED_TABLES)

    @contextlib.contextmanager
    def journaling(self, run: NightlyRun, step: int) -> Iterator[None]:
        """Record changes in the block as those of a step of the run."""
        self._at = run.n, step
        try:
            yield
        finally:
            self._at = None

    @contextlib.contextmanager
    def _write_transaction(self, *, is_brief: bool = False) -> Iterator[SqliteConnection]:  # noqa: ARG002  (nobody else writes here)
        with self._write_under_lease() as connection:
            journal = (
                journal_changes(connection, *self._at) if self._at else contextlib.nullcontext()
            )
            with suspend_merging(connection), journal:
                yield connection
        self._merge_index_segments()

    def _merge_index_segments(self) -> None:
        """Merge segments of the full-text index that earlier transactions have added."""
        with self._connections.lock_writer() as connection:
            if not has_mergeable(connection):
                return
        with self._write_under_lease() as connection:
            merge_some(connection)

    @contextlib.contextmanager
    def _write_under_lease(self) -> Iterator[SqliteConnection]:
        """Begin a transaction that writes; raise LeaseLostError if the owner has lost the lease."""
        before = self._writer.total_changes
        with super()._write_transaction() as connection:
            require_lease(connection, self._lease)
            yield connection
        self.most_rows = max(self.most_rows, self._writer.total_changes - before)
