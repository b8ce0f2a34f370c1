"""A transaction: one tenant's rows over one connection.

Its tables are made when they are asked for: most transactions need two or three of two dozen.
"""

import contextlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TypeVar

from memoria.model import (
    DAY_MS,
    PRICED_MS,
    BacklogStatus,
    Statistics,
    now_millis,
    start_of_utc_day,
)
from memoria.model.zone import MACHINE_ZONE, Zone
from memoria.store.sqlite.accounts import SqliteAccounts
from memoria.store.sqlite.audit import SqliteAuditLog
from memoria.store.sqlite.concurrent_read import run_concurrently
from memoria.store.sqlite.conversations import SqliteConversations
from memoria.store.sqlite.core_lines import SqliteCoreLines
from memoria.store.sqlite.days import SqliteDays, SqliteGeneratedFileRecords
from memoria.store.sqlite.dependencies import SqliteDependencies
from memoria.store.sqlite.derivations import SqliteDerivations
from memoria.store.sqlite.documents import SqliteDocuments
from memoria.store.sqlite.driver import Connection
from memoria.store.sqlite.episodes import SqliteEpisodes
from memoria.store.sqlite.erasures import SqliteErasures
from memoria.store.sqlite.graph import SqliteGraph
from memoria.store.sqlite.hidden import SqliteHiddenRecords
from memoria.store.sqlite.leases import SqliteLeases
from memoria.store.sqlite.ledger import SqliteModelCallLog
from memoria.store.sqlite.listings import SqliteListings
from memoria.store.sqlite.memories import SqliteMemories
from memoria.store.sqlite.metrics import SqliteMetrics
from memoria.store.sqlite.nightly_runs import SqliteNightlyRuns
from memoria.store.sqlite.pairs import SqlitePairs
from memoria.store.sqlite.portable import SqlitePortableRows
from memoria.store.sqlite.portable.tables import PortableTables
from memoria.store.sqlite.private_times import SqlitePrivateTimes
from memoria.store.sqlite.projects import SqliteProjects
from memoria.store.sqlite.purge import SqlitePurgeCandidates
from memoria.store.sqlite.queue import SqliteQueue
from memoria.store.sqlite.retention import SqliteRetention
from memoria.store.sqlite.rows import TenantRows
from memoria.store.sqlite.scratchpads import SqliteScratchpads
from memoria.store.sqlite.short_ids import SqliteShortIds
from memoria.store.sqlite.tasks import SqliteTaskNames
from memoria.store.sqlite.tenant_backlog import SqliteTenantBacklog
from memoria.store.sqlite.tenants import ReaderKnowledge, StoreTenant
from memoria.store.sqlite.terms import TermStatistics
from memoria.store.sqlite.tombstones import SqliteTombstones
from memoria.store.sqlite.transcripts import SqliteTranscriptPlaces
from memoria.store.sqlite.turn_columns import SqliteTurnColumns
from memoria.store.sqlite.vectors import VectorIndex
from memoria.store.sqlite.wordings import SqliteWordings
from memoria.store.sqlite.workspaces import SqliteWorkspaces

_T = TypeVar("_T")
ConcurrentRead = Callable[[], AbstractContextManager["SqliteTransaction | None"]]
"""Opens a second transaction that sees the same; yields None if that would gain nothing."""


@dataclass(frozen=True, slots=True)
class StoreOptions:
    """Settings of a store."""

    attempts: int = 5
    """Number of times that an embedding is tried."""
    private: frozenset[str] = frozenset()
    """Workspaces that are seen from themselves alone."""
    zone: Zone = MACHINE_ZONE
    """Zone that decides where days begin, if nothing better is known."""


