"""The seam between Memoria and its database engines.

Everything above this module is free of SQL and dialect. An engine offers a `Store`; a store
hands out transactions. A transaction of a tenant can reach no other tenant's rows: the tenant is
bound when it begins, and no method takes one.

All calls block; the application runs each whole transaction in one worker thread.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from memoria.graph.hops import Adjacency
from memoria.model import (
    BacklogStatus,
    Edge,
    EdgeType,
    Entity,
    Finding,
    InferredBy,
    Memory,
    Mention,
    ModelCall,
    Node,
    QueueEntry,
    QueueState,
    QueueStatus,
    Scratchpad,
    Session,
    Spending,
    Statistics,
    StoredTurn,
    Stretch,
    Tie,
    Validity,
    Vector,
)
from memoria.store.values import (
    ClosedStretch,
    Filters,
    Kind,
    Match,
    MessageName,
    NewEntry,
    NewEvidence,
    NewMemory,
    NewTurn,
    NewVersion,
    Pending,
    Place,
    Tombstone,
    TombstoneKind,
    Version,
    Work,
)


class Documents(Protocol):
    """The derived indexes over whatever can be found."""

    def match(
        self, kinds: Sequence[Kind], terms: Sequence[str], filters: Filters, limit: int
    ) -> list[Match]:
        """The best documents by BM25 that hold any of the terms, best first."""
        ...

    def nearest(
        self, kind: Kind, model: str, vector: Vector, filters: Filters, limit: int
    ) -> list[Match]:
        """The nearest documents by cosine (-1 to 1), best first.

        Raises:
            EmbedderError: the vector is not as long as the model's stored ones.
        """
        ...

    def holding(self, kind: Kind, terms: Sequence[str]) -> list[int]:
        """Every document of the tenant that holds all of the terms, seen from here or not."""
        ...

    def page(self, kind: Kind, after: int, limit: int) -> list[int]:
        """The tenant's documents with numbers beyond `after`, in order."""
        ...

    def words(self, ns: Sequence[int]) -> dict[int, frozenset[str]]:
        """The distinct tokens of what the documents say, without who said it and when."""
        ...

    def awaiting_vectors(self, ns: Sequence[int]) -> set[int]:
        """Which of the documents have no vector yet."""
        ...

    def count_hidden(self, kinds: Sequence[Kind], terms: Sequence[str], filters: Filters) -> int:
        """How many documents, seen from here but no longer current, hold all of the terms."""
        ...


