"""Memories: conclusions that can guide behaviour, each with its provenance."""

from enum import StrEnum
from typing import Annotated, Any, Literal

from memoria.model.base import UNLESS_EMPTY, Shown, Value, write_document
from memoria.model.grounds import GroundMark
from memoria.model.memory_types import MemoryType
from memoria.model.metadata import NO_METADATA, Metadata
from memoria.model.moments import Moment


class Condition(StrEnum):
    """Conditions under which something was told, the mildest first."""

    CONFIDED = "told in confidence"
    """Told to whoever asks, with these words, and to nobody else."""
    WITHHELD = "not to be kept"
    """Kept out of every answer."""


class Validity(StrEnum):
    """States of a memory: whether it holds, and why not."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    CONTRADICTED = "contradicted"
    ARCHIVED = "archived"
    PENDING_CONFIRMATION = "pending_confirmation"


class InferredBy(StrEnum):
    """Reader that drew a conclusion from what was said."""

    STATEMENT = "statement"
    """No reader: somebody stated the memory, to be remembered."""
    RULES = "rules"
    MODEL = "model"


class SourceKind(StrEnum):
    """Ways in which a statement reached us."""

    USER_SAID = "user_said"
    ASSISTANT_INFERRED = "assistant_inferred"
    TOOL_OUTPUT = "tool_output"
    IMPORTED = "imported"
    CONSOLIDATED = "consolidated"


class Trust(StrEnum):
    """Degrees to which a channel vouches for a statement. Stamped by the server, not the caller."""

    USER = "user"
    REPORTED = "reported"
    TOOL = "tool"

    def at_most(self, other: "Trust") -> "Trust":
        """Return the lower of two trusts."""
        return max(self, other, key=tuple(Trust).index)


class Provenance(Value):
    """Origin of a version of a memory."""

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
    """Words on which the memory rests, as they stand in the turn or as they were typed."""


Scope = Literal["everywhere", "project"]
"""Projects in which a memory is seen: all, or only the project where it was learnt."""


class MemoryVersion(Value):
    """A wording of a memory and the window in which it was valid."""

    n: int
    version: int
    content: Annotated[str, Shown("text")]
    valid_from: Moment
    valid_to: Moment | None
    ingested_at: Moment
    provenance: Provenance
    inferred_by: InferredBy = InferredBy.STATEMENT
    event_at: Moment | None = None
    """Time of the event in the wording, if it was said."""
    event_expression: str | None = None
    """The same in the speaker's words: `last Friday`."""
    utc_offset: int | None = None
    """Minutes by which the speaker's clock was ahead of UTC, from the wording's turn."""

    @property
    def is_verbatim(self) -> bool:
        """True if the wording is its quote, word for word."""
        return self.content == self.provenance.quote


class RelatedStatement(Value):
    """A memory's text, now or before it was superseded."""

    id: str
    content: str


class LaterStatement(Value):
    """A statement said after a memory and near enough to be about the same."""

    id: str
    """Id of the turn, or of the memory."""
    when: str
    """Local day, with the time where the memory is of that day, too."""
    content: Annotated[str, Shown("text")]


class LocalSpan(Value):
    """Time in which a memory holds, by its speaker's clock: ISO 8601 with the offset."""

    since: Annotated[str, Shown("valid_from")]
    replaced: Annotated[str | None, Shown("valid_to")] = None
    """Time at which another memory took its place."""
    until: Annotated[str | None, Shown("expires_at")] = None
    """Time from which it does not count any more."""
    last_day: str | None = None
    """Last day on which the memory holds, if it ends at midnight."""


LinkRelation = Literal["supersedes", "superseded by", "contradicts", "derived from", "source of",
                       "related"]  # fmt: skip
"""Relation of a memory to the memory or turn that it is linked with."""


class MemoryLink(Value):
    """A link of a memory, as it is shown."""

    relation: LinkRelation
    kind: Literal["memory", "turn"]
    id: str
    text: str
    """Beginning of the linked text, in a line."""


