"""Shapes of the tools' answers, as clients are promised by output schemas.

Values write the answers (`surface/documents.py`); nothing is copied into these classes. They stay
apart from the values on purpose: a client checks an answer against the schema that it was given,
so a field that a value gains or renames must not change it unnoticed. The SDK validates every
answer against them.
"""

from typing import Literal

from pydantic import BaseModel, JsonValue


class WireSource(BaseModel):
    """Source of a hit."""

    at: str
    session_id: str | None = None
    message_id: str | None = None
    turn_id: str | None = None
    turn_index: int | None = None
    role: str | None = None
    speaker: str | None = None
    client: str | None = None
    trust: str | None = None
    workspace: str | None = None
    account: str | None = None


class WireTool(BaseModel):
    """A tool call."""

    name: str
    args: JsonValue = None
    result: JsonValue = None
    cut: bool | None = None


class WireNeighbour(BaseModel):
    """A turn beside a hit, or beside another turn."""

    id: str
    turn_index: int
    role: str
    speaker: str | None = None
    text: str
    condition: str | None = None


class WireGround(BaseModel):
    """How the files stand that a memory speaks of, and how many commits changed them since."""

    state: Literal["unchanged", "changed", "gone", "not checked"]
    commits: int
    moved_to: str | None = None


class WireHit(BaseModel):
    """A result of either level."""

    id: str
    cite: str
    kind: Literal["memory", "turn"]
    text: str
    score: float
    source: WireSource
    validity: str | None = None
    version: int | None = None
    excerpt: list[int] | None = None
    total_chars: int | None = None
    superseded_part: str | None = None
    contradicts: list[str] | None = None
    outdated_by: list[str] | None = None
    ground: WireGround | None = None
    restated_by: str | None = None
    condition: str | None = None
    shown_as: str | None = None
    later_than: str | None = None
    earlier: bool | None = None
    metadata: dict[str, JsonValue] | None = None


class WireConclusion(WireHit):
    """A first-level result."""

    type: str | None = None
    status: str | None = None


class WireTrace(WireHit):
    """A second-level result."""

    tool: WireTool | None = None
    before: list[WireNeighbour] | None = None
    after: list[WireNeighbour] | None = None


class WireCall(BaseModel):
    """A recorded call, cited by its turn; `said` has words in the place of a call."""

    id: str
    at: str
    session_id: str
    what: str


class WireOutcome(BaseModel):
    """A call that failed, and the one by which it worked afterwards."""

    failed: WireCall
    error: str
    times: int | None = None
    between: list[WireCall] | None = None
    worked: WireCall | None = None
    said: WireCall | None = None
    way: Literal["same", "other"] | None = None


class WireAnswer(BaseModel):
    """Part of either level's answer beside its hits."""

    answered: bool
    omitted: int | None = None
    beyond_limit: int | None = None
    hidden: int | None = None
    notes: list[str] | None = None
    calls: list[WireOutcome] | None = None


class WireConclusions(WireAnswer):
    """A first-level answer, best first."""

    hits: list[WireConclusion]


class WireTraces(WireAnswer):
    """A second-level answer, best first."""

    hits: list[WireTrace]


class WireWording(BaseModel):
    """A version of a memory, or of an edited message."""

    version: int
    text: str
    valid_from: str
    valid_to: str | None = None
    quote: str | None = None
    source: WireSource


class WireMemoryLink(BaseModel):
    """Link of a memory."""

    relation: str
    kind: Literal["memory", "turn"]
    id: str
    text: str


class WireLater(BaseModel):
    """Turn that was said later than a memory."""

    id: str
    when: str
    text: str


class WireAttachment(BaseModel):
    """A file that came with a turn."""

    id: str
    message_id: str
    name: str | None = None
    media_type: str
    size: int | None = None
    not_kept: str | None = None


class WireRecord(BaseModel):
    """A memory or turn, whole."""

    id: str
    kind: Literal["memory", "turn"]
    text: str
    source: WireSource
    type: str | None = None
    validity: str | None = None
    pinned: bool | None = None
    verified: bool | None = None
    condition: str | None = None
    metadata: dict[str, JsonValue] | None = None
    total_chars: int | None = None
    next_offset: int | None = None
    tool: WireTool | None = None
    attachments: list[WireAttachment] | None = None
    ground: WireGround | None = None
    versions: list[WireWording] | None = None
    before: list[WireNeighbour] | None = None
    after: list[WireNeighbour] | None = None


class WireLookup(WireRecord):
    """A memory with what is known of it beside its wording, or a turn."""

    importance: float | None = None
    confidence: float | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    expires_at: str | None = None
    last_day: str | None = None
    task: str | None = None
    subject: str | None = None
    predicate: str | None = None
    scope: str | None = None
    project: str | None = None
    entities: list[str] | None = None
    links: list[WireMemoryLink] | None = None
    later: WireLater | None = None


class WireRevision(BaseModel):
    """A memory after a revision."""

    id: str
    text: str
    validity: str
    version: int
    pinned: bool
    verified: bool
    upvotes: int
    downvotes: int
    note: str | None = None


class WireKept(BaseModel):
    """One of several statements that were kept."""

    number: int
    id: str
    status: str
    notes: list[str] | None = None


class WireRefused(BaseModel):
    """One of several statements that was not kept."""

    number: int
    reason: str
    turn_id: str | None = None


class WireRememberResult(BaseModel):
    """Outcome of a statement, or of several."""

    id: str | None = None
    status: str | None = None
    expires_at: str | None = None
    task: str | None = None
    redactions: dict[str, int] | None = None
    notes: list[str] | None = None
    kept: list[WireKept] | None = None
    refused: list[WireRefused] | None = None
    unread: int | None = None
    next_page: str | None = None


class WireReceipt(BaseModel):
    """Proof that turns are on disk."""

    receipt_id: str
    recorded: int
    already_recorded: int | None = None
    new_versions: int | None = None
    forgotten: int | None = None
    private: int | None = None
    turn_ids: list[str]
    redactions: dict[str, int] | None = None
    stripped: int | None = None
    closed_segments: int | None = None
    notes: list[str] | None = None


class WireScratchpad(BaseModel):
    """A session's notes."""

    session_id: str
    current_focus: str | None = None
    completed: list[str]


class WireForgetItem(BaseModel):
    """Something that would be erased or suppressed."""

    kind: str
    id: str | None = None
    text: str | None = None
    suppressed: bool | None = None


class WireForgetReport(BaseModel):
    """The proof of a forget, in short."""

    id: str
    at: str
    state: str
    purge_at: str | None = None
    purged_at: str | None = None
    items: dict[str, int]
    removed: dict[str, int]
    remaining: dict[str, int]


class WireForgetAnswer(BaseModel):
    """Preview of a forget and the token for it, or its outcome."""

    status: Literal["preview", "forgotten", "hidden", "declined", "unanswered", "cancelled"]
    items: list[WireForgetItem] | None = None
    near: list[WireForgetItem] | None = None
    counts: dict[str, int] | None = None
    token: str | None = None
    command: str | None = None
    memories: list[str] | None = None
    turns_erased: list[str] | None = None
    turns_suppressed: list[str] | None = None
    notes: list[str] | None = None
    report: WireForgetReport | None = None
