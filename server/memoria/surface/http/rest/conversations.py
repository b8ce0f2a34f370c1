"""Conversations: taking them in, and reading sessions, turns and scratchpads."""

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from memoria.errors import NotFoundError, shorten
from memoria.model import Scratchpad, SessionListing, SessionPage, now_millis
from memoria.model.access import Access
from memoria.model.attachment import AttachmentFile
from memoria.model.base import write_document
from memoria.model.metadata import NO_METADATA, Metadata
from memoria.model.moments import from_millis
from memoria.surface.documents import (
    Document,
    write_receipt,
    write_scratchpad,
    write_session,
    write_turn,
)
from memoria.surface.http.rest.shown import build_shown_model
from memoria.surface.http.rest.table import EXAMPLE_IDS, Order, RestCaller, RestRoute
from memoria.surface.mcp.shapes import WireReceipt, WireRecord, WireScratchpad
from memoria.surface.mcp.tools import WireTurn

_TOKEN_CHARS = 8
_LONGEST_NAME = 500
SessionName = Annotated[str, Field(min_length=1, max_length=_LONGEST_NAME)]
_Characters = Annotated[int, Field(ge=1, le=100_000)]
_Offset = Annotated[int, Field(ge=0, le=2**31)]
_Neighbours = Annotated[int, Field(ge=0, le=1_000)]


class IngestedTurn(WireTurn):
    """A turn to keep, with fields of the caller's own."""

    metadata: Metadata = NO_METADATA
    """Texts, numbers, truths and lists of texts by their names."""


class IngestOrder(Order):
    """Turns to keep verbatim."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [
                {"required": ["turns"], "properties": {"turns": {"minItems": 1}}},
                {"required": ["event"], "properties": {"event": {"type": "string"}}},
            ]
        }
    )

    turns: list[IngestedTurn] = Field(default_factory=list)
    event: Literal["session_end", "compaction"] | None = None
    """The conversation ends, or its client is about to compact it."""
    session_id: SessionName | None = None
    """Session of turns that name none; by default one of this token and day."""
    workspace: str | None = None


class SessionOrder(Order):
    """A page of a session."""

    session_id: SessionName
    """Its id, or the beginning of it."""
    offset: _Offset = 0
    limit: Annotated[int, Field(ge=1, le=1_000)] = 200


class TurnOrder(Order):
    """A turn, or a page of a long one."""

    turn_id: Annotated[str, Field(min_length=1)]
    offset: _Offset = 0
    """In characters."""
    max_chars: _Characters = 12_000
    context: _Neighbours = 2
    """Turns before and after it."""


class AttachmentOrder(Order):
    """A file that came with a message."""

    turn_id: Annotated[str, Field(min_length=1)]
    """Turn of the file, or of a message that came with no other."""


class ScratchpadsOrder(Order):
    """The scratchpads that were touched last."""

    limit: Annotated[int, Field(ge=1, le=1_000)] = 3


class ScratchpadOrder(Order):
    """The scratchpad of a session."""

    session_id: SessionName


class ScratchpadChange(ScratchpadOrder):
    """A change of a scratchpad: the task in hand, or one that is done."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [
                {"required": [name], "properties": {name: {"type": "string"}}}
                for name in ("current_focus", "completed")
            ]
        }
    )

    current_focus: str | None = None
    """The task in hand; empty for none."""
    completed: str | None = None
    """A task that is done."""


class SessionTurn(BaseModel):
    """A turn in a session."""

    id: str
    turn_index: int
    role: str
    speaker: str | None = None
    at: str
    text: str
    condition: str | None = None
    metadata: dict[str, JsonValue] | None = None


class SessionTurns(BaseModel):
    """A page of a session's turns."""

    session_id: str
    total: int
    """Number of turns of the whole session."""
    turns: list[SessionTurn]


class ScratchpadList(BaseModel):
    """ScratchpadList, the one touched last first."""

    scratchpads: list[build_shown_model(Scratchpad)]  # type: ignore[valid-type]  # made of a value


async def ingest(caller: RestCaller, order: IngestOrder) -> Document:
    """Keep turns; a call's key gives those an id that have none."""
    turns = [turn.model_dump(exclude_none=True) for turn in order.turns]
    at = now_millis()
    if caller.key is not None:
        noted = await caller.memory.note_call(caller.key, json.dumps(order.model_dump()))
        at = noted.at  # a repetition on another day joins the session of the first call
        numbered = enumerate(turns)
        turns = [{"message_id": f"{caller.key}.{i}", **turn} for i, turn in numbered]
    of_day = f"{caller.token_id[-_TOKEN_CHARS:]} {from_millis(at):%Y-%m-%d}"
    receipt = await caller.memory.record_conversation(
        turns, order.event, session_id=order.session_id or of_day, workspace=order.workspace
    )
    return write_receipt(receipt)


