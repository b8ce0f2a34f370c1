"""The seam between Memoria and its database engines.

Tables and their statements are the same for all engines (`store.rows`, `store.sql`). An engine
opens a `Store`, and a store hands out transactions of them. A transaction of a tenant can reach no
other tenant's rows: the tenant is bound when it begins, and no method takes one.

All calls block; the application runs each whole transaction in one worker thread, beside which
`Transaction.read_concurrently` may have a second for a while.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from memoria.config import Settings
from memoria.model import DAY_MS, DailyCap, Finding, ModelCall
from memoria.model.moments import Zone
from memoria.model.nightly import NightlyRun
from memoria.store.rows.backlog import Backlog
from memoria.store.rows.queue import WorkQueue
from memoria.store.rows.transaction import Transaction


class Store(Protocol):
    """An opened database."""

    def tenants(self) -> list[str]:
        """List the names of all tenants that ever stored something."""
        ...

    def read(self, tenant: str) -> AbstractContextManager[Transaction]:
        """Begin a transaction that reads one snapshot of a tenant's rows."""
        ...

    def write(
        self, tenant: str, *, is_brief: bool = False, only_adds: bool = False
    ) -> AbstractContextManager[Transaction]:
        """Begin a change, all or nothing; on disk when the block has ended without an error.

        Args:
            tenant: whose rows they are.
            is_brief: True if it ends so soon that others may wait for it, to be written to disk
                together.
            only_adds: True if nothing that an answer may have quoted is taken back by it; else no
                kept answer of before is given any more, whether the change succeeds or not.

        Raises:
            StoreUnavailableError: the file can't be written, or a kept answer can't be ended.
        """
        ...

    def backlog(self, *, write: bool) -> AbstractContextManager[Backlog]:
        """Open the embedding backlog of all tenants for a transaction."""
        ...

    def work_queue(self, *, write: bool) -> AbstractContextManager[WorkQueue]:
        """Open the extraction queue of all tenants for a transaction."""
        ...

    @property
    def zone(self) -> Zone:
        """Zone that decides where days begin, if nothing better is known."""
        ...

    @property
    def vector_bytes(self) -> int:
        """Bytes of this process's memory that hold vectors to search."""
        ...

    def examine(self, *, deep: bool) -> list[Finding]:
        """Check the file and its indexes for `doctor`, and list what was found."""
        ...

    def scrub(self) -> bool:
        """Wipe what erased rows left behind in the file. Safe to stop and to repeat.

        Returns True if all of it is gone, False while another process still reads the old pages.
        """
        ...

    def needs_scrub(self) -> bool:
        """Check whether erased rows may still have left something behind."""
        ...

    def renew_words(self, most: int) -> bool:
        """Index some documents of an older version anew, to be found by the words of this one.

        Safe to stop, to repeat and to do in several processes. Returns True if more are left to
        look at.

        Args:
            most: how many are looked at.
        """
        ...

    def rebuild(self, progress: Callable[[int, int], None]) -> None:
        """Build the derived indexes anew from the truth; `progress` gets (done, total)."""
        ...

    def mend(self, check: str, progress: Callable[[int, int], None]) -> None:
        """Mend what `examine` found wrong under this name, if it can be; never the truth."""
        ...

    def close(self) -> None:
        """Close every connection."""
        ...


class JournalingStore(Store, Protocol):
    """A store whose writes need the lease of nightly maintenance, and are journaled on request."""

    @property
    def most_rows(self) -> int:
        """Number of rows that the largest transaction changed, indexes and the journal included."""
        ...

    def journaling(self, run: NightlyRun, step: int) -> AbstractContextManager[None]:
        """Record what is written in this block as changed by that step of the run."""
        ...


class DatabaseFiles(Protocol):
    """Work on a database file as a whole, opened or not."""

    @property
    def newest_schema(self) -> int:
        """Number of the newest schema that this version knows."""
        ...

    def copy(self, source: Path, target: Path, progress: Callable[[int, int], None]) -> None:
        """Copy the file as it is at this moment, while others go on writing to it."""
        ...

    def list_foreign_objects(self, path: Path) -> list[str]:
        """List objects in a file that no version of Memoria made, such as triggers; none is run."""
        ...

    def check_truth(self, path: Path) -> list[Finding]:
        """Check that the truth in a file is whole; nobody else may have it open."""
        ...

    def describe(self, path: Path) -> tuple[int, Mapping[str, int]]:
        """Return the schema's number, and the number of rows of each kind in the file."""
        ...

    def claim(self, path: Path) -> AbstractContextManager[Callable[[Path, Path], None]]:
        """Lock everybody else out of the file, and yield a function that replaces it.

        The function takes the new file and the folder that the present one is moved to.

        Raises:
            StoreUnavailableError: another process has it open.
        """
        ...


class Engine(Protocol):
    """A database engine as one home uses it."""

    @property
    def files(self) -> DatabaseFiles:
        """Operations on the database as a whole, opened or not."""
        ...

    def exists(self, settings: Settings) -> bool:
        """Check whether the home has a database already."""
        ...

    def open(self, settings: Settings) -> Store:
        """Open the home's store; make it if there is none.

        Raises:
            StoreError: it can't be opened.
        """
        ...

    def open_journaling(self, settings: Settings, lease: str, owner: str) -> JournalingStore:
        """Open the store of a nightly run; it writes only while its owner has the tenant's lease.

        Raises:
            StoreError: it can't be opened.
        """
        ...

    def open_former(self, settings: Settings, database: Path) -> Store:
        """Open the store of a database that a restore has set aside.

        Raises:
            StoreError: it can't be opened.
        """
        ...


RENEWAL_PAGE = 200
"""Number of documents renewed at a time; other writers get their turn between two pages."""


def renew_all(store: Store) -> None:
    """Renew the index of every document that an older version has written."""
    while store.renew_words(RENEWAL_PAGE):
        pass


class StoreLedger:
    """A store as a ledger. Its methods may be called from any thread."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def reserve(self, tenant: str, call: ModelCall, since: int, cap: DailyCap) -> int | None:
        """Enter a call that is about to be made, and return its number.

        None if the tenant's entries of the day that began at `since` would come to more than the
        cap.
        """
        with self._store.write(tenant, only_adds=True) as tx:
            return enter_call(tx, call, since, cap)

    def settle(self, tenant: str, n: int, call: ModelCall) -> None:
        """Set the outcome and the cost of an entry's call."""
        with self._store.write(tenant, only_adds=True) as tx:
            tx.ledger.settle(n, call)


def enter_call(tx: Transaction, call: ModelCall, since: int, cap: DailyCap) -> int | None:
    """Enter a call that is about to be made, if the day allows it; see `StoreLedger.reserve`."""
    spent = tx.ledger.spending(since, since + DAY_MS)
    return tx.ledger.add(call) if cap.allows(call, spent) else None
