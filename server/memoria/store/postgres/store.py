"""PostgreSQL store: many tenants' rows in one database, which many servers share.

A nightly run opens its own store, which writes only while its owner has the lease and journals
each change.
"""

import contextlib
from collections.abc import Callable, Iterator
from functools import partial

from memoria.bare.spans import spans
from memoria.model import DAY_MS, Finding, now_millis
from memoria.model.moments import Zone
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
from memoria.store.postgres.connections import ALL_TENANTS, DatabaseConnections, line_up
from memoria.store.postgres.driver import PostgresConnection
from memoria.store.postgres.examination import examine
from memoria.store.postgres.files import HomeFileRows
from memoria.store.postgres.joined import JoinedTransactions, TenantConnection
from memoria.store.postgres.journal import count_changed_rows, journal_changes
from memoria.store.postgres.mend import Mender
from memoria.store.postgres.moves import PostgresMovedRows
from memoria.store.postgres.pool import PoolSize
from memoria.store.postgres.schema import migrate
from memoria.store.postgres.scrub import read_owed_wipe, wipe_tables
from memoria.store.postgres.tombstone_keys import TombstoneKeys
from memoria.store.postgres.vectors import PgvectorIndex, has_vectors_table, make_vectors_table
from memoria.store.rows.backlog import Backlog
from memoria.store.rows.documents import LargeTenants
from memoria.store.rows.figures import read_figures
from memoria.store.rows.nightly import require_lease
from memoria.store.rows.outbox import DueWebhook, list_due_webhooks
from memoria.store.rows.queue import WorkQueue
from memoria.store.rows.transaction import ConcurrentRead, StoreOptions, Transaction
from memoria.store.rows.word_renewal import WordRenewal
from memoria.store.vectors import VectorCache, VectorIndex