async def list_sessions(caller: RestCaller, order: SessionListing) -> Document:
    """List sessions."""
    return (await caller.memory.list_sessions(order)).to_json()


async def get_session(caller: RestCaller, order: SessionOrder) -> Document:
    """Return a page of a session."""
    return write_session(
        await caller.memory.get_session(order.session_id, offset=order.offset, limit=order.limit)
    )


async def get_turn(caller: RestCaller, order: TurnOrder) -> Document:
    """Return a turn, or a page of it."""
    record = await caller.memory.get_turn(order.turn_id, context=order.context)
    return write_turn(record, order.offset, order.max_chars)


async def get_attachment(caller: RestCaller, order: AttachmentOrder) -> Document:
    """Return a file."""
    return (await caller.memory.get_attachment(order.turn_id)).to_json()


async def list_scratchpads(caller: RestCaller, order: ScratchpadsOrder) -> Document:
    """List scratchpads."""
    return write_document(scratchpads=await caller.memory.scratchpads(order.limit))


async def get_scratchpad(caller: RestCaller, order: ScratchpadOrder) -> Document:
    """Return the scratchpad of a session."""
    found = await caller.memory.scratchpads(session_id=order.session_id)
    if not found:
        raise NotFoundError(f"Session {shorten(order.session_id)} has no scratchpad.")
    return write_scratchpad(found[0])


async def put_scratchpad(caller: RestCaller, order: ScratchpadChange) -> Document:
    """Change the scratchpad of a session."""
    pad = await caller.memory.update_scratchpad(
        current_focus=order.current_focus, completed=order.completed, session_id=order.session_id
    )
    return write_scratchpad(pad)


ROUTES: tuple[RestRoute[Any], ...] = (
    RestRoute(
        "POST",
        "/memory/ingest",
        Access.WRITE,
        "record_conversation",
        "Keep the turns of a conversation verbatim. They are on disk when it answers.",
        IngestOrder,
        ingest,
        WireReceipt,
        {
            "session_id": EXAMPLE_IDS["session"],
            "turns": [
                {
                    "role": "user",
                    "content": "Remember that we deploy the checkout on Tuesdays only.",
                    "message_id": "1",
                },
                {"role": "assistant", "content": "Noted.", "message_id": "2"},
            ],
        },
        takes_key=True,
    ),
    RestRoute(
        "GET",
        "/memory/sessions",
        Access.READ,
        "list_sessions",
        "List the recorded sessions, the newest first.",
        SessionListing,
        list_sessions,
        build_shown_model(SessionPage),
        {"limit": 5},
    ),
    RestRoute(
        "GET",
        "/memory/sessions/{session_id:path}",
        Access.READ,
        "get_session",
        "Return a page of a session's turns, in order.",
        SessionOrder,
        get_session,
        SessionTurns,
        {"session_id": EXAMPLE_IDS["session"], "limit": 50},
    ),
    RestRoute(
        "GET",
        "/memory/turns/{turn_id}",
        Access.READ,
        "get_turn",
        "Return a turn whole, or a page of a long one, with the turns beside it.",
        TurnOrder,
        get_turn,
        WireRecord,
        {"turn_id": EXAMPLE_IDS["turn"]},
    ),
    RestRoute(
        "GET",
        "/memory/turns/{turn_id}/attachment",
        Access.READ,
        "get_attachment",
        "Return a file that came with a message, its bytes in base64.",
        AttachmentOrder,
        get_attachment,
        build_shown_model(AttachmentFile),
        {"turn_id": EXAMPLE_IDS["turn"]},
    ),
    RestRoute(
        "GET",
        "/memory/scratchpads",
        Access.READ,
        "list_scratchpads",
        "List what the latest sessions are working on.",
        ScratchpadsOrder,
        list_scratchpads,
        ScratchpadList,
        {"limit": 3},
    ),
    RestRoute(
        "GET",
        "/memory/scratchpads/{session_id:path}",
        Access.READ,
        "get_scratchpad",
        "Return what a session is working on, and the last five tasks that it finished.",
        ScratchpadOrder,
        get_scratchpad,
        WireScratchpad,
        {"session_id": EXAMPLE_IDS["session"]},
    ),
    RestRoute(
        "PUT",
        "/memory/scratchpads/{session_id:path}",
        Access.WRITE,
        "update_scratchpad",
        "Say what a session is working on, or what is done.",
        ScratchpadChange,
        put_scratchpad,
        WireScratchpad,
        {"session_id": EXAMPLE_IDS["session"], "current_focus": "Release the checkout"},
        current=get_scratchpad,
    ),
)
