"""Values that go into a store and come out of a store, with any engine."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Literal, NamedTuple

from pydantic import JsonValue

from memoria.model import (
    Account,
    InferredBy,
    MemoryType,
    Provenance,
    QueueKind,
    QueueState,
    Role,
    Scope,
    StoredTurn,
    Trust,
    Validity,
    Vector,
    to_iso,
)
from memoria.model.metadata import NO_METADATA, Metadata

DocumentKind = Literal["turn", "memory"]
TombstoneKind = Literal["memory", "turn"]
"""Kind of record that a tombstone refuses: a memory that says the same, or the same turn."""


_NOTHING_WANTED = (None,) * 6


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions that narrow a search. Times are UTC epoch milliseconds; `until` is exclusive."""

    since: int | None = None
    until: int | None = None
    session_id: str | None = None
    roles: tuple[Role, ...] = ()
    tool: str | None = None
    types: tuple[MemoryType, ...] = ()
    tasks: tuple[str, ...] | None = None
    """Tasks to whose memories the search is limited; None for no such limit."""
    include_history: bool = False
    """True if what is no longer current may be found too."""
    workspace: str | None = None
    """Workspace in which the question is asked: sees its own rows and those of no workspace."""
    everywhere: bool = False
    """True if every workspace's rows are seen."""
    include_processed: bool = False
    """True if suppressed and processed turns may be found."""
    metadata: str | None = None
    """JSON of values that the metadata must have, or have in a list; None for no such limit."""

    @property
    def includes_turns(self) -> bool:
        """True if turns may pass: no type and no task is asked for, which only memories have."""
        return not self.types and self.tasks is None

    @property
    def is_narrow(self) -> bool:
        """True if a filter beside visibility limits the documents."""
        wanted = (self.since, self.until, self.session_id, self.tool, self.tasks, self.metadata)
        return wanted != _NOTHING_WANTED or bool(self.roles or self.types)


class TaskInHand(NamedTuple):
    """Task in hand of a scratchpad."""

    task: str | None
    noted_at: int
    """Time at which the scratchpad was last touched, UTC epoch milliseconds."""


class LaterSession(NamedTuple):
    """A session that began after a scratchpad was last touched."""

    session_id: str
    opening_n: int | None
    """Number of the first turn of its user; None if the user said nothing."""


@dataclass(frozen=True, slots=True)
class ErasureFilter:
    """Conditions that memories and turns must meet to be forgotten. Times as in `Filters`."""

    types: tuple[MemoryType, ...] = ()
    session_id: str | None = None
    speaker: str | None = None
    since: int | None = None
    until: int | None = None
    workspace: str | None = None
    """Project of the memories and turns."""
    seen: Filters | None = None
    """Filters that limit the selection to visible records; None for all of the tenant."""

    @property
    def is_narrow(self) -> bool:
        """True if a condition concerns single wordings of a memory: session, speaker or time."""
        told = (self.session_id, self.speaker, self.since, self.until)
        return any(one is not None for one in told)


@dataclass(frozen=True, slots=True)
class ErasureScope:
    """Numbers and hashes under which the rows to be erased stand in the indexes."""

    memories: tuple[int, ...]
    documents: tuple[int, ...]
    """Numbers of wordings and turns."""
    nodes: tuple[int, ...]
    hashes: tuple[str, ...]
    """Hashes of texts that no other turn holds, in hexadecimal."""


class Match(NamedTuple):
    """A document found in an index. Higher scores are better, within one list."""

    n: int
    score: float

    @classmethod
    def list_of(cls, pairs: Iterable[Sequence[float]]) -> "list[Match]":
        """Build matches from pairs of number and score, faster than one by one."""
        return list(map(tuple.__new__, repeat(cls), pairs))


class PassageMatch(NamedTuple):
    """The passage of a turn that is nearest to a question."""

    n: int
    start: int
    end: int
    score: float
    """Cosine, -1 to 1."""


class Frequencies(NamedTuple):
    """Numbers of visible documents, in all and with each term."""

    total: int
    by_term: dict[str, int]
    """Common terms are counted up to a bound only."""


class ClosedSegment(NamedTuple):
    """A segment of a session that has just been closed."""

    session_n: int
    first_index: int
    last_index: int
    closed_by: str


class SegmentLimits(NamedTuple):
    """Limits at which a segment of a session ends by itself."""

    idle_ms: int
    """Longest pause within a segment."""
    messages: int
    """Number of messages, tool calls apart, after which the user's next begins a new segment."""


@dataclass(frozen=True, slots=True)
class TurnVersion:
    """The newest version of a message, as capture needs to know it."""

    n: int
    id: str
    turn_index: int
    version: int
    fingerprint: bytes


class NewTurn(NamedTuple):
    """A turn ready to be written. Texts are final: stripped and redacted."""

    id: str
    session_n: int
    message_id: str | None
    turn_index: int
    version: int
    role: Role
    speaker: str | None
    at: int
    at_given: bool
    ingested_at: int
    trust: Trust
    suppressed: bool
    fingerprint: bytes
    content: str
    tool_name: str | None
    tool_args: JsonValue
    tool_result: JsonValue
    utc_offset: int | None = None
    """Minutes by which the speaker's clock was ahead of UTC; None if unknown."""
    account: Account | None = None
    likeness: bytes | None = None
    """Key of the words, by which another account of the same turn is found."""
    metadata: Metadata = NO_METADATA
    file: bytes | None = None
    """Bytes of an attachment; None for a text file, which is its text."""
    attached_to: str | None = None
    """Id of the message of an attachment."""