CARRIED_COLUMNS = ("use_count", "last_used_at", "flag", "metadata")
"""Fields of a memory that are columns of its row under the same name, and are read, shown, exported
and imported unchanged. A further field needs its name here, and a migration that adds the column to
`memories`, NULL by default."""


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
    created_at: Moment
    updated_at: Moment
    workspace: str | None = None
    """Project in which the memory was learnt."""
    scope: Scope = "everywhere"
    subject: str | None = None
    """Person or thing that the memory is about, in normal form."""
    predicate: str | None = None
    """Property of the subject: `home`, `editor`."""
    task: str | None = None
    """Task at which the memory was learnt. A rule or a preference holds for this task alone."""
    expires_at: Moment | None = None
    """Time at which the memory expires."""
    evidence: int = 1
    """Number of turns on which the memory rests; 1 for a stated memory."""
    use_count: int = 0
    last_used_at: Moment | None = None
    flag: str | None = None
    """Reason why the memory needs confirmation: `instruction`, `pasted`, `tool`, `pii`."""
    metadata: Metadata = NO_METADATA
    """The caller's own fields; those of an episode are `goal`, `outcome`, `tools`, `started_at` and
    `ended_at`."""
    contradicts: tuple[RelatedStatement, ...] = ()
    """Statements that contradict the memory; read only for memories to be shown."""
    outdated_by: tuple[str, ...] = ()
    """Ids of memories newer than the sources of an episode or a concept; read for showing."""
    ground: Annotated[GroundMark | None, UNLESS_EMPTY] = None
    """State of the files that carry the memory; read for showing."""
    entities: Annotated[tuple[str, ...], UNLESS_EMPTY] = ()
    """Names in the memory; read for showing."""
    links: Annotated[tuple[MemoryLink, ...], UNLESS_EMPTY] = ()
    """Links with other memories and turns; read for showing."""
    local: LocalSpan | None = None
    """Time in which the memory holds, in local time; read for showing."""
    later: LaterStatement | None = None
    """Nearest statement that was said later; read for showing."""
    condition: Condition | None = None
    """Condition under which the memory was told; read for showing."""
    former_end: int | None = None
    """End of the wording that was just corrected, if the new wording has no end."""
    is_unchanged: bool = False
    """True if the revision that led here has changed nothing, so that no undo is needed."""
    versions: tuple[MemoryVersion, ...]
    """Newest first."""

    @property
    def current(self) -> MemoryVersion:
        """Newest version."""
        return self.versions[0]

    @property
    def project(self) -> str | None:
        """Project in which alone it is seen; None where it is seen in all."""
        return self.workspace if self.scope == "project" else None

    @property
    def sole_task(self) -> str | None:
        """Only task for which a rule or a preference holds; None for other memories."""
        return self.task if self.type.is_guide else None

    @property
    def content(self) -> str:
        """Present wording."""
        return self.current.content

    def _write_fields(self) -> dict[str, Any]:
        own = {**super()._write_fields(), **self.current.to_json("text", "version", "valid_from")}
        return write_document(**own, project=self.project)


StatementStatus = Literal["remembered", "already_known", "restored", "pending"]
"""Outcome of a statement. `pending`: it contradicts what is better borne out, and waits for the
user's word."""


class MemoryChange(Value):
    """Effect of a statement: the memory that has the statement, and other memories concerned."""

    id: str
    content: str
    supersedes: tuple[RelatedStatement, ...] = ()
    """Statements it has taken the place of. They stay in the history."""
    contradicts: tuple[RelatedStatement, ...] = ()
    """Statements that cannot be true together with it; both stay until one is revised."""


SOURCE_TURN = "turn_id"
"""Name of the detail that is ignored if the given turn does not say the statement."""


class RememberResult(Value):
    """Outcome of a statement to remember."""

    id: str
    status: StatementStatus
    content: str
    redactions: dict[str, int]
    supersedes: tuple[RelatedStatement, ...] = ()
    """Statements it has taken the place of. They stay in the history."""
    contradicts: tuple[RelatedStatement, ...] = ()
    """Statements that cannot be true together with it; both stay until one is revised."""
    superseded_by: RelatedStatement | None = None
    """Statement that holds instead, if this statement is of an earlier time."""
    expires_at: int | None = None
    """Time at which the memory expires, UTC epoch ms."""
    local: LocalSpan | None = None
    """Time in which the memory holds, in local time."""
    former_end: int | None = None
    """End of the memory that this memory replaced, if this memory has no end."""
    task: str | None = None
    """Task at which the memory was learnt."""
    ignored: tuple[str, ...] = ()
    """Details that were given and not used, because the user has confirmed the memory as it is; or
    `turn_id`, because the turn does not say the statement."""
    scope: Scope = "everywhere"
    project: str | None = None
    """Project in which alone it is seen; None where it is seen in all."""
    is_scope_open: bool = False
    """True if the words leave the scope open, or name another scope than the memory has."""
    guessed_type: MemoryType | None = None
    """Type guessed from the wording, if nobody named a type and the guess is no fact."""
    may_replace: RelatedStatement | None = None
    """Most similar active memory; nobody has said whether it still holds."""


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
"""Actions of an agent with the tool `revise_memory`; none is final."""
Revision = Literal[AgentRevision, "type"]
"""Actions of a person on a memory; none is final."""
