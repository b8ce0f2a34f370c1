"""The seam between Memoria and its database engines.

Tables and their statements are the same for all engines (`store.rows`, `store.sql`). An engine
opens a `Store`, and a store hands out transactions of them. A transaction of a tenant can reach no
other tenant's rows: the tenant is bound when it begins, and no method takes one.

Every engine keeps this contract, to which `tests/store/conformance/` holds it:

- A reader sees one moment, however long it reads and whoever writes meanwhile. A writer sees its
  own changes; others see them once its block has ended, all of them or none.
- Writers of one tenant line up, in all processes. Whether those of two do is the engine's.
- An entry of the queue is one worker's while its lease lasts, and a session's entries are one
  worker's at a time. A day's cap holds for all processes together.
- A text comes back as it was written. NUL stands in turns and files alone. A number has 64 bits,
  and a larger one is refused. Nothing and an empty text are two values.
- Texts are in the order of their code points; rows that are equally near or good, in the order in
  which they were written.

All calls block; the application runs each whole transaction in one worker thread, beside which
`Transaction.read_concurrently` may have a second for a while.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple, Protocol

from memoria.config import Settings
from memoria.disk.tenant_files import HomeFiles
from memoria.model import DAY_MS, DailyCap, Finding, ModelCall
from memoria.model.moments import Zone
from memoria.model.nightly import NightlyRun
from memoria.model.status import HomeFigures
from memoria.store.rows.backlog import Backlog
from memoria.store.rows.outbox import DueWebhook
from memoria.store.rows.queue import WorkQueue
from memoria.store.rows.transaction import Transaction
from memoria.store.tables import MovedRows


class Store(Protocol):
    """An opened database."""

    @property
    def files(self) -> HomeFiles:
        """Files of the tenants, and the keys that they share."""
        ...

    @property
    def moved(self) -> MovedRows:
        """All rows, for a move to or from another engine."""
        ...

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
            tenant: the name of the tenant whose rows change.
            is_brief: True if the change ends so soon that other changes may wait, to be written to
                disk together with it.
            only_adds: True if the change takes nothing back that an answer may have quoted; else
                all kept answers end, whether the change succeeds or not.

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

    def list_due_webhooks(self, now: int) -> list[DueWebhook]:
        """List the webhooks of all tenants to which events may be sent now, in UTC epoch ms."""
        ...

    @property
    def zone(self) -> Zone:
        """Zone that decides where days begin, where a turn has no UTC offset of its own."""
        ...

    @property
    def vector_bytes(self) -> int:
        """Number of bytes of this process's memory that hold vectors to search."""
        ...

    def figures(self) -> HomeFigures:
        """Return figures of the whole home, read from one snapshot."""
        ...

    def examine(self, *, deep: bool) -> list[Finding]:
        """Check the file and its indexes for `doctor`, and list the findings."""
        ...

    def scrub(self) -> bool:
        """Wipe the traces of erased rows from the file. Safe to stop and to repeat.

        Returns True if all traces are gone, False while another process still reads old pages.
        """
        ...

    def needs_scrub(self) -> bool:
        """Check whether the file may hold traces of erased rows."""
        ...

    def renew_words(self, most: int) -> bool:
        """Index some documents of older versions by the words that this version reads in them.

        Safe to stop, to repeat and to do in several processes. Returns True if documents are left.

        Args:
            most: the largest number of documents to look at.
        """
        ...

    def rebuild(self, progress: Callable[[int, int], None]) -> None:
        """Rebuild the derived indexes from the stored truth; `progress` gets (done, total)."""
        ...

    def mend(self, check: str, progress: Callable[[int, int], None]) -> None:
        """Mend the fault that `examine` reported for a check, if possible without loss."""
        ...

    def close(self) -> None:
        """Close every connection."""
        ...


class JournalingStore(Store, Protocol):
    """A store that writes only under the lease of nightly maintenance, and journals on request."""

    @property
    def most_rows(self) -> int:
        """Number of rows that the largest transaction changed, indexes and the journal included."""
        ...

    def journaling(self, run: NightlyRun, step: int) -> AbstractContextManager[None]:
        """Record each row written in this block as changed by a step of the run."""
        ...


class KeyChange(NamedTuple):
    """A file's key before and after; None where it is plain."""

    former: bytes | None
    key: bytes | None


