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
from memoria.store.base.pruned_edges import PrunedEdges
from memoria.store.base.purge import PurgeCandidates
from memoria.store.base.queue import Queue, WorkQueue
from memoria.store.base.retention import RetentionRows
from memoria.store.base.scratchpads import Scratchpads
from memoria.store.base.short_ids import ShortIds
from memoria.store.base.storage_tiers import StorageTiers
from memoria.store.base.tasks import TaskNames
from memoria.store.base.tombstones import Tombstones
from memoria.store.base.transcripts import TranscriptPlaces
from memoria.store.base.turn_columns import TurnColumns

_T = TypeVar("_T")


class Transaction(Protocol):
    """One tenant's rows, seen and changed as one unit."""

    @property
    def zone(self) -> Zone:
        """Where days begin of which nothing better is known."""
        ...

    @property
    def snapshot(self) -> object:
        """What a transaction that only reads sees: another with an equal one sees the same."""
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
    def edge_pruning(self) -> PrunedEdges: ...  # noqa: D102
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
    def storage_tiers(self) -> StorageTiers: ...  # noqa: D102
    @property
    def portable(self) -> PortableRows: ...  # noqa: D102
    @property
    def audit(self) -> AuditLog: ...  # noqa: D102
    @property
    def ledger(self) -> ModelCallLog: ...  # noqa: D102

    def follow_changes(self) -> None:
        """Take in what was changed, so that the next search need not, if one may be near.

        What a process keeps of documents from search to search follows the file. Whoever has
        changed some and is waited for by nobody does that for the search to come.
        """
        ...

    def read_concurrently(
        self, work: Callable[[Self], _T]
    ) -> AbstractContextManager[Callable[[], _T]]:
        """Search the indexes in two threads: `work` in one, the block in the other.

        The block is given what waits for the result, or for its error. Where it would gain nothing
        the work is done in turn, before the block. The answer is the same either way.

        Args:
            work: what to do, and with which transaction: in the other thread it has its own.
        """
        ...

    def statistics(self) -> Statistics:
        """What the tenant holds."""
        ...


class Store(Protocol):
    """An opened database."""

    def tenants(self) -> list[str]:
        """The names of all tenants that ever stored something."""
        ...

    def read(self, tenant: str) -> AbstractContextManager[Transaction]:
        """A consistent view of a tenant's rows."""
        ...

    def write(self, tenant: str, *, is_brief: bool = False) -> AbstractContextManager[Transaction]:
        """A change, all or nothing; on disk when the block has ended without an error.

        Args:
            tenant: whose rows they are.
            is_brief: whether it is so soon done that others may wait for it, so that what all of
                them write is on disk at once.
        """
        ...

    def backlog(self, *, write: bool) -> AbstractContextManager[Backlog]:
        """The embedding backlog of all tenants."""
        ...

    def work_queue(self, *, write: bool) -> AbstractContextManager[WorkQueue]:
        """The extraction queue of all tenants."""
        ...

    @property
    def zone(self) -> Zone:
        """Where days begin of which nothing better is known."""
        ...

    @property
    def vector_bytes(self) -> int:
        """The memory this process takes to search vectors in."""
        ...

    def examine(self, *, deep: bool) -> list[Finding]:
        """What `doctor` wants to know about the file and its indexes."""
        ...

    def scrub(self) -> bool:
        """Wipe what erased rows left behind in the file. Safe to stop and to repeat.

        Gives whether all of it is gone; False while another process still reads the old pages.
        """
        ...

    def needs_scrub(self) -> bool:
        """Whether erased rows may still have left something behind."""
        ...

    def renew_words(self, most: int) -> bool:
        """Let some documents that an older version indexed be found by the words of this one.

        Safe to stop, to repeat and to do in several processes. Gives whether more is left to look
        at.

        Args:
            most: how many are looked at.
        """
        ...

    def rebuild(self, progress: Callable[[int, int], None]) -> None:
        """Build the derived indexes anew from the truth. Reports (done, total)."""
        ...

    def mend(self, check: str, progress: Callable[[int, int], None]) -> None:
        """Mend what `examine` found wrong under this name, if it can be. Never the truth."""
        ...

    def close(self) -> None:
        """Close every connection."""
        ...


class JournalingStore(Store, Protocol):
    """A store whose writes need the lease of nightly maintenance, and are journaled on request."""

    @property
    def most_rows(self) -> int:
        """Rows that the largest transaction so far changed, indexes and the journal included."""
        ...

    def journaling(self, run: NightlyRun, step: int) -> AbstractContextManager[None]:
        """Note what is written in this block as changed by that step of the run."""
        ...
