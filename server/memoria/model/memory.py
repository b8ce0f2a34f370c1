"""Memories: conclusions that can guide behaviour, each with where it came from."""

from enum import StrEnum
from typing import Literal

from memoria.model.base import Value
from memoria.model.condition import Condition
from memoria.model.memory_types import MemoryType


class Validity(StrEnum):
    """Whether a memory holds."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    CONTRADICTED = "contradicted"
    ARCHIVED = "archived"
    PENDING_CONFIRMATION = "pending_confirmation"


class InferredBy(StrEnum):
    """Who drew a conclusion from what was said."""

    STATEMENT = "statement"
    """Nobody: it was stated, to be remembered."""
    RULES = "rules"
    MODEL = "model"


class SourceKind(StrEnum):
    """How a statement reached us."""

    USER_SAID = "user_said"
    ASSISTANT_INFERRED = "assistant_inferred"
    TOOL_OUTPUT = "tool_output"
    IMPORTED = "imported"
    CONSOLIDATED = "consolidated"


class Trust(StrEnum):
    """How far the channel vouches for a statement. The server stamps it, never the caller."""

    USER = "user"
    REPORTED = "reported"
    TOOL = "tool"

    def at_most(self, other: "Trust") -> "Trust":
        """The lower of this trust and another one."""
        return max(self, other, key=tuple(Trust).index)


class Provenance(Value):
    """Where a version of a memory came from."""

    source_kind: SourceKind
    trust: Trust
    channel: str
    """The way in: `mcp`, `cli` or `library`."""
    client: str | None = None
    session_id: str | None = None
    message_id: str | None = None
    turn_id: str | None = None
    turn_index: int | None = None
    quote: str | None = None
    """The words it rests on, as they stand in the turn or as they were typed."""


Scope = Literal["everywhere", "project"]
"""Whether a memory is seen in every project, or in the project alone that it was learnt in."""


class MemoryVersion(Value):
    """One wording of a memory and the window in which it was valid (UTC epoch ms)."""

    n: int
    version: int
    content: str
    valid_from: int
    valid_to: int | None
    ingested_at: int
    provenance: Provenance
    inferred_by: InferredBy = InferredBy.STATEMENT
    event_at: int | None = None
    """When what it tells of happened, UTC epoch ms, if it was said."""
    event_expression: str | None = None
    """In the speaker's words: `last Friday`."""
    utc_offset: int | None = None
    """How many minutes the clock of whoever said it was ahead of UTC, as its turn has it."""

    @property
    def is_verbatim(self) -> bool:
        """Whether it has the words it rests on, as they were said, and no others."""
        return self.content == self.provenance.quote


class RelatedStatement(Value):
    """What a memory says, or said before it was superseded."""

    id: str
    content: str


class LaterStatement(Value):
    """What was said after a memory and is near enough to be about the same."""

    id: str
    """Of the turn, or of the memory."""
    when: str
    """The local day, with the time where the memory is of that day, too."""
    content: str


class LocalSpan(Value):
    """When a memory holds, on the clock of whoever it is for: ISO 8601 with the offset."""

    since: str
    until: str | None = None
    """When it stops to count."""
    last_day: str | None = None
    """The last day on which it counts, where it stops at midnight."""
    replaced: str | None = None
    """When another memory took its place."""


LinkRelation = Literal["supersedes", "superseded by", "contradicts", "derived from", "source of",
                       "related"]  # fmt: skip
"""What a memory is to what it is linked with."""


class MemoryLink(Value):
    """What a memory is linked with, as whoever looks it up is told."""

    relation: LinkRelation
    kind: Literal["memory", "turn"]
    id: str
    text: str
    """Its beginning, in a line."""


