"""The store and its transactions."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol, Self, TypeVar

from memoria.model import (
    Finding,
    Statistics,
)
from memoria.model.nightly import NightlyRun
from memoria.model.zone import Zone
from memoria.store.base.accounts import Accounts
from memoria.store.base.backlog import Backlog, TenantBacklog
from memoria.store.base.conversations import Conversations
from memoria.store.base.core import CoreLines
from memoria.store.base.days import Days, GeneratedFileRecords
from memoria.store.base.dependencies import Dependencies
from memoria.store.base.derivations import Derivations
from memoria.store.base.documents import Documents
from memoria.store.base.episodes import Episodes
from memoria.store.base.erasures import Erasures
from memoria.store.base.graph import Graph
from memoria.store.base.hidden import HiddenRecords
from memoria.store.base.leases import Leases
from memoria.store.base.listings import Listings
from memoria.store.base.logs import AuditLog, ModelCallLog
from memoria.store.base.memories import Memories
from memoria.store.base.metrics import MetricRows
from memoria.store.base.nightly_runs import NightlyRuns
from memoria.store.base.pairs import Pairs
from memoria.store.base.portable import PortableRows
from memoria.store.base.private_times import PrivateTimes
from memoria.store.base.projects import Projects
from memoria.store.base.purge import PurgeCandidates
from memoria.store.base.queue import Queue, WorkQueue
from memoria.store.base.retention import RetentionRows
from memoria.store.base.scratchpads import Scratchpads
from memoria.store.base.short_ids import ShortIds
from memoria.store.base.tasks import TaskNames
from memoria.store.base.tombstones import Tombstones
from memoria.store.base.transcripts import TranscriptPlaces
from memoria.store.base.turn_columns import TurnColumns

_T = TypeVar("_T")


class Transaction(Protocol):
    """One tenant's rows, seen and changed as one unit."""

    @property
    def zone(self) -> Zone:
        """Zone that decides where days begin, if nothing better is known."""
        ...

    @property
    def snapshot(self) -> object:
        """Key of what a transaction that only reads sees: those with equal keys see the same."""
        ...

    @property
    def documents(self) -> Documents: ...  # noqa: D102
    @property
    def conversations(self) -> Conversations: ...  # noqa: D102
    @property
    def turn_columns(self) -> TurnColumns: ...  # noqa: D102
    @property
    def accounts(self) -> Accounts: ...  # noqa: D102
    @property
    def transcripts(self) -> TranscriptPlaces: ...  # noqa: D102
    @property
    def memories(self) -> Memories: ...  # noqa: D102
    @property
    def listings(self) -> Listings: ...  # noqa: D102
    @property
    def short_ids(self) -> ShortIds: ...  # noqa: D102
    @property
    def graph(self) -> Graph: ...  # noqa: D102
    @property
    def episodes(self) -> Episodes: ...  # noqa: D102
    @property
    def core(self) -> CoreLines: ...  # noqa: D102
    @property
    def scratchpads(self) -> Scratchpads: ...  # noqa: D102
    @property
    def tasks(self) -> TaskNames: ...  # noqa: D102
    @property
    def private_times(self) -> PrivateTimes: ...  # noqa: D102
    @property
    def projects(self) -> Projects: ...  # noqa: D102
    @property
    def tombstones(self) -> Tombstones: ...  # noqa: D102
    @property
    def erasures(self) -> Erasures: ...  # noqa: D102
    @property
    def hidden(self) -> HiddenRecords: ...  # noqa: D102
    @property
    def queue(self) -> Queue: ...  # noqa: D102
    @property
    def backlog(self) -> TenantBacklog: ...  # noqa: D102
    @property
    def leases(self) -> Leases: ...  # noqa: D102
    @property
    def retention(self) -> RetentionRows: ...  # noqa: D102
    @property
    def pairs(self) -> Pairs: ...  # noqa: D102
    @property
    def dependencies(self) -> Dependencies: ...  # noqa: D102
    @property
    def derivations(self) -> Derivations: ...  # noqa: D102
    @property
    def metrics(self) -> MetricRows: ...  # noqa: D102
    @property
    def nightly_runs(self) -> NightlyRuns: ...  # noqa: D102
    @property
    def days(self) -> Days: ...  # noqa: D102
    @property
    def file_records(self) -> GeneratedFileRecords: ...  # noqa: D102
    @property
    def purge(self) -> PurgeCandidates: ...  # noqa: D102
    @property
    def portable(self) -> PortableRows: ...  # noqa: D102
    @property
    def audit(self) -> AuditLog: ...  # noqa: D102
    @property
    def ledger(self) -> ModelCallLog: ...  # noqa: D102

    def follow_changes(self) -> None:
        """Bring the process's caches up to date with the file, if a search may be near.

        A search would do that first of all; a caller that has changed documents, and that nobody
        waits for, spares it the time.
        """
        ...

    def read_concurrently(
        self, work: Callable[[Self], _T]
    ) -> AbstractContextManager[Callable[[], _T]]:
        """Search the indexes in two threads: `work` in one, the block in the other.

        The block is given a function that waits for the result, or raises its error. Where a thread
        would gain nothing, the work is done before the block. The answer is the same either way.

        Args:
            work: gets a transaction of its own in the other thread.
        """
        ...

    def statistics(self) -> Statistics:
        """Count what the tenant holds."""
        ...


class Store(Protocol):
    """An opened database."""

    def tenants(self) -> list[str]:
        """List the names of all tenants that ever stored something."""
        ...

    def read(self, tenant: str) -> AbstractContextManager[Transaction]:
        """Begin a transaction that reads one snapshot of a tenant's rows."""
        ...

    def write(self, tenant: str, *, is_brief: bool = False) -> AbstractContextManager[Transaction]:
        """Begin a change, all or nothing; on disk when the block has ended without an error.

        Args:
            tenant: whose rows they are.
            is_brief: True if it ends so soon that others may wait for it, to be written to disk
                together.
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