class PostgresStore:
    """Store in a database. Thread-safe."""

    def __init__(
        self,
        url: str,
        size: PoolSize,
        options: StoreOptions,
        key: bytes,
        wipe_within_ms: int = DAY_MS,
    ) -> None:
        """Connect to the database, and make or migrate its tables if need be.

        Args:
            url: the database's URL.
            size: the limits of the pool of connections.
            options: the settings of the store.
            key: for tombstones, with which the database was or will be begun.
            wipe_within_ms: the time within which erased rows are to leave the server's files.

        Raises:
            StoreUnavailableError: the database can't be reached or changed, or has another key.
            StoreTooNewError: a newer Memoria has changed its tables.
        """
        self._options = options
        self._wipe_within_ms = wipe_within_ms
        self._patience_s = size.patience_s
        self._connections = DatabaseConnections(url, size)
        self.moved = PostgresMovedRows(self._connections)
        self._transactions = JoinedTransactions(self)
        keys = TombstoneKeys(key, self._transactions)
        self.files = HomeFileRows(self._transactions, keys)
        try:
            with self._connections.open_fresh() as raw:
                migrate(raw)
                make_vectors_table(raw)
            keys.check()
        except BaseException:
            self._connections.close()
            raise
        self._cache = VectorCache(connect=self._connections.connect_beside)
        self._images = TenantImages(self._connections.connect_beside)
        self._large = LargeTenants()
        self._mender = Mender(self._connections, self._open_vectors, options.zone)
        self._has_vectors = False

    def tenants(self) -> list[str]:
        """List the names of all tenants that ever stored something."""
        with self._connections.read(ALL_TENANTS) as connection:
            return list_tenants(connection)

    @contextlib.contextmanager
    def read(self, tenant: str) -> Iterator[Transaction]:
        """Begin a transaction that reads one snapshot of a tenant's rows."""
        with spans.time("read store"), self._connections.read(tenant) as connection:
            found = find_tenant(connection, tenant) or StoreTenant(tenant)
            self._images.forget_erased(found.number, found.last_erasure)
            another = partial(self._read_same, connection, found)
            with self._note(connection, found):
                yield self._read_transaction(connection, found, another)

    @contextlib.contextmanager
    def write(
        self,
        tenant: str,
        *,
        is_brief: bool = False,  # noqa: ARG002  (the server commits those together that it can)
        only_adds: bool = False,  # noqa: ARG002  (no answer is kept outside of the database)
    ) -> Iterator[Transaction]:
        """Begin a transaction that writes; its changes are kept when the block has ended."""
        with spans.time("write store"), self._write_transaction(tenant) as connection:
            found = enter_tenant(connection, tenant)
            with self._note(connection, found, writes=True):
                vectors = self._open_vectors(connection, found.number)
                yield Transaction(connection, found, vectors, self._options, self._images)

    def open_home(self, *, writes: bool) -> contextlib.AbstractContextManager[PostgresConnection]:
        """Begin a transaction on the rows that are of no tenant."""
        return self._connections.write(ALL_TENANTS) if writes else self._read_all()

    @contextlib.contextmanager
    def backlog(self, *, write: bool) -> Iterator[Backlog]:
        """Open the embedding backlog of all tenants for a transaction."""
        opened = self._write_transaction(ALL_TENANTS) if write else self._read_all()
        with opened as connection:
            if not write:
                self._forget_erased(connection)
            yield Backlog(connection, self._open_vectors(connection))

    @contextlib.contextmanager
    def work_queue(self, *, write: bool) -> Iterator[WorkQueue]:
        """Open the extraction queue of all tenants for a transaction.

        Workers do not wait for each other: each leases what no other has locked.
        """
        opened = self._connections.write(ALL_TENANTS, lines_up=False) if write else self._read_all()
        with opened as connection:
            yield WorkQueue(connection)

    def list_due_webhooks(self, now: int) -> list[DueWebhook]:
        """List the webhooks of all tenants to which events may be sent now, in UTC epoch ms."""
        with self._read_all() as connection:
            return list_due_webhooks(connection, now)

    @property
    def zone(self) -> Zone:
        """Zone that decides where days begin, if nothing better is known."""
        return self._options.zone

    @property
    def vector_bytes(self) -> int:
        """Bytes of this process's memory that hold vectors to search."""
        return self._cache.nbytes

    @property
    def is_learning(self) -> bool:
        """True while a thread reads the vectors or visibilities of a large tenant."""
        return self._cache.learning or self._images.is_reading

    def figures(self) -> HomeFigures:
        """Return figures of the whole database, read from one snapshot."""
        with self._read_all() as connection:
            is_owed = read_owed_wipe(connection).since is not None
            return read_figures(
                connection, now_millis(), self._options.attempts, is_scrub_pending=is_owed
            )

    def examine(self, *, deep: bool) -> list[Finding]:
        """Check the database and its indexes for `doctor`, and list what was found."""
        with self._read_all() as connection:
            vectors = self._open_vectors(connection)
            return [*examine(connection, vectors, self._wipe_within_ms, deep=deep)]

    def rebuild(self, progress: Callable[[int, int], None]) -> None:
        """Build the full text and the vector indexes anew from stored rows."""
        self._mender.rebuild(progress)

    def mend(self, check: str, progress: Callable[[int, int], None]) -> None:
        """Mend what a check of `examine` has found; only derived rows are changed."""
        if check == "erasure":
            self._wipe()
        else:
            self._mender.mend(check, progress)

    def renew_words(self, most: int) -> bool:
        """Index some documents by the words of this version; return True if more may be left."""
        with self._read_all() as connection:
            page = WordRenewal(connection, self._open_vectors(connection), self.zone).read_page(
                most
            )
        if page is None:
            return False
        with self._connections.write(ALL_TENANTS, lines_up=False) as connection:
            line_up(connection, (stale.tenant for stale in page.stale))
            WordRenewal(connection, self._open_vectors(connection), self.zone).write(page)
        return True

    def needs_scrub(self) -> bool:
        """Check whether erased rows may still be in the server's files."""
        with self._read_all() as connection:
            return read_owed_wipe(connection).since is not None

    def scrub(self) -> bool:
        """Wipe erased rows from the memory of this process; a nightly run wipes the server's files.

        Returns True if nothing is left in the files.
        """
        with self._read_all() as connection:
            self._forget_erased(connection)
            return read_owed_wipe(connection).since is None

    def _wipe(self) -> bool:
        """Write the tables anew that had erased rows; return True if nothing is left in them."""
        with self._connections.open_fresh() as raw:
            return wipe_tables(PostgresConnection(raw, only_reads=False), self._patience_s)

    def close(self) -> None:
        """Close every connection."""
        self._images.close()
        self._cache.clear()
        self._connections.close()

    def _forget_erased(self, connection: PostgresConnection) -> None:
        """Drop what this process still knows of erased rows."""
        self._cache.drop_erased(connection)
        for tenant, last_erasure in list_erasures(connection):
            self._images.forget_erased(tenant, last_erasure)

    def _note(
        self, connection: PostgresConnection, tenant: StoreTenant, *, writes: bool = False
    ) -> contextlib.AbstractContextManager[None]:
        """Note a transaction, so that files are read and written in it."""
        opened = TenantConnection(connection, tenant.name, tenant.number, writes)
        return self._transactions.note(opened)

    def _read_all(self) -> contextlib.AbstractContextManager[PostgresConnection]:
        return self._connections.read(ALL_TENANTS)

    def _write_transaction(
        self, tenant: str | int
    ) -> contextlib.AbstractContextManager[PostgresConnection]:
        return self._connections.write(tenant)

    @contextlib.contextmanager
    def _read_same(
        self, connection: PostgresConnection, tenant: StoreTenant
    ) -> Iterator[Transaction | None]:
        """Yield another transaction on the same snapshot; None for a small tenant, or if busy."""
        if not self._large.includes(connection, tenant):
            yield None
            return
        with self._connections.try_read_same(connection, tenant.number) as other:
            yield None if other is None else self._read_transaction(other, tenant)

    def _read_transaction(
        self,
        connection: PostgresConnection,
        tenant: StoreTenant,
        another: ConcurrentRead = contextlib.nullcontext,
    ) -> Transaction:
        vectors = self._open_vectors(connection, tenant.number, self._cache)
        return Transaction(connection, tenant, vectors, self._options, self._images, another)

    def _open_vectors(
        self,
        connection: PostgresConnection,
        tenant: int = ALL_TENANTS,
        shared: VectorCache | None = None,
    ) -> VectorIndex:
        """Return the vector index of a tenant.

        Args:
            connection: the connection of the transaction.
            tenant: the number of the tenant.
            shared: what the process caches; None for a writer.
        """
        # Where it was missing, another process may have made it since.
        self._has_vectors = self._has_vectors or has_vectors_table(connection)
        kept = PgvectorIndex(connection, tenant) if self._has_vectors else None
        return VectorIndex(connection, kept, shared)