class DatabaseFiles(Protocol):
    """Work on a database file as a whole, opened or not."""

    @property
    def newest_schema(self) -> int:
        """Number of the newest schema that this version knows."""
        ...

    def open_former(self, settings: Settings, database: Path) -> Store:
        """Open the store of a database that a restore has set aside.

        Raises:
            StoreError: the store can't be opened.
        """
        ...

    def copy(self, source: Path, target: Path, progress: Callable[[int, int], None]) -> None:
        """Copy the file as it is at this moment, while other processes may write to the file."""
        ...

    def list_foreign_objects(self, path: Path) -> list[str]:
        """List objects in a file that no version of Memoria made, such as triggers; run none."""
        ...

    def check_truth(self, path: Path) -> list[Finding]:
        """Check that the truth in a file is whole; no other process may have the file open."""
        ...

    def describe(self, path: Path) -> tuple[int, Mapping[str, int]]:
        """Return the number of the file's schema, and its numbers of rows by kind."""
        ...

    def list_tenants(self, path: Path) -> list[str]:
        """List the tenants that a file has something of."""
        ...

    def recode(
        self, path: Path, folder: Path, keys: KeyChange, begin: Callable[[], None]
    ) -> Mapping[str, int]:
        """Put a copy under another key in a file's place, compared row by row; wipe the former.

        Args:
            path: the file.
            folder: an empty folder on the same disk, for the work.
            keys: of the file and of its copy.
            begin: called when the copy is whole, right before it takes the place.

        Returns:
            The numbers of rows, by table.

        Raises:
            StoreError: the file is damaged or in use, or the copy is not the same. It is as it was.
        """
        ...

    def claim(self, path: Path) -> AbstractContextManager[Callable[[Path, Path], None]]:
        """Lock all other processes out of the file, and yield a function that replaces the file.

        The function takes the new file, and the folder that the present file is moved to.

        Raises:
            StoreUnavailableError: another process has the file open.
        """
        ...


class Engine(Protocol):
    """A database engine as one home uses it."""

    @property
    def files(self) -> DatabaseFiles | None:
        """Operations on the home's database file as a whole; None if a server has the database."""
        ...

    def exists(self, settings: Settings) -> bool:
        """Check whether the home has a database already."""
        ...

    def require_unused(self, settings: Settings) -> None:
        """Check that no process has the home's database open, if there is one.

        Raises:
            StoreUnavailableError: one has, or it can't be found out.
        """
        ...

    def identify(self, settings: Settings) -> tuple[int, int] | None:
        """Return what tells the home's database from one that replaces it; None if it has none."""
        ...

    def open(self, settings: Settings) -> Store:
        """Open the home's store, made if the home has none.

        Raises:
            StoreError: the store can't be opened.
        """
        ...

    def open_journaling(self, settings: Settings, lease: str, owner: str) -> JournalingStore:
        """Open the store of a nightly run, which writes only while `owner` has the tenant's lease.

        Raises:
            StoreError: the store can't be opened.
        """
        ...


RENEWAL_PAGE = 200
"""Number of documents renewed at a time, after which other writers get their turn."""


def renew_all(store: Store) -> None:
    """Index every document of an older version by the words of this version."""
    while store.renew_words(RENEWAL_PAGE):
        pass


def read_pending_calls(store: Store, most: int) -> bool:
    """Note by what some tool calls of older versions are looked up; return True if more may wait.

    Safe to stop, to repeat and to do in several processes.
    """
    for tenant in store.tenants():
        with store.read(tenant) as tx:
            if not tx.tool_calls.list_pending(1):
                continue
        with store.write(tenant, only_adds=True) as tx:
            for n, turn in tx.conversations.turns(tx.tool_calls.list_pending(most)).items():
                tx.tool_calls.renew(n, turn)
        return True
    return False


class StoreLedger:
    """Ledger of calls to chat models, each entry a transaction; safe to call from any thread.

    An entry is on disk before the model is asked, so that neither a crash nor another process can
    spend the same tokens a second time.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def reserve(self, tenant: str, call: ModelCall, since: int, cap: DailyCap) -> int | None:
        """Enter a call that is about to be made, and return the number of the entry.

        Returns None if the tenant's entries of the day that began at `since` would exceed the cap.
        """
        with self._store.write(tenant, only_adds=True) as tx:
            return enter_call(tx, call, since, cap)

    def settle(self, tenant: str, n: int, call: ModelCall) -> None:
        """Set the outcome and the cost of an entry's call."""
        with self._store.write(tenant, only_adds=True) as tx:
            tx.ledger.settle(n, call)


def enter_call(tx: Transaction, call: ModelCall, since: int, cap: DailyCap) -> int | None:
    """Enter a call that is about to be made, as `StoreLedger.reserve` does."""
    spent = tx.ledger.spending(since, since + DAY_MS)
    return tx.ledger.add(call) if cap.allows(call, spent) else None
