"""A transaction: one tenant's rows over one connection.

Its tables are made when they are asked for: most transactions need two or three of two dozen.
"""

import contextlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TypeVar

from memoria.model import DAY_MS, PRICED_MS, BacklogStatus, Statistics, now_millis, start_of_utc_day
from memoria.model.moments import MACHINE_ZONE, Zone
from memoria.store.connection import Connection
from memoria.store.image.tenants import StoreTenant
from memoria.store.image.terms import ReaderKnowledge, TermStatistics
from memoria.store.rows.backlog import Leases, TenantBacklog
from memoria.store.rows.capture import Accounts, PrivateTimes, TranscriptPlaces
from memoria.store.rows.conversations import Conversations
from memoria.store.rows.core_files import CoreLines, Days, GeneratedFileRecords
from memoria.store.rows.derivations import Derivations, Episodes, Pairs
from memoria.store.rows.document_index import DocumentIndex
from memoria.store.rows.documents import Documents, run_concurrently
from memoria.store.rows.erasures import Dependencies, Erasures
from memoria.store.rows.forgotten import HiddenRecords, Tombstones
from memoria.store.rows.graph import Graph
from memoria.store.rows.listings import Listings, Projects, ShortIds
from memoria.store.rows.logs import AuditLog, ModelCallLog
from memoria.store.rows.memories import Memories
from memoria.store.rows.memory_rows import Wordings
from memoria.store.rows.nightly import MetricRows, NightlyRuns, PurgeCandidates, RetentionRows
from memoria.store.rows.portable import PortableRows
from memoria.store.rows.portable.records import PortableTables
from memoria.store.rows.queue import Queue
from memoria.store.rows.scratchpads import Scratchpads, TaskNames
from memoria.store.rows.tokens import Tokens
from memoria.store.rows.turn_columns import TurnColumns
from memoria.store.rows.workspaces import Workspaces
from memoria.store.sql.statements import TenantRows
from memoria.store.vectors import VectorIndex

_T = TypeVar("_T")
ConcurrentRead = Callable[[], AbstractContextManager["Transaction | None"]]
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