class Conversations(Protocol):
    """Sessions, their turns and stretches."""

    def enter_session(
        self,
        source: str,
        session_id: str,
        first_at: int,
        last_at: int,
        now: int,
        workspace: str | None = None,
    ) -> Session:
        """The session, made if it is new, its span widened to these event times.

        A session stays in the workspace it began in.
        """
        ...

    def find_message(self, session_n: int, message_id: str) -> Version | None:
        """The newest version of a message."""
        ...

    def find_fingerprint(self, session_n: int, fingerprint: bytes) -> str | None:
        """The id of the newest current turn with this fingerprint."""
        ...

    def last_fingerprints(self, session_n: int, count: int) -> list[bytes]:
        """Fingerprints of the last current turns, oldest first."""
        ...

    def first_fingerprints(self, session_n: int, count: int) -> list[bytes]:
        """Fingerprints of the first current turns, oldest first."""
        ...

    def add_turn(self, turn: NewTurn) -> int:
        """Write a turn with its chunks, index row and backlog entry. Gives its number."""
        ...

    def retire_turn(self, n: int) -> None:
        """Mark a version as no longer current."""
        ...

    def bar_turn(self, turn: StoredTurn) -> None:
        """Let nothing be concluded from a message any more, whichever version of it."""
        ...

    def erase_turn(self, turn: StoredTurn) -> list[MessageName]:
        """Erase a message in all its versions, with every text no other turn shares.

        Gives what they were known by. What was embedded with it is embedded anew.
        """
        ...

    def extend_stretch(
        self, session_n: int, turn_index: int, at: int, idle_ms: int
    ) -> list[ClosedStretch]:
        """Add a turn to the session's open stretch, or begin one after a pause.

        Gives what that closed: one stretch or none.
        """
        ...

    def close_stretch(self, session_id: str, source: str, reason: str) -> list[ClosedStretch]:
        """Close the session's open stretch. Gives it, if there was one."""
        ...

    def close_idle_stretches(self, touched_before: int) -> list[ClosedStretch]:
        """Close what nobody has added to since. Gives what was closed."""
        ...

    def turns(self, ns: Sequence[int]) -> dict[int, StoredTurn]:
        """Turns by number."""
        ...

    def turn(self, turn_id: str) -> StoredTurn | None:
        """A turn by id."""
        ...

    def turn_versions(self, turn: StoredTurn) -> list[StoredTurn]:
        """All versions at the turn's place, newest first."""
        ...

    def places(self, ns: Sequence[int], reach: int, *, settled: bool = True) -> list[Place]:
        """Where the turns stand, and those up to `reach` places around them.

        Without `settled`, the turns around them are left out from which nothing more is to be
        concluded.
        """
        ...

    def around(self, session_n: int, turn_index: int, reach: int) -> list[StoredTurn]:
        """The current turns up to `reach` places on either side, in order, without the one."""
        ...

    def span(self, session_n: int, first_index: int, last_index: int) -> list[StoredTurn]:
        """A session's current turns from one place to another, in order."""
        ...

    def process(self, turns: Iterable[StoredTurn]) -> None:
        """Mark turns as looked at by the extractor: the first level shows them no more."""
        ...

    def session_turns(self, session_id: str, offset: int, limit: int) -> list[StoredTurn]:
        """A session's current turns in order."""
        ...

    def session_size(self, session_id: str) -> int:
        """How many current turns a session has."""
        ...

    def stretches(self, session_id: str) -> list[Stretch]:
        """A session's stretches in order."""
        ...


class Memories(Protocol):
    """Memories and their versions."""

    def add(self, memory: NewMemory, version: NewVersion) -> None:
        """Write a new memory with its first version."""
        ...

    def add_evidence(self, evidence: NewEvidence) -> bool:
        """Note another turn that a memory rests on. False if that is known."""
        ...

    def use(self, memory_id: str, gain: float, now: int) -> None:
        """Note that a memory shaped a reply; its importance grows by `gain`, up to 1."""
        ...

    def about(self, subject: str, workspace: str | None = None) -> list[Memory]:
        """Active memories seen from the workspace that speak of a subject, newest first."""
        ...

    def concluded(self, turn_ns: Sequence[int], by: InferredBy) -> list[str]:
        """Ids of active memories whose present wording was so drawn from one of the turns."""
        ...

    def add_version(self, memory_id: str, version: NewVersion) -> int:
        """Write a wording that replaces the present one. Gives its version number."""
        ...

    def set_validity(self, memory_id: str, validity: Validity, now: int) -> None:
        """Change whether it holds; what does not hold leaves the indexes."""
        ...

    def mark(
        self,
        memory_id: str,
        now: int,
        *,
        pinned: bool | None = None,
        verified: bool | None = None,
        upvotes: int = 0,
        downvotes: int = 0,
    ) -> None:
        """Set flags and add votes."""
        ...

    def get(self, memory_id: str) -> Memory | None:
        """A memory with all its versions."""
        ...

    def erase(self, memory_id: str) -> None:
        """Erase a memory in all its wordings."""
        ...

    def erase_wording(self, memory_id: str, n: int) -> None:
        """Erase one wording that no longer holds."""
        ...

    def resting_on(self, turn_ns: Sequence[int]) -> list[str]:
        """Ids of the memories with a wording drawn from one of these turns."""
        ...

    def by_versions(self, ns: Sequence[int]) -> dict[int, Memory]:
        """Memories by the number of any of their versions."""
        ...

    def with_fingerprint(self, fingerprint: bytes, workspace: str | None = None) -> Memory | None:
        """The memory, seen from the workspace, whose present wording has this fingerprint."""
        ...

    def unverified(self, limit: int, workspace: str | None = None) -> list[Memory]:
        """Active memories seen from the workspace that the user has not confirmed, newest first."""
        ...

    def held_back(self, limit: int, workspace: str | None = None) -> list[Memory]:
        """Memories seen from the workspace that wait for the user's word, newest first."""
        ...


