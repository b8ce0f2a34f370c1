"""What goes into a store and comes out of it, whichever engine it is."""

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
    Role,
    Scope,
    StoredTurn,
    Trust,
    Validity,
    Vector,
    to_iso,
)

DocumentKind = Literal["turn", "memory"]
TombstoneKind = Literal["memory", "turn"]
"""What is refused: that a memory says it again, or that the turn itself is kept again."""


_NOTHING_WANTED = (None,) * 5


@dataclass(frozen=True, slots=True)
class Filters:
    """What a search is narrowed to. Times are UTC epoch milliseconds; `until` is exclusive."""

    since: int | None = None
    until: int | None = None
    session_id: str | None = None
    roles: tuple[Role, ...] = ()
    tool: str | None = None
    types: tuple[MemoryType, ...] = ()
    tasks: tuple[str, ...] | None = None
    """The tasks whose memories alone are wanted; None where the task makes no difference."""
    include_history: bool = False
    """Whether what is no longer current may be found too."""
    workspace: str | None = None
    """Where the question is asked: its rows are seen, and those of no workspace."""
    everywhere: bool = False
    """Whether every workspace's rows are seen."""
    include_processed: bool = False
    """Whether turns may be found from which nothing more is to be concluded: those suppressed, and
    those the extractor has looked at."""

    @property
    def includes_turns(self) -> bool:
        """Whether turns are wanted, as far as what only memories have tells."""
        return not self.types and self.tasks is None

    @property
    def is_narrow(self) -> bool:
        """Whether fewer documents are wanted than can be seen from here."""
        wanted = (self.since, self.until, self.session_id, self.tool, self.tasks)
        return wanted != _NOTHING_WANTED or bool(self.roles or self.types)


class TaskInHand(NamedTuple):
    """What is being worked on, as a scratchpad has it."""

    task: str | None
    noted_at: int
    """When the scratchpad was last touched, UTC epoch milliseconds."""


class LaterSession(NamedTuple):
    """A session that began after a scratchpad was last touched."""

    session_id: str
    opening_n: int | None
    """The number of its user's first turn; None where there is none."""


@dataclass(frozen=True, slots=True)
class ErasureFilter:
    """What memories and turns must pass to be forgotten. Times as in `Filters`."""

    types: tuple[MemoryType, ...] = ()
    session_id: str | None = None
    speaker: str | None = None
    since: int | None = None
    until: int | None = None
    workspace: str | None = None
    """The project in which it was said."""
    seen: Filters | None = None
    """What may be selected at all; None for everything of the tenant."""

    @property
    def is_narrow(self) -> bool:
        """Whether it tells of the wordings of a memory."""
        told = (self.session_id, self.speaker, self.since, self.until)
        return any(one is not None for one in told)


@dataclass(frozen=True, slots=True)
class ErasureScope:
    """The numbers under which what is to be erased stands in the indexes."""

    memories: tuple[int, ...]
    documents: tuple[int, ...]
    """Its wordings and its turns."""
    nodes: tuple[int, ...]
    hashes: tuple[str, ...]
    """Of texts that no other turn holds, in hexadecimal."""


class Match(NamedTuple):
    """A document an index found. Higher scores are better, within one list."""

    n: int
    score: float

    @classmethod
    def list_of(cls, pairs: Iterable[Sequence[float]]) -> "list[Match]":
        """Matches of numbers and scores. Of hundreds, to call the class for each would be felt."""
        return list(map(tuple.__new__, repeat(cls), pairs))


class PassageMatch(NamedTuple):
    """The passage of a turn that is nearest to a question."""

    n: int
    start: int
    end: int
    score: float
    """Its cosine, -1 to 1."""