class Memory(Value):
    """A memory with its present wording first in line and its history behind."""

    id: str
    type: MemoryType
    validity: Validity
    importance: float
    """0 to 1."""
    confidence: float
    """0 to 1."""
    pinned: bool
    verified: bool
    """Confirmed by the user, not merely reported."""
    upvotes: int
    downvotes: int
    created_at: int
    updated_at: int
    workspace: str | None = None
    """The project it was learnt in."""
    scope: Scope = "everywhere"
    subject: str | None = None
    """Of whom or what it speaks, in its normal form."""
    predicate: str | None = None
    """What of the subject: `home`, `editor`."""
    task: str | None = None
    """The task at which it was learnt. A rule or a preference holds for it alone."""
    expires_at: int | None = None
    """When it stops to count, UTC epoch ms."""
    evidence: int = 1
    """How many turns it rests on, or 1 where it was stated."""
    use_count: int = 0
    last_used_at: int | None = None
    flag: str | None = None
    """Why it is not believed without confirmation: `instruction`, `pasted`, `tool`, `pii`."""
    contradicts: tuple[RelatedStatement, ...] = ()
    """What cannot be true together with it; read only where a memory is to be shown."""
    outdated_by: tuple[str, ...] = ()
    """Ids of what tells by now what an episode or a concept rests on; read as `contradicts` is."""
    entities: tuple[str, ...] = ()
    """Whom and what it names; read as `contradicts` is."""
    links: tuple[MemoryLink, ...] = ()
    """What it has to do with; read as `contradicts` is."""
    local: LocalSpan | None = None
    """When it holds, in local time; read as `contradicts` is."""
    later: LaterStatement | None = None
    """What was said later that is nearest to it; read as `contradicts` is."""
    condition: Condition | None = None
    """On what condition it was told; read as `contradicts` is."""
    former_end: int | None = None
    """When the wording that has just been corrected was to end, where the new one has no end."""
    is_unchanged: bool = False
    """Whether a person has just revised it, and it was so already: there is nothing to undo."""
    versions: tuple[MemoryVersion, ...]
    """Newest first."""

    @property
    def current(self) -> MemoryVersion:
        """The version that is valid now, or was last."""
        return self.versions[0]

    @property
    def project(self) -> str | None:
        """The project in which alone it is seen; None where it is seen in all."""
        return self.workspace if self.scope == "project" else None

    @property
    def sole_task(self) -> str | None:
        """The task for which alone it holds, that of a rule or a preference."""
        return self.task if self.type.is_guide else None

    @property
    def content(self) -> str:
        """The present wording."""
        return self.current.content


StatementStatus = Literal["remembered", "already_known", "restored", "pending"]
"""What became of a statement. `pending`: it contradicts what is better borne out, and waits for the
user's word."""


class MemoryChange(Value):
    """What a statement changed: the memory that says it now, and what that means for others."""

    id: str
    content: str
    supersedes: tuple[RelatedStatement, ...] = ()
    """What it has taken the place of. It stays in the history."""
    contradicts: tuple[RelatedStatement, ...] = ()
    """What cannot be true together with it; both stay until one is revised."""


SOURCE_TURN = "turn_id"
"""What is ignored of a statement whose turn does not say it."""


class RememberResult(Value):
    """What became of a statement to remember."""

    id: str
    status: StatementStatus
    content: str
    redactions: dict[str, int]
    supersedes: tuple[RelatedStatement, ...] = ()
    """What it has taken the place of. It stays in the history."""
    contradicts: tuple[RelatedStatement, ...] = ()
    """What cannot be true together with it; both stay until one is revised."""
    superseded_by: RelatedStatement | None = None
    """What holds since, where the statement is of an earlier time and belongs to the history."""
    expires_at: int | None = None
    """When it stops to count, UTC epoch ms."""
    local: LocalSpan | None = None
    """When the memory holds, in local time."""
    former_end: int | None = None
    """When what it has taken the place of was to end, where it has no end itself."""
    task: str | None = None
    """The task at which it was learnt."""
    ignored: tuple[str, ...] = ()
    """What was given with the statement and not taken on: the user has confirmed the memory as it
    is, or, of a `turn_id`, its turn does not say that."""
    scope: Scope = "everywhere"
    project: str | None = None
    """The project in which alone it is seen; None where it is seen in all."""
    is_scope_open: bool = False
    """Whether its words leave open where it is seen, or it is seen elsewhere than they say."""
    guessed_type: MemoryType | None = None
    """What it was kept as by its wording, where nobody named a type and it is no plain fact."""
    may_replace: RelatedStatement | None = None
    """The active memory most like it, of which nobody has said yet whether it still holds."""


AgentRevision = Literal[
    "correct",
    "confirm",
    "archive",
    "restore",
    "pin",
    "unpin",
    "upvote",
    "downvote",
    "everywhere",
    "project",
]
"""What an agent can do with the tool `revise_memory`. None of it is final."""
Revision = Literal[AgentRevision, "type"]
"""What a person can do to a memory. None of it is final."""
