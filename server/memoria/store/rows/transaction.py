"""Transaction: all tables of one tenant, over one connection.

A table is opened when it is first asked for: most transactions need two or three of two dozen.
"""

import contextlib
from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TypeVar

from memoria.model import DAY_MS, PRICED_MS, BacklogStatus, Statistics, now_millis, start_of_utc_day
from memoria.model.moments import MACHINE_ZONE, Zone
from memoria.store.connection import Connection
from memoria.store.image.tenant_images import ImageReader, TenantImages
from memoria.store.image.tenants import StoreTenant
from memoria.store.rows.attachments import Attachments
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
from memoria.store.rows.grounds import Grounds
from memoria.store.rows.listings import Listings, Projects, ShortIds
from memoria.store.rows.logs import AuditLog, ModelCallLog
from memoria.store.rows.memories import Memories
from memoria.store.rows.memory_rows import Wordings
from memoria.store.rows.nightly import MetricRows, NightlyRuns, PurgeCandidates, RetentionRows
from memoria.store.rows.outbox import EventOutbox, Webhooks
from memoria.store.rows.portable import PortableRows
from memoria.store.rows.portable.records import PortableTables
from memoria.store.rows.queue import Queue
from memoria.store.rows.scratchpads import Scratchpads, TaskNames
from memoria.store.rows.tokens import Tokens
from memoria.store.rows.tool_calls import ToolCalls
from memoria.store.rows.turn_columns import TurnColumns
from memoria.store.rows.waiting import WaitingMemories
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


def _open(table: Callable[[Connection, int], _T]) -> Callable[["Transaction"], _T]:
    """Return a function that opens a table of a transaction."""
    return lambda tx: table(tx._connection, tx._tenant)  # noqa: SLF001  (the tables of the class)