class Graph(Protocol):
    """Memories, turns and entities as nodes, and the edges between them.

    What is shown is what is seen from where was asked: of the filters, `workspace`, `everywhere`,
    `history` and `barred` count here.
    """

    def name(self, memory_id: str, mention: Mention, distinct: str | None = None) -> Node:
        """The entity that a memory speaks of, known again by name or alias; made if it is new.

        Args:
            memory_id: the memory that uses the names. They are gone when the last that does is.
            mention: the thing's name, other names for it, and its kind; one of kind `other` is
                the only thing of that name, where there is one.
            distinct: what tells it from its namesakes, always in the same words.

        Raises:
            NotFoundError: there is no such memory.
        """
        ...

    def put(self, edges: Iterable[Edge]) -> None:
        """Write edges; where a node has too many of a type, the weakest and oldest goes.

        Raises:
            NotFoundError: an end is neither in the graph nor among the memories and turns.
        """
        ...

    def unsay(self, memory_id: str) -> None:
        """Take back what was read off a memory's wording: edges to entities, and their names."""
        ...

    def read_by(self, memory_id: str) -> InferredBy:
        """Whether a model has looked at a memory's present wording, or only the rules."""
        ...

    def merge(self, entity_id: str, canonical_id: str) -> None:
        """Let two entities be the same. Their edges stay where they are and are seen as one's."""
        ...

    def part(self, entity_id: str) -> None:
        """Let a merged entity be itself again, with the edges and names that are its own.

        Raises:
            InvalidInputError: it is not the same as any other.
        """
        ...

    def entity(self, entity_id: str, seen: Filters) -> Entity | None:
        """An entity, if a memory seen from there speaks of it."""
        ...

    def entities(self, names: Sequence[str], seen: Filters) -> list[Entity]:
        """The entities that go by one of these names in memories seen from there."""
        ...

    def edges(self, node: Node, seen: Filters) -> list[Edge]:
        """Every edge at a node, in and out, whose both ends are seen from there."""
        ...

    def ties(self, ns: Sequence[int], seen: Filters, types: Sequence[EdgeType] = ()) -> list[Tie]:
        """The edges at these nodes, either way, whose both ends are seen from there."""
        ...

    def neighbours(
        self, ns: Sequence[int], seen: Filters, types: Sequence[EdgeType] = ()
    ) -> Adjacency:
        """What a walk meets next: the nodes beside these, and how strongly they are bound."""
        ...

    def of_documents(self, ns: Sequence[int]) -> dict[int, int]:
        """The nodes of documents: of a turn its own, of a wording its memory's."""
        ...

    def documents(self, ns: Sequence[int]) -> dict[int, int]:
        """The documents of nodes: a turn, a memory's present wording; an entity has none."""
        ...

    def predecessor(self, memory_id: str) -> str | None:
        """The memory drawn from the same session last before one, an episode from episodes."""
        ...


class Scratchpads(Protocol):
    """Working notes, one a session."""

    def get(self, session_id: str) -> Scratchpad | None:
        """A session's notes."""
        ...

    def recent(self, limit: int, workspace: str | None = None) -> list[Scratchpad]:
        """The notes touched last that are seen from the workspace, newest first."""
        ...

    def put(
        self,
        session_id: str,
        focus: str | None,
        completed: Iterable[str],
        now: int,
        keep: int,
        workspace: str | None = None,
    ) -> None:
        """Set the focus, add completed tasks and keep the newest `keep` of them."""
        ...

    def erase(self, unwanted: Callable[[str], bool]) -> int:
        """Erase every note of every session that is unwanted. Gives how many."""
        ...


