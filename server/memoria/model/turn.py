"""Sessions: their turns, segments and scratchpads."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Literal, NamedTuple

from pydantic import BeforeValidator, Field, JsonValue, model_validator

from memoria.errors import InvalidInputError
from memoria.model.attachment import MEDIA, Attachment, AttachmentRecord, read_attachments
from memoria.model.base import HIDDEN, UNLESS_EMPTY, Shown, Value
from memoria.model.memory import Condition, MemoryChange, Trust
from memoria.model.metadata import NO_METADATA, Metadata
from memoria.model.moments import Moment, parse_instant, parse_offset, to_millis

_TEXT_KEYS = ("text", "content", "parts", "output")
UNSAID_PARTS = frozenset({"thinking", "redacted_thinking", "reasoning", "thoughts"})
"""Kinds of parts that nobody has said."""
_MOST_DEPTH = 20


def content_text(value: object, joint: str = "\n\n") -> str:
    """Return the texts of a content; a picture or anything else becomes a mark such as `[image]`.

    >>> content_text([{"type": "text", "text": "See here:"}, {"type": "image"}], " ")
    'See here: [image]'

    Args:
        value: a text, a part with a text or with further parts, or a list of parts.
        joint: the text between two parts.
    """
    return joint.join(filter(None, _list_texts(value, _MOST_DEPTH)))


def _list_texts(value: object, depth: int) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list() | tuple() | Mapping() if depth == 0:
            yield "[…]"
        case list() | tuple():
            for part in value:
                yield from _list_texts(part, depth - 1)
        case Mapping():
            yield from _list_part_texts(value, depth)


def _list_part_texts(part: Mapping[object, object], depth: int) -> Iterator[str]:
    kind = part.get("type") or part.get("content_type")
    if isinstance(kind, str) and kind in UNSAID_PARTS:
        return
    given = [part[key] for key in _TEXT_KEYS if isinstance(part.get(key), str | list | Mapping)]
    if given:
        yield from _list_texts(next(filter(None, given), ""), depth - 1)
    elif isinstance(kind, str):
        yield f"[{_name_medium(kind)}]"


def _name_medium(kind: str) -> str:
    return next((medium for medium in MEDIA if medium in kind), kind)


class Role(StrEnum):
    """Producers of a turn."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    SYSTEM = "system"


Account = Literal["client", "agent"]
"""Teller of a turn: the client, which has each turn once and in order, or an agent, which reports
any turns in any order."""
FORGOTTEN_PASSAGE = "forgotten"
"""Kind of redaction of a passage that was forgotten before."""
Mark = Literal["none", "statement", "wish", "aside"]
"""Kind of statement in a turn: `wish` for a wish that is to hold from now on, or `none`, by a
classifier; `aside` for a quote that somebody has set aside. Older versions gave `statement`."""
CaptureEvent = Literal["session_end", "compaction"]
"""Event that closes a segment: the session's end, or the client compacting its context."""

_LATEST_SECONDS = 100_000_000_000
"""Bound below which an integer is 1973 in milliseconds and, far more likely, meant in seconds."""


def _offset_of(at: object) -> int | None:
    """Return the minutes that the clock of a time was ahead of UTC; None if left open."""
    match at:
        case str():
            return parse_offset(at)
        case datetime() if at.tzinfo not in (None, UTC):
            offset = at.utcoffset()
            return None if offset is None else round(offset.total_seconds() / 60)
        case _:
            return None


def _as_millis(value: object) -> object:
    match value:
        case datetime():
            return to_millis(value)
        case str():
            try:
                return parse_instant(value)
            except InvalidInputError as error:
                raise ValueError(error) from error  # as pydantic wants it
        case bool():
            raise ValueError("is no time")
        case int() if 0 < value < _LATEST_SECONDS:
            raise ValueError("looks like seconds; give milliseconds or ISO 8601")
        case _:
            return value


_FIRST_MS = -62_135_596_800_000  # the year 1
_LAST_MS = 253_402_300_799_999  # the year 9999
EventTime = Annotated[int, BeforeValidator(_as_millis), Field(ge=_FIRST_MS, le=_LAST_MS)]


def _join_parts(value: object) -> object:
    return content_text(value) if isinstance(value, list | tuple | Mapping) else value


Content = Annotated[str, BeforeValidator(_join_parts)]
"""Text of a turn. A list of parts is parsed to its texts, and marks such as `[image]`."""
_MOST_OFFSET = 24 * 60 - 1


def add_attachments(fields: object) -> object:
    """Return the fields of a turn with the files that stand in its content, if there are any."""
    if not isinstance(fields, Mapping) or isinstance(fields.get("content"), str):
        return fields
    found = read_attachments(fields.get("content"))
    given = fields.get("attachments") or ()
    if not found or not isinstance(given, list | tuple):
        return fields
    return {**fields, "attachments": (*given, *found)}