class Frequencies(NamedTuple):
    """In how many of the documents that can be seen each term stands."""

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
    """Where a segment of a session ends by itself."""

    idle_ms: int
    """A pause longer than this begins a new one."""
    messages: int
    """After so many messages, tool calls apart, the user's next begins a new one."""


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
    """How many minutes the speaker's clock was ahead of UTC; None where that is not known."""
    account: Account | None = None
    likeness: bytes | None = None
    """What the other account of the same turn is found by; see `ingest/likeness`."""


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
    """Where it is seen; None where nothing was said: then its type decides."""

    @property
    def sole_task(self) -> str | None:
        """The task for which alone it holds, that of a rule or a preference."""
        return self.task if self.type.is_guide else None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryDetails:
    """What is known of a memory beside its wording. What is None stays as it is."""

    type: MemoryType | None = None
    subject: str | None = None
    task: str | None = None
    importance: float | None = None
    sets_end: bool = False
    """Whether `expires_at` is its end from now on, or that it has none."""
    expires_at: int | None = None


@dataclass(frozen=True, slots=True)
class Successor:
    """What a memory says now, held against what it said in a turn or a former wording."""

    n: int
    """The turn's or the former wording's document."""
    former: str
    """What the memory said then."""
    successor: int
    """The document of what it says now."""
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
    """Of whom or what the memory speaks now that it says this; as before without one."""
    predicate: str | None = None
    type: MemoryType | None = None
    task: str | None = None
    importance: float | None = None
    expires_at: int | None = None
    """When the memory stops to count, now that it says this."""


@dataclass(frozen=True, slots=True)
class NewEvidence:
    """Another turn that says what a memory says."""

    memory_id: str
    turn_n: int
    quote: str
    ingested_at: int


@dataclass(frozen=True, slots=True)
class MessageName:
    """What a message is known by where it was said."""

    source: str
    session_id: str
    message_id: str | None
    fingerprint: bytes
    likeness: bytes | None = None
    """Of a turn of which there may be two accounts."""


@dataclass(frozen=True, slots=True)
class Tombstone:
    """Proof that something was forgotten, without a word of it."""

    kind: TombstoneKind
    subject: str
    """The id it had."""
    at: int
    reason: str

    @property
    def epitaph(self) -> str:
        """When and why, as the end of a sentence."""
        return f"was forgotten on {to_iso(self.at)} ({self.reason})"


@dataclass(frozen=True, slots=True)
class SuppressedMeaning:
    """What was forgotten, as a model sees it, and how near to it counts as the same."""

    model: str
    vector: Vector
    reach: float
    """A cosine."""


@dataclass(frozen=True, slots=True)
class TombstoneRecord:
    """A tombstone with all that it knows again what was forgotten by."""

    tombstone: Tombstone
    digests: tuple[str, ...]
    meanings: tuple[SuppressedMeaning, ...] = ()


@dataclass(frozen=True, slots=True)
class PendingDocument:
    """A document that wants a vector: a turn with the one before it, or a memory's wording."""

    n: int
    attempts: int
    turn: StoredTurn | None = None
    previous: StoredTurn | None = None
    content: str | None = None


LEFT_OVER = 9
"""The priority of closed segments in the extraction queue, after all that is urgent."""


@dataclass(frozen=True, slots=True)
class NewQueueEntry:
    """A segment on its way into the extraction queue."""

    id: str
    kind: QueueKind
    session_n: int
    first_index: int
    last_index: int
    priority: int
    """0 is taken first."""
    reason: str
    created_at: int
    not_before: int = 0
    """When it may be taken, UTC epoch ms."""


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
    """With this one."""


@dataclass(frozen=True, slots=True)
class TextBlock:
    """Texts packed together."""

    data: bytes
    places: tuple[tuple[bytes, int, int], ...]
    """(hash, start, size) of each."""


@dataclass(frozen=True, slots=True)
class TextPage:
    """Some of a conversation's texts, packed together."""

    block: TextBlock | None
    """None where they would take no less room."""
    through: int | None
    """The number of the last turn of the page; None where no text is left beyond."""