class Transaction:
    """One tenant's rows over one connection, inside a transaction."""

    def __init__(
        self,
        connection: Connection,
        tenant: StoreTenant,
        vectors: VectorIndex,
        options: StoreOptions,
        counted: TermStatistics,
        concurrent_read: ConcurrentRead | None = None,
        end_kept: Callable[[], None] = lambda: None,
    ) -> None:
        """Bind to a connection.

        Args:
            connection: which has begun a transaction.
            tenant: whose rows they are.
            vectors: the vector index as this connection reaches it.
            options: of the store.
            counted: the process's caches of the full text.
            concurrent_read: opens a second transaction that sees the same; None for a writer.
            end_kept: ends what was kept of before; for a writer, before it takes something back.
        """
        self._connection = connection
        self._name = tenant.name
        self._tenant = tenant.number
        self._vectors = vectors
        self._attempts = options.attempts
        self._counted = counted
        self._concurrent_read = concurrent_read or nullcontext
        self.zone = options.zone
        self.end_kept = end_kept
        self._private_times = tenant.private_times
        self._reading = None if concurrent_read is None else ReaderKnowledge(tenant, counted)
        self._workspaces = Workspaces(
            connection, tenant.number, options.private, only_reads=self._reading is not None
        )

    @cached_property
    def snapshot(self) -> tuple[int, int]:
        """Key of what a transaction that only reads sees: those with equal keys see the same."""
        return id(self._connection), self._connection.count_commits()

    @cached_property
    def _index(self) -> DocumentIndex:
        return DocumentIndex(self._connection, self._tenant, self._vectors)

    @cached_property
    def documents(self) -> Documents:
        """The derived indexes over whatever can be found."""
        return Documents(
            self._connection,
            self._tenant,
            self._vectors,
            self._reading,
            self._workspaces,
            self._counted.terms,
        )

    @cached_property
    def conversations(self) -> Conversations:
        """Sessions, their turns and segments."""
        return Conversations(
            self._connection,
            self._tenant,
            self._index,
            self.zone,
            private=self._workspaces.private_names,
            only_reads=self._reading is not None,
        )

    @cached_property
    def turn_columns(self) -> TurnColumns:
        """Turns as arrays."""
        return TurnColumns(self._connection, self._tenant, self.conversations, self._reading)

    @cached_property
    def accounts(self) -> Accounts:
        """Turns of which there may be two accounts."""
        return Accounts(self._connection, self._tenant, self.conversations, self._index, self.zone)

    @cached_property
    def transcripts(self) -> TranscriptPlaces:
        """Places up to which the transcripts of clients have been taken in."""
        return TranscriptPlaces(self._connection, self._tenant)

    @cached_property
    def tokens(self) -> Tokens:
        """Tokens by which somebody reaches the tenant's memory over HTTP."""
        return Tokens(self._connection, self._tenant)

    @cached_property
    def memories(self) -> Memories:
        """Memories and their versions."""
        return Memories(
            self._connection, self._tenant, self._index, self._workspaces, self._wordings
        )

    @cached_property
    def _wordings(self) -> Wordings:
        return Wordings(self._connection, self._tenant, self._index, self.zone)

    @cached_property
    def listings(self) -> Listings:
        """Memories and sessions page by page, for browsing."""
        return Listings(self._connection, self._tenant, self._workspaces)

    @cached_property
    def short_ids(self) -> ShortIds:
        """Ids of memories, turns and entities by their ends, of sessions by their beginnings."""
        return ShortIds(self._connection, self._tenant)

    @cached_property
    def graph(self) -> Graph:
        """Memories, turns and entities as nodes, and the edges between them."""
        return Graph(self._connection, self._tenant, self._workspaces)

    @cached_property
    def episodes(self) -> Episodes:
        """Episodes, and the turns that each sums up."""
        return Episodes(self._connection, self._tenant)

    @cached_property
    def core(self) -> CoreLines:
        """The lines of core files, each with its memory."""
        return CoreLines(self._connection, self._tenant)

    @cached_property
    def scratchpads(self) -> Scratchpads:
        """Working notes, one a session."""
        return Scratchpads(self._connection, self._tenant, self._workspaces)

    @cached_property
    def tasks(self) -> TaskNames:
        """The names of tasks that memories bear."""
        return TaskNames(self._connection, self._tenant)

    @cached_property
    def private_times(self) -> PrivateTimes:
        """Spans in which nothing of a workspace's sessions is kept."""
        return PrivateTimes(self._connection, self._tenant, self._workspaces, self._private_times)

    @cached_property
    def projects(self) -> Projects:
        """Projects and their rows."""
        return Projects(self._connection, self._tenant, self._index, self._workspaces)

    @cached_property
    def tombstones(self) -> Tombstones:
        """Proofs of what was forgotten."""
        return Tombstones(self._connection, self._tenant)

    @cached_property
    def erasures(self) -> Erasures:
        """Rows to be erased, and the reports on those that were."""
        return Erasures(self._connection, self._tenant, self._index)

    @cached_property
    def hidden(self) -> HiddenRecords:
        """Rows that a forget took away and that can still be put back."""
        return HiddenRecords(self._connection, self._tenant, self._index, self._vectors, self.zone)

    @cached_property
    def queue(self) -> Queue:
        """Segments that wait for the extractor."""
        return Queue(self._connection, self._tenant, self._workspaces.private_names)

    @cached_property
    def backlog(self) -> TenantBacklog:
        """Documents that need a vector."""
        return TenantBacklog(self._connection, self._tenant, self._vectors, self.conversations)

    @cached_property
    def leases(self) -> Leases:
        """Work that one process at a time may do."""
        return Leases(self._connection, self._tenant)

    @cached_property
    def retention(self) -> RetentionRows:
        """Memories with the attributes that decide how long they last."""
        return RetentionRows(self._connection, self._tenant)

    @cached_property
    def pairs(self) -> Pairs:
        """Memories that may say the same."""
        return Pairs(self._connection, self._tenant, self._wordings)

    @cached_property
    def dependencies(self) -> Dependencies:
        """Sources of memories, queue entries and edges."""
        return Dependencies(self._connection, self._tenant)

    @cached_property
    def derivations(self) -> Derivations:
        """Memories that were derived from others."""
        return Derivations(self._connection, self._tenant)

    @cached_property
    def metrics(self) -> MetricRows:
        """Figures that nightly maintenance measures."""
        return MetricRows(self._connection, self._tenant)

    @cached_property
    def nightly_runs(self) -> NightlyRuns:
        """Runs of nightly maintenance, their plans and journals."""
        return NightlyRuns(self._connection, self._tenant, self._index)

    @cached_property
    def purge(self) -> PurgeCandidates:
        """Candidates for erasure for good."""
        return PurgeCandidates(self._connection, self._tenant)

    @cached_property
    def days(self) -> Days:
        """Days and closed conversations."""
        return Days(self._connection, self._tenant)

    @cached_property
    def file_records(self) -> GeneratedFileRecords:
        """Records of what was last written into generated files."""
        return GeneratedFileRecords(self._connection, self._tenant)

    @cached_property
    def portable(self) -> PortableRows:
        """The tenant's rows as records that mean the same in any home."""
        return PortableRows(
            PortableTables(
                self._connection,
                self._tenant,
                self._index,
                self.conversations,
                self.memories,
                self._wordings,
                self._workspaces,
            )
        )

    @cached_property
    def audit(self) -> AuditLog:
        """The append-only log."""
        return AuditLog(self._connection, self._tenant)

    @cached_property
    def ledger(self) -> ModelCallLog:
        """Calls to chat models, and what they cost."""
        return ModelCallLog(self._connection, self._tenant)

    def follow_changes(self) -> None:
        """Bring the process's caches up to date with the file, if a search may be near.

        A search would do that first of all; a caller that has changed documents, and that nobody
        waits for, spares it the time.
        """
        if not self._counted.was_asked_lately(self._tenant):
            return
        self.documents.follow_changes()
        self.turn_columns.follow_changes()

    @contextlib.contextmanager
    def read_concurrently(self, work: Callable[["Transaction"], _T]) -> Iterator[Callable[[], _T]]:
        """Search the indexes in two threads: `work` in one, the block in the other.

        The block is given a function that waits for the result, or raises its error. Where a thread
        would gain nothing, the work is done before the block. The answer is the same either way.

        Args:
            work: gets a transaction of its own in the other thread.
        """
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
        return Statistics(
            tenant=self._name,
            sessions=rows.number("sessions"),
            turns=rows.number("turns"),
            turn_versions=rows.number("turn_versions"),
            memories={row["validity"]: row["total"] for row in rows.all("memories")},
            raw_chunks=chunks["total"],
            raw_bytes=chunks["raw"],
            stored_bytes=chunks["stored"],
            database_bytes=self._connection.count_bytes(),
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