class Tombstones(Protocol):
    """Proofs of what was forgotten."""

    def any(self) -> bool:
        """Whether the tenant ever forgot anything."""
        ...

    def find(self, marks: Iterable[str], kind: TombstoneKind) -> Tombstone | None:
        """The newest tombstone of this kind that has one of the marks."""
        ...

    def of(self, subject: str) -> Tombstone | None:
        """The tombstone of what had this id."""
        ...

    def all(self) -> list[tuple[Tombstone, tuple[str, ...]]]:
        """Every tombstone with its marks, oldest first."""
        ...

    def add(self, tombstone: Tombstone, marks: Iterable[str]) -> None:
        """Set up a tombstone. One that stands already gains the marks."""
        ...

    def lift(self, marks: Iterable[str]) -> int:
        """Let memories say again what has these marks. Gives how many marks were lifted."""
        ...


class Queue(Protocol):
    """A tenant's stretches of conversation that wait for the extractor."""

    def add(self, entry: NewEntry) -> bool:
        """Put a stretch into the queue. False if it has been there already, or holds no turn.

        Where a message was edited since, it is another stretch.
        """
        ...

    def entries(self, state: QueueState | None, limit: int) -> list[QueueEntry]:
        """Entries, those that wait first and in the order they will be taken."""
        ...

    def entry(self, entry_id: str) -> QueueEntry | None:
        """An entry by its id."""
        ...

    def status(self) -> QueueStatus:
        """How much is in the queue."""
        ...

    def extractions(self, session_n: int, reason: str) -> int:
        """How many extractions of a session were ever asked for with this reason."""
        ...

    def retry(self, entry_id: str) -> bool:
        """Let a dead, dropped or postponed entry be tried now. False if there is nothing to do."""
        ...

    def drop(self, entry_id: str) -> bool:
        """Take an entry out, unread. False if it is finished already."""
        ...

    def finish(self, n: int, owner: str, outcome: str) -> bool:
        """Mark an entry as done, with what came of it. False if it is not `owner`'s any more."""
        ...


class Audit(Protocol):
    """The append-only log."""

    def add(
        self,
        *,
        at: int,
        channel: str,
        client: str | None,
        action: str,
        subject: str,
        detail: str | None = None,
    ) -> None:
        """Write a line. `detail` never holds the text of a memory."""
        ...


class Ledger(Protocol):
    """The log of calls to chat models, and what they cost."""

    def add(self, call: ModelCall) -> int:
        """Write a call. Gives its number."""
        ...

    def settle(self, n: int, call: ModelCall) -> None:
        """Set what a call cost and how it went."""
        ...

    def spent(self, since: int, until: int) -> Spending:
        """What the calls made in this time cost."""
        ...

    def last(self) -> ModelCall | None:
        """The newest call."""
        ...


class Transaction(Protocol):
    """One tenant's rows, seen and changed as one unit."""

    @property
    def documents(self) -> Documents: ...  # noqa: D102
    @property
    def conversations(self) -> Conversations: ...  # noqa: D102
    @property
    def memories(self) -> Memories: ...  # noqa: D102
    @property
    def graph(self) -> Graph: ...  # noqa: D102
    @property
    def scratchpads(self) -> Scratchpads: ...  # noqa: D102
    @property
    def tombstones(self) -> Tombstones: ...  # noqa: D102
    @property
    def queue(self) -> Queue: ...  # noqa: D102
    @property
    def audit(self) -> Audit: ...  # noqa: D102
    @property
    def ledger(self) -> Ledger: ...  # noqa: D102

    def statistics(self) -> Statistics:
        """What the tenant holds."""
        ...