class PostgresJournalingStore(PostgresStore):
    """Store of a nightly run, for use in one thread."""

    def __init__(
        self,
        url: str,
        size: PoolSize,
        options: StoreOptions,
        key: bytes,
        wipe_within_ms: int = DAY_MS,
        *,
        tenant: str,
        lease: str,
        owner: str,
    ) -> None:
        """Connect to the database, which others use as well.

        Args:
            url: the database's URL.
            size: the limits of the pool of connections.
            options: the settings of the store.
            key: for tombstones.
            wipe_within_ms: the time within which erased rows are to leave the server's files.
            tenant: whose nightly maintenance it is.
            lease: the tenant's lease without which nothing is written.
            owner: whose it must be.

        Raises:
            StoreError: see `PostgresStore`.
        """
        super().__init__(url, size, options, key, wipe_within_ms)
        self._lease = {"tenant_name": tenant, "name": lease, "owner": owner}
        self._at: tuple[int, int] | None = None
        self.most_rows = 0

    @contextlib.contextmanager
    def journaling(self, run: NightlyRun, step: int) -> Iterator[None]:
        """Record changes in the block as those of a step of the run."""
        self._at = run.n, step
        try:
            yield
        finally:
            self._at = None

    def scrub(self) -> bool:
        """Wipe erased rows from the server's files as well, if that can't wait for the next run."""
        is_clean = super().scrub()
        with self._read_all() as connection:
            is_due = read_owed_wipe(connection).is_due(now_millis(), self._wipe_within_ms)
        return self._wipe() if is_due else is_clean

    @contextlib.contextmanager
    def _write_transaction(self, tenant: str | int) -> Iterator[PostgresConnection]:
        with super()._write_transaction(tenant) as connection:
            require_lease(connection, self._lease)
            journal = (
                journal_changes(connection, *self._at) if self._at else contextlib.nullcontext()
            )
            before = count_changed_rows(connection)
            with journal:
                yield connection
            self.most_rows = max(self.most_rows, count_changed_rows(connection) - before)