class Turn(Value):
    """A message of a conversation, as a client hands it over."""

    role: Role
    content: Content = ""
    """Words, verbatim. May be empty for a call of a tool."""
    session_id: str | None = None
    """Id of the conversation, in the client's own numbering."""
    message_id: str | None = None
    """Id of the message in the client. Recording the same message again changes nothing."""
    speaker: str | None = None
    """Name of the speaker, if the role does not say enough."""
    at: EventTime | None = None
    """Time at which the turn was said: ISO 8601, a datetime, or UTC epoch milliseconds."""
    utc_offset: Annotated[int, Field(ge=-_MOST_OFFSET, le=_MOST_OFFSET)] | None = None
    """Minutes by which the speaker's clock was ahead of UTC, which decides on the day. Taken from
    `at` if that has an offset, such as +08:00."""
    tool_name: str | None = None
    tool_args: JsonValue = None
    tool_result: JsonValue = None
    metadata: Metadata = NO_METADATA
    """The caller's own fields."""
    attachments: tuple[Attachment, ...] = ()
    """Files of the message. Those whose bytes stand in the parts of `content` are added."""

    _add_attachments = model_validator(mode="before")(add_attachments)

    @model_validator(mode="before")
    @classmethod
    def _read_offset(cls, fields: object) -> object:
        if not isinstance(fields, Mapping) or fields.get("utc_offset") is not None:
            return fields
        offset = _offset_of(fields.get("at"))
        return fields if offset is None else {**fields, "utc_offset": offset}


class StoredTurn(Value):
    """A turn as stored. `n` is the number of its document."""

    n: int
    id: str
    source: str
    session_id: str
    session_n: int
    message_id: str | None
    turn_index: int
    version: int
    current: bool
    suppressed: bool
    """True if the turn was forgotten, and stays on record with nothing concluded from it."""
    processed: bool
    """True if a model or an agent has read the turn, and no memory from it awaits confirmation."""
    role: Role
    speaker: str | None
    account: Account | None = None
    """Teller of the turn, in a session that may be told twice; None in any other."""
    at: Moment
    utc_offset: int | None = None
    """Minutes by which the speaker's clock was ahead of UTC; None if unknown."""
    ingested_at: Moment
    trust: Trust
    workspace: str | None
    metadata: Metadata = NO_METADATA
    """The caller's own fields."""
    content: str
    tool_name: str | None
    tool_args: JsonValue
    tool_result: JsonValue


class UserSpeaker(NamedTuple):
    """A name under which somebody has spoken with the role `user`."""

    name: str
    first_turn: int
    """Number of the first turn of that name."""
    first_session: int


class RecordedTurn(Value):
    """Outcome of one turn of a call."""

    status: Literal[
        "recorded", "already_recorded", "new_version", "nothing_left", "forgotten", "private"
    ]
    id: str | None = None
    """Absent when nothing was left to keep after stripping private and injected text, when the turn
    was forgotten before, and when it was said in a private time."""


def _list_ids(turns: tuple[RecordedTurn, ...]) -> list[str]:
    return [turn.id for turn in turns if turn.id is not None]


class Receipt(Value):
    """Proof that a call's turns are on disk: handed out after the commit, never before."""

    id: Annotated[str, Shown("receipt_id")]
    recorded: int
    already_recorded: Annotated[int, UNLESS_EMPTY]
    new_versions: Annotated[int, UNLESS_EMPTY]
    forgotten: Annotated[int, UNLESS_EMPTY]
    """Number of turns left out because they were forgotten before."""
    private: Annotated[int, UNLESS_EMPTY] = 0
    """Number of turns left out because they were said in a private time."""
    private_since: Annotated[int | None, HIDDEN] = None
    """Start of the private time that is on, UTC epoch ms; None without one."""
    turns: Annotated[tuple[RecordedTurn, ...], Shown("turn_ids", write=_list_ids)]
    redactions: Annotated[dict[str, int], UNLESS_EMPTY]
    """Number of secrets taken out, by kind, and of passages left out (`FORGOTTEN_PASSAGE`)."""
    stripped: Annotated[int, UNLESS_EMPTY]
    """Number of private or injected blocks taken out."""
    closed_segments: Annotated[int, UNLESS_EMPTY]
    made: Annotated[int, HIDDEN] = 0
    """Number of memories that rules have made of the turns."""
    changes: Annotated[tuple[MemoryChange, ...], HIDDEN] = ()
    """Memories that rules have changed, or marked as contradicted, because of the turns."""


class TurnRecord(Value):
    """A turn with its other versions and the turns beside it."""

    turn: StoredTurn
    versions: tuple[StoredTurn, ...]
    """Newest first."""
    before: tuple[StoredTurn, ...]
    after: tuple[StoredTurn, ...]
    condition: Condition | None = None
    """Condition under which the turn was told."""
    attachments: tuple[AttachmentRecord, ...] = ()
    """Files of the message; of an attachment's own turn, that file."""


class Session(Value):
    """A conversation as one source numbers it. Times are UTC epoch milliseconds."""

    n: int
    source: str
    session_id: str
    first_at: int
    last_at: int
    turns: int
    agent_turns: int = 0
    """Upper bound of the number of turns that only an agent has told."""


class Segment(Value):
    """A segment of a session: consecutive turns that an episode sums up."""

    ordinal: int
    first_index: int
    last_index: int
    closed_by: str | None
    """`session_end`, `compaction`, `idle` or `overflow`; None while the segment is open."""


class SessionRecord(Value):
    """A page of a session."""

    session_id: str
    total: int
    """Number of turns of the whole session."""
    turns: tuple[StoredTurn, ...]
    """Turns of a page that may be in an answer."""
    segments: tuple[Segment, ...]
    confided: frozenset[str] = frozenset()
    """Ids of the turns that were told in confidence."""


class CompletedTask(Value):
    """A task that was done, or left for another task."""

    task: str
    at: Moment


class Scratchpad(Value):
    """The scratchpad of a session."""

    session_id: str
    current_focus: str | None
    last_day: Annotated[str | None, HIDDEN] = None
    """Day on which the task in hand was last worked on, if before today."""
    updated_at: Moment
    completed: tuple[CompletedTask, ...]
    """Newest first, five at most."""
