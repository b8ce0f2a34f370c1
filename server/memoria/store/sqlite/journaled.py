"""The night's own store: what it writes is journaled, and only while its lease is held."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from memoria.errors import LeaseLostError
from memoria.model import system_millis
from memoria.model.night import Run
from memoria.store.sqlite.driver import Connection
from memoria.store.sqlite.journal import journaled, watch
from memoria.store.sqlite.segments import merge_some, mergeable, unmerged
from memoria.store.sqlite.statements import statements
from memoria.store.sqlite.store import SqliteStore


class JournaledStore(SqliteStore):
    """A home's store as a night uses it, from one thread."""

    def __init__(
        self, path: Path, *, busy_timeout_ms: int, attempts: int, lease: str, owner: str
    ) -> None:
        """Open the file beside whoever else has it open.

        Args:
            path: the database file.
            busy_timeout_ms: how long to wait for other writers.
            attempts: how often an embedding is tried.
            lease: without which nothing is written.
            owner: whose it must be.

        Raises:
            StoreError: see `SqliteStore`.
        """
        super().__init__(path, busy_timeout_ms=busy_timeout_ms, readers=1, attempts=attempts)
        self._lease = lease, owner
        self._at: tuple[int, int] | None = None
        self.most_rows = 0
        watch(self._writer)

    @contextlib.contextmanager
    def journaling(self, run: Run, step: int) -> Iterator[None]:
        """Note what is written in this block as changed by that step of the run."""
        self._at = run.n, step
        try:
            yield
        finally:
            self._at = None

    @contextlib.contextmanager
    def _writing(self) -> Iterator[Connection]:
        with self._counted_writing() as connection:
            journal = journaled(connection, *self._at) if self._at else contextlib.nullcontext()
            with unmerged(connection), journal:
                yield connection
        self._merge_a_little()

    def _merge_a_little(self) -> None:
        """Make up for what the transaction before this one left unmerged."""
        with self._alone() as connection:
            if not mergeable(connection):
                return
        with self._counted_writing() as connection:
            merge_some(connection)

    @contextlib.contextmanager
    def _counted_writing(self) -> Iterator[Connection]:
        """A transaction of whoever holds the lease."""
        before = self._writer.total_changes
        with super()._writing() as connection:
            self._fence(connection)
            yield connection
        self.most_rows = max(self.most_rows, self._writer.total_changes - before)

    def _fence(self, connection: Connection) -> None:
        """Stop where another took over: a process that slept must not write on where it was."""
        name, owner = self._lease
        asked = {"name": name, "owner": owner, "now": system_millis()}
        if connection.execute(statements("night")["lease"], asked).fetchone() is None:
            raise LeaseLostError(
                "Another night has taken over, because this one made no progress for too long. "
                "Nothing more is written here."
            )