class SqliteTransaction:
    """One tenant's rows over one connection, inside a transaction."""

    def __init__(
        self,
        connection: Connection,
        tenant: StoreTenant,
        vectors: VectorIndex,
        options: StoreOptions,
        counted: TermStatistics,
        concurrent_read: ConcurrentRead | None = None,
    ) -> None:
        """Bind to a connection.

        Args:
            connection: which has begun a transaction.
            tenant: whose rows they are.
            vectors: the vector index as this connection reaches it.
            options: of the store.
            counted: the process's caches of the full text.
            concurrent_read: opens a second transaction that sees the same; None for a writer.
        """
        self._connection = connection
        self._name = tenant.name
        self._tenant = tenant.number
        self._vectors = vectors
        self._attempts = options.attempts
        self._counted = counted
        self._concurrent_read = concurrent_read or nullcontext
        self.zone = options.zone
        self._private_times = tenant.private_times
        self._reading = None if concurrent_read is None else ReaderKnowledge(tenant, counted)
        self._workspaces = SqliteWorkspaces(
            connection, tenant.number, options.private, only_reads=self._reading is not None
        )

    @cached_property
    def snapshot(self) -> tuple[int, int]:
        """Key of the snapshot: the connection, and a number that changes with the file."""
        return id(self._connection), self._connection.count_commits()

    @cached_property
    def documents(self) -> SqliteDocuments:
        """The derived indexes over whatever can be found."""
        return SqliteDocuments(
            self._connection,
            self._tenant,
            self._vectors,
            self._reading,
            self._workspaces,
            self._counted.terms,
        )

    @cached_property
    def conversations(self) -> SqliteConversations:
        """Sessions, their turns and segments."""
        return SqliteConversations(
            self._connection,
            self._tenant,
            self.documents,
            self.zone,
            private=self._workspaces.private_names,
            only_reads=self._reading is not None,
        )

    @cached_property
    def turn_columns(self) -> SqliteTurnColumns:
        """Turns as arrays."""
        return SqliteTurnColumns(self._connection, self._tenant, self.conversations, self._reading)

    @cached_property
    def accounts(self) -> SqliteAccounts:
        """Turns of which there may be two accounts."""
        return SqliteAccounts(
            self._connection, self._tenant, self.conversations, self.documents, self.zone
        )

    @cached_property
    def transcripts(self) -> SqliteTranscriptPlaces:
        """Places up to which the transcripts of clients have been taken in."""
        return SqliteTranscriptPlaces(self._connection, self._tenant)

    @cached_property
    def memories(self) -> SqliteMemories:
        """Memories and their versions."""
        return SqliteMemories(
            self._connection, self._tenant, self.documents, self._workspaces, self._wordings
        )

    @cached_property
    def _wordings(self) -> SqliteWordings:
        return SqliteWordings(self._connection, self._tenant, self.documents, self.zone)

    @cached_property
    def listings(self) -> SqliteListings:
        """Memories and sessions page by page, for browsing."""
        return SqliteListings(self._connection, self._tenant, self._workspaces)

    @cached_property
    def short_ids(self) -> SqliteShortIds:
        """Ids of memories, turns and entities by their ends, of sessions by their beginnings."""
        return SqliteShortIds(self._connection, self._tenant)

    @cached_property
    def graph(self) -> SqliteGraph:
        """Memories, turns and entities as nodes, and the edges between them."""
        return SqliteGraph(self._connection, self._tenant, self._workspaces)

    @cached_property
    def episodes(self) -> SqliteEpisodes:
        """Episodes, and the turns that each sums up."""
        return SqliteEpisodes(self._connection, self._tenant)

    @cached_property
    def core(self) -> SqliteCoreLines:
        """The lines of core files, each with its memory."""
        return SqliteCoreLines(self._connection, self._tenant)

    @cached_property
    def scratchpads(self) -> SqliteScratchpads:
        """Working notes, one a session."""
        return SqliteScratchpads(self._connection, self._tenant, self._workspaces)

    @cached_property
    def tasks(self) -> SqliteTaskNames:
        """The names of tasks that memories bear."""
        return SqliteTaskNames(self._connection, self._tenant)

    @cached_property
    def private_times(self) -> SqlitePrivateTimes:
        """Spans in which nothing of a workspace's sessions is kept."""
        return SqlitePrivateTimes(
            self._connection, self._tenant, self._workspaces, self._private_times
        )

    @cached_property
    def projects(self) -> SqliteProjects:
        """Projects and their rows."""
        return SqliteProjects(self._connection, self._tenant, self.documents, self._workspaces)

    @cached_property
    def tombstones(self) -> SqliteTombstones:
        """Proofs of what was forgotten."""
        return SqliteTombstones(self._connection, self._tenant)

    @cached_property
    def erasures(self) -> SqliteErasures:
        """Rows to be erased, and the reports on those that were."""
        return SqliteErasures(self._connection, self._tenant, self.documents)

    @cached_property
    def hidden(self) -> SqliteHiddenRecords:
        """Rows that a forget took away and that can still be put back."""
        return SqliteHiddenRecords(
            self._connection, self._tenant, self.documents, self._vectors, self.zone
        )

    @cached_property
    def queue(self) -> SqliteQueue:
        """Segments that wait for the extractor."""
        return SqliteQueue(self._connection, self._tenant, self._workspaces.private_names)

    @cached_property
    def backlog(self) -> SqliteTenantBacklog:
        """Documents that need a vector."""
        return SqliteTenantBacklog(
            self._connection, self._tenant, self._vectors, self.conversations
        )

    @cached_property
    def leases(self) -> SqliteLeases:
        """Work that one process at a time may do."""
        return SqliteLeases(self._connection, self._tenant)

    @cached_property
    def retention(self) -> SqliteRetention:
        """Memories with the attributes that decide how long they last."""
        return SqliteRetention(self._connection, self._tenant)

    @cached_property
    def pairs(self) -> SqlitePairs:
        """Memories that may say the same."""
        return SqlitePairs(self._connection, self._tenant, self._wordings)

    @cached_property
    def dependencies(self) -> SqliteDependencies:
        """Sources of memories, queue entries and edges."""
        return SqliteDependencies(self._connection, self._tenant)

    @cached_property
    def derivations(self) -> SqliteDerivations:
        """Memories that were derived from others."""
        return SqliteDerivations(self._connection, self._tenant)

    @cached_property
    def metrics(self) -> SqliteMetrics:
        """Figures that nightly maintenance measures."""
        return SqliteMetrics(self._connection, self._tenant)

    @cached_property
    def nightly_runs(self) -> SqliteNightlyRuns:
        """Runs of nightly maintenance, their plans and journals."""
        return SqliteNightlyRuns(self._connection, self._tenant, self.documents)

    @cached_property
    def purge(self) -> SqlitePurgeCandidates:
        """Candidates for erasure for good."""
        return SqlitePurgeCandidates(self._connection, self._tenant)

    @cached_property
    def days(self) -> SqliteDays:
        """Days and closed conversations."""
        return SqliteDays(self._connection, self._tenant)

    @cached_property
    def file_records(self) -> SqliteGeneratedFileRecords:
        """Records of what was last written into generated files."""
        return SqliteGeneratedFileRecords(self._connection, self._tenant)

    @cached_property
    def portable(self) -> SqlitePortableRows:
        """The tenant's rows as records that mean the same in any home."""
        return SqlitePortableRows(
            PortableTables(
                self._connection,
                self._tenant,
                self.documents,
                self.conversations,
                self.memories,
                self._wordings,
                self._workspaces,
            )
        )

    @cached_property
    def audit(self) -> SqliteAuditLog:
        """The append-only log."""
        return SqliteAuditLog(self._connection, self._tenant)

    @cached_property
    def ledger(self) -> SqliteModelCallLog:
        """Calls to chat models, and what they cost."""
        return SqliteModelCallLog(self._connection, self._tenant)

    def follow_changes(self) -> None:
        """Bring the process's caches up to date with the file, if a search may be near."""
        if not self._counted.was_asked_lately(self._tenant):
            return
        self.documents.follow_changes()
        self.turn_columns.follow_changes()

    @contextlib.contextmanager
    def read_concurrently(
        self, work: Callable[["SqliteTransaction"], _T]
    ) -> Iterator[Callable[[], _T]]:
        """Run work in another thread, on the same rows, while the block runs; or else before it."""
        with self._concurrent_read() as other:
            if other is None:
                done = work(self)
                yield lambda: done
            else:
                with run_concurrently(partial(work, other)) as result:
                    yield result

    def statistics(self) -> Statistics:
        """Count what the tenant holds."""
        rows = TenantRows(self._connection, self._tenant, "statistics")
        chunks = rows.all("chunks")[0]
        today = start_of_utc_day(now_millis())
        pages, page_size = (
            self._connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_count", "page_size")
        )
        return Statistics(
            tenant=self._name,
            sessions=rows.number("sessions"),
            turns=rows.number("turns"),
            turn_versions=rows.number("turn_versions"),
            memories={row["validity"]: row["total"] for row in rows.all("memories")},
            raw_chunks=chunks["total"],
            raw_bytes=chunks["raw"],
            stored_bytes=chunks["stored"],
            database_bytes=pages * page_size,
            vectors=rows.number("vectors"),
            backlog=BacklogStatus(
                pending=rows.number("pending", attempts=self._attempts),
                failed=rows.number("failed", attempts=self._attempts),
            ),
            queue=self.queue.status(),
            reading=self.ledger.reading_price(now_millis() - PRICED_MS),
            today=self.ledger.spending(today, today + DAY_MS),
            private=tuple(one for one in self.private_times.all() if one.ended_at is None),
        )