class Backlog(Protocol):
    """Vectors still to be made, for all tenants: the embedding worker's view of the store."""

    def choose_model(self, name: str) -> int:
        """Make `name` the home's model; whatever lacks its vector joins the backlog.

        Gives how many documents joined.
        """
        ...

    def index_is_behind(self, model: str) -> bool:
        """Whether the vector index lacks vectors that are stored, or holds some too many.

        Happens where processes with and without a vector extension share a home.
        """
        ...

    def catch_up(self, model: str) -> None:
        """Bring the model's vector index in step with the stored vectors."""
        ...

    def chosen_model(self) -> str | None:
        """The home's model."""
        ...

    def erasures(self) -> int:
        """A number that grows with every erasure."""
        ...

    def take_lease(self, name: str, owner: str, now: int, lease_ms: int) -> bool:
        """Whether `owner` now holds the lease: it was free, run out, or already theirs."""
        ...

    def lease_owner(self, name: str, now: int) -> str | None:
        """Who holds the lease; None if it is free or has run out."""
        ...

    def drop_lease(self, name: str, owner: str) -> None:
        """Give the lease back."""
        ...

    def due(self, now: int, limit: int, attempts: int) -> list[Pending]:
        """Documents to embed next."""
        ...

    def fulfil(self, model: str, vectors: Mapping[int, Vector]) -> None:
        """Write vectors, index them and take their documents off the backlog.

        Raises:
            EmbedderError: they are not as long as the model's vectors were before.
        """
        ...

    def postpone(self, ns: Sequence[int], until: int, error: str) -> None:
        """Count a failure and wait before the next attempt."""
        ...

    def status(self, attempts: int) -> BacklogStatus:
        """How much waits."""
        ...

    def next_due(self, now: int, attempts: int) -> int | None:
        """When the earliest waiting document may be tried; None if none waits."""
        ...


class WorkQueue(Protocol):
    """Stretches to look at, for all tenants: an extraction worker's view of the store."""

    def lease(self, owner: str, now: int, lease_ms: int) -> Work | None:
        """The next entry, now `owner`'s; None if nothing is due.

        Of a session, one entry at a time: what was said first is understood first.
        """
        ...

    def renew(self, owners: Iterable[str], now: int, lease_ms: int) -> int:
        """Lengthen the leases of these owners. Gives how many there are."""
        ...

    def release(self, work: Work, owner: str, until: int, error: str, *, blamed: bool) -> bool:
        """Give an entry back until a moment. Unless it is blamed, the attempt does not count."""
        ...

    def bury(self, work: Work, owner: str, error: str) -> bool:
        """Give an entry up: it is a dead letter until somebody retries it."""
        ...

    def in_hand(self, now: int) -> bool:
        """Whether an entry is due, or with a worker already."""
        ...

    def next_due(self, now: int) -> int | None:
        """When the next entry may be taken; None if none waits."""
        ...


class Store(Protocol):
    """An opened database."""

    def tenants(self) -> list[str]:
        """Everybody who ever kept anything."""
        ...

    def read(self, tenant: str) -> AbstractContextManager[Transaction]:
        """A consistent view of a tenant's rows."""
        ...

    def write(self, tenant: str) -> AbstractContextManager[Transaction]:
        """A change, all or nothing; on disk when the block has ended without an error."""
        ...

    def backlog(self, *, write: bool) -> AbstractContextManager[Backlog]:
        """The embedding backlog across tenants."""
        ...

    def work_queue(self, *, write: bool) -> AbstractContextManager[WorkQueue]:
        """The extraction queue across tenants."""
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

    def rebuild(self, progress: Callable[[int, int], None]) -> None:
        """Build the derived indexes anew from the truth. Reports (done, total)."""
        ...

    def mend(self, check: str, progress: Callable[[int, int], None]) -> None:
        """Mend what `examine` found wrong under this name, if it can be. Never the truth."""
        ...

    def close(self) -> None:
        """Close every connection."""
        ...


class DatabaseFiles(Protocol):
    """Work on a database file as a whole, opened or not."""

    @property
    def newest_schema(self) -> int:
        """The newest schema this version knows."""
        ...

    def copy(self, source: Path, target: Path, progress: Callable[[int, int], None]) -> None:
        """Write the file as it is at this moment, while others go on writing to it."""
        ...

    def judge(self, path: Path) -> list[Finding]:
        """Whether the truth in a file that nobody else has open is whole."""
        ...

    def describe(self, path: Path) -> tuple[int, Mapping[str, int]]:
        """The schema's number, and how much of what is in the file."""
        ...

    def claim(self, path: Path) -> AbstractContextManager[Callable[[Path, Path], None]]:
        """Keep everybody else out of the file. Gives what puts another in its place.

        What it gives takes the new file and the folder the present one goes to.

        Raises:
            StoreUnavailableError: another process has it open.
        """
        ...