class Transaction:
    """All tables of one tenant, over one connection, inside a transaction."""

    transcripts = cached_property(_open(TranscriptPlaces))
    """Places up to which the transcripts of clients have been taken in."""
    short_ids = cached_property(_open(ShortIds))
    """Ids of memories, turns and entities by their ends, of sessions by their beginnings."""
    episodes = cached_property(_open(Episodes))
    """Episodes, and the turns that each sums up."""
    core = cached_property(_open(CoreLines))
    """The lines of core files, each with its memory."""
    tasks = cached_property(_open(TaskNames))
    """The names of tasks that memories bear."""
    tombstones = cached_property(_open(Tombstones))
    """Tombstones: proofs of what was forgotten."""
    leases = cached_property(_open(Leases))
    """Leases on work that one process at a time may do."""
    retention = cached_property(_open(RetentionRows))
    """Memories with the attributes that decide how long a memory lasts."""
    dependencies = cached_property(_open(Dependencies))
    """Sources of memories, queue entries and edges."""
    derivations = cached_property(_open(Derivations))
    """Memories that were derived from others."""
    metrics = cached_property(_open(MetricRows))
    """Figures that nightly maintenance measures."""
    purge = cached_property(_open(PurgeCandidates))
    """Candidates for erasure for good."""
    days = cached_property(_open(Days))
    """Days and closed conversations."""
    file_records = cached_property(_open(GeneratedFileRecords))
    """Records of what was last written into generated files."""
    audit = cached_property(_open(AuditLog))
    """The append-only log."""
    ledger = cached_property(_open(ModelCallLog))
    """Calls to chat models, and their costs."""
    tokens = cached_property(_open(Tokens))
    """Tokens by which somebody reaches the tenant's memory over HTTP."""
    grounds = cached_property(_open(Grounds))
    """Parts of repositories' files to which memories are bound."""
    tool_calls = cached_property(_open(ToolCalls))
    """Commands, errors and files by which recorded tool calls are looked up."""
    webhooks = cached_property(_open(Webhooks))
    """Addresses to which the tenant's events are sent."""

    def __init__(
        self,
        connection: Connection,
        tenant: StoreTenant,
        vectors: VectorIndex,
        options: StoreOptions,
        images: TenantImages,
        concurrent_read: ConcurrentRead | None = None,
        end_kept: Callable[[], None] = lambda: None,
    ) -> None:
        """Bind to a connection.

        Args:
            connection: a connection that has begun a transaction.
            tenant: the tenant whose rows are read and written.
            vectors: the vector index, as this connection reaches it.
            options: the settings of the store.
            images: what the process knows of tenants.
            concurrent_read: opens a second transaction that sees the same; None for a writer.
            end_kept: ends all kept answers; a writer calls it before taking a statement back.
        """
        self._connection = connection
        self._name = tenant.name
        self._tenant = tenant.number
        self._vectors = vectors
        self._attempts = options.attempts
        self._images = images
        self._concurrent_read = concurrent_read or nullcontext
        self.zone = options.zone
        self.end_kept = end_kept
        self._private_times = tenant.private_times
        self._reading = None
        if concurrent_read is not None:
            rows = TenantRows(connection, tenant.number, "documents")
            self._reading = ImageReader(images, rows, tenant)
        self._workspaces = Workspaces(
            connection, tenant.number, options.private, only_reads=self._reading is not None
        )

    @cached_property
    def snapshot(self) -> Hashable:
        """Key of a reader's snapshot: readers with equal keys see the same."""
        return self._connection.snapshot_key()

    @cached_property
    def _index(self) -> DocumentIndex:
        return DocumentIndex(self._connection, self._tenant, self._vectors)

    @cached_property
    def documents(self) -> Documents:
        """Searches of documents by words, vectors and time."""
        return Documents(
            self._connection,
            self._tenant,
            self._vectors,
            self._reading,
            self._workspaces,
            self._images.terms,
        )

    @cached_property
    def attachments(self) -> Attachments:
        """Files of messages, and their bytes."""
        return Attachments(self._connection, self._tenant, self._index, self.zone)

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
        """Turns told twice: by a client, and by an agent."""
        return Accounts(self._connection, self._tenant, self.conversations, self._index, self.zone)

    @cached_property
    def waiting(self) -> WaitingMemories:
        """Memories that wait for the user's word."""
        return WaitingMemories(self._connection, self._tenant, self._workspaces)

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
    def graph(self) -> Graph:
        """Memories, turns and entities as nodes, and the edges between them."""
        return Graph(self._connection, self._tenant, self._workspaces)

    @cached_property
    def scratchpads(self) -> Scratchpads:
        """Scratchpads, one for each session."""
        return Scratchpads(self._connection, self._tenant, self._workspaces)

    @cached_property
    def private_times(self) -> PrivateTimes:
        """Spans in which nothing of a workspace's sessions is kept."""
        return PrivateTimes(self._connection, self._tenant, self._workspaces, self._private_times)

    @cached_property
    def projects(self) -> Projects:
        """Projects and their rows."""
        return Projects(self._connection, self._tenant, self._index, self._workspaces)

    @cached_property
    def erasures(self) -> Erasures:
        """Rows to be erased, and the reports on those that were."""
        return Erasures(self._connection, self._tenant, self._index)

    @cached_property
    def hidden(self) -> HiddenRecords:
        """Rows that a forget took away and that can still be put back."""
        return HiddenRecords(self._connection, self._tenant, self._index, self._vectors, self.zone)

    @cached_property
    def outbox(self) -> EventOutbox:
        """Events of the memory, for programs that follow it."""
        return EventOutbox(self._connection, self._tenant, self._workspaces)

    @cached_property
    def queue(self) -> Queue:
        """Segments that wait for the extractor."""
        return Queue(self._connection, self._tenant, self._workspaces.private_names)

    @cached_property
    def backlog(self) -> TenantBacklog:
        """Documents that need a vector."""
        return TenantBacklog(self._connection, self._tenant, self._vectors, self.conversations)

    @cached_property
    def pairs(self) -> Pairs:
        """Memories that may say the same."""
        return Pairs(self._connection, self._tenant, self._wordings)

    @cached_property
    def nightly_runs(self) -> NightlyRuns:
        """Runs of nightly maintenance, their plans and journals."""
        return NightlyRuns(self._connection, self._tenant, self._index)

    @cached_property
    def portable(self) -> PortableRows:
        """The tenant's rows as records that mean the same in any home."""
        return PortableRows(
            PortableTables(
                self._connection,
                self._tenant,
                self._index,
                self.conversations,
                self.attachments,
                self.memories,
                self._wordings,
                self._workspaces,
            )
        )

    def expect_turns(self, count: int, idle_since: int) -> None:
        """Prepare for turns to be captured: what is asked of each capture is asked together.

        Args:
            count: the most turns that will be added.
            idle_since: the time since which an open segment is idle, in UTC epoch ms.
        """
        self.conversations.ask_for_idle_segments(idle_since)
        self.tombstones.ask_for_any()
        self._index.expect(count)

    def follow_changes(self) -> None:
        """Bring what the process knows of the tenant up to date, if a search may be near.

        Called after documents were changed, by a worker that nobody waits for, this spares the next
        search the time.
        """
        if self._images.was_asked_lately(self._tenant):
            self.documents.follow_changes()

    @contextlib.contextmanager
    def read_concurrently(self, work: Callable[["Transaction"], _T]) -> Iterator[Callable[[], _T]]:
        """Run `work` in another thread beside the block, or before the block if that is as fast.

        Yields a function that waits for the result of `work` and returns it, or raises its error.

        Args:
            work: a function of a transaction, which in the other thread is a second one.
        """
        with self._concurrent_read() as other:
            if other is None:
                done = work(self)
                yield lambda: done
            else:
                with run_concurrently(partial(work, other)) as result:
                    yield result

    def statistics(self) -> Statistics:
        """Count the rows of the tenant for a status report."""
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
