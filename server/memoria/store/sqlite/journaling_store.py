"""The store of a nightly run: it writes while its owner has the lease, and journals the changes."""

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from memoria.errors import LeaseLostError
from memoria.model import system_millis
from memoria.model.nightly import NightlyRun
from memoria.model.zone import MACHINE_ZONE, Zone
from memoria.store.rows.revert import JOURNALED_TABLES
from memoria.store.sql.statements import statements
from memoria.store.sqlite.driver import SqliteConnection
from memoria.store.sqlite.index_segments import has_mergeable, merge_some, suspend_merging
from memoria.store.sqlite.journal import install_triggers, journal_changes
from memoria.store.sqlite.store import SqliteStore


class SqliteJournalingStore(SqliteStore):
    """A home's store as a nightly run uses it, from one thread."""

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
        """Open the file, which other processes may have open too.

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
        """Record what is written in this block as changed by that step of the run."""
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
        """Merge index segments that the transaction before this one left."""
        with self._connections.lock_writer() as connection:
            if not has_mergeable(connection):
                return
        with self._write_under_lease() as connection:
            merge_some(connection)

    @contextlib.contextmanager
    def _write_under_lease(self) -> Iterator[SqliteConnection]:
        """Begin a transaction, if the owner still has the lease."""
        before = self._writer.total_changes
        with super()._write_transaction() as connection:
            self._require_lease(connection)
            yield connection
        self.most_rows = max(self.most_rows, self._writer.total_changes - before)

    def _require_lease(self, connection: SqliteConnection) -> None:
        """Raise LeaseLostError if another has the lease: a process that slept must not write on."""
        asked = {**self._lease, "now": system_millis()}
        if connection.execute(statements("nightly_runs")["lease"], asked).fetchone() is None:
            raise LeaseLostError(
                "Another nightly run has taken over, because this one made no progress for too "
                "long. Nothing more is written here."
            )