@dataclass(frozen=True, slots=True)
class NewMemory:
    """A memory ready to be written, but for its wording."""

    id: str
    type: MemoryType
    importance: float
    confidence: float
    workspace: str | None = None
    validity: Validity = Validity.ACTIVE
    subject: str | None = None
    predicate: str | None = None
    task: str | None = None
    flag: str | None = None
    scope: Scope | None = None
    """Scope as given; None leaves the decision to the memory's type."""
    metadata: str | None = None
    """JSON of the memory's metadata; None for none."""

    @property
    def sole_task(self) -> str | None:
        """Task to which a rule or a preference is limited; None for other types."""
        return self.task if self.type.is_guide else None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryDetails:
    """Changes to a memory's fields beside its wording; None leaves a field as it is."""

    type: MemoryType | None = None
    subject: str | None = None
    task: str | None = None
    importance: float | None = None
    sets_end: bool = False
    """True if `expires_at` is to be set; set to None, the memory has no end."""
    expires_at: int | None = None
    metadata: str | None = None
    """JSON, which takes the place of all of the memory's metadata."""


@dataclass(frozen=True, slots=True)
class Successor:
    """The present wording of a memory beside a turn or wording that said something else."""

    n: int
    """Document of the turn or of the former wording."""
    former: str
    """Text of the memory at that time."""
    successor: int
    """Document of the present wording."""
    present: str


@dataclass(frozen=True, slots=True)
class NewVersion:
    """A wording of a memory ready to be written."""

    content: str
    fingerprint: bytes
    valid_from: int
    ingested_at: int
    provenance: Provenance
    turn_n: int | None
    inferred_by: InferredBy = InferredBy.STATEMENT
    event_at: int | None = None
    event_expression: str | None = None
    subject: str | None = None
    """Subject of the memory with this wording; None leaves the subject as before."""
    predicate: str | None = None
    type: MemoryType | None = None
    task: str | None = None
    importance: float | None = None
    expires_at: int | None = None
    """Time at which the memory expires with this wording."""
    metadata: str | None = None
    """JSON, which takes the place of all of the memory's metadata; None leaves that as before."""


@dataclass(frozen=True, slots=True)
class NewEvidence:
    """A further turn that says what a memory says."""

    memory_id: str
    turn_n: int
    quote: str
    ingested_at: int


@dataclass(frozen=True, slots=True)
class MessageName:
    """Keys by which a message is recognised in its session."""

    source: str
    session_id: str
    message_id: str | None
    fingerprint: bytes
    likeness: bytes | None = None
    """Key of the words; given for a turn that may be told twice."""


@dataclass(frozen=True, slots=True)
class Tombstone:
    """Proof that something was forgotten, without a word of it."""

    kind: TombstoneKind
    subject: str
    """Id of the forgotten memory or turn."""
    at: int
    reason: str

    @property
    def epitaph(self) -> str:
        """Date and reason, as the end of a sentence."""
        return f"was forgotten on {to_iso(self.at)} ({self.reason})"


@dataclass(frozen=True, slots=True)
class SuppressedMeaning:
    """A vector of a forgotten text, and the lowest cosine at which a text counts as the same."""

    model: str
    vector: Vector
    reach: float
    """Lowest cosine that counts as the same."""


@dataclass(frozen=True, slots=True)
class TombstoneRecord:
    """A tombstone with the digests and vectors that recognise the forgotten statement."""

    tombstone: Tombstone
    digests: tuple[str, ...]
    meanings: tuple[SuppressedMeaning, ...] = ()


@dataclass(frozen=True, slots=True)
class PendingDocument:
    """A document that waits for a vector: a turn with the turn before, or a wording."""

    n: int
    attempts: int
    turn: StoredTurn | None = None
    previous: StoredTurn | None = None
    content: str | None = None


LAST = (1 << 63) - 1
"""Number behind those of all rows: a list that begins there begins with the newest."""
LEFT_OVER = 9
"""Priority of closed segments in the extraction queue, after all urgent entries."""


@dataclass(frozen=True, slots=True)
class NewQueueEntry:
    """A segment on its way into the extraction queue."""

    id: str
    kind: QueueKind
    session_n: int
    first_index: int
    last_index: int
    priority: int
    """Lower numbers are taken first."""
    reason: str
    created_at: int
    not_before: int = 0
    """Time from which the entry may be taken, UTC epoch ms."""


class QueuedTurn(NamedTuple):
    """The state of the newest entry of the extraction queue that has a turn."""

    turn_n: int
    state: QueueState
    error: str | None


@dataclass(frozen=True, slots=True)
class LeasedEntry:
    """An entry of the extraction queue that a worker has leased."""

    n: int
    id: str
    tenant: str
    kind: QueueKind
    session_n: int
    first_index: int
    last_index: int
    reason: str
    attempts: int
    """Number of attempts, this one included."""
