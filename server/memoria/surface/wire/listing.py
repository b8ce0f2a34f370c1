"""A page of memories or sessions as structured data."""

from collections.abc import Sequence

from pydantic import BaseModel

from memoria.language.words.document import full_text
from memoria.model import Memory, MemoryPage, SessionPage, SessionSummary, to_iso
from memoria.model.condition import Condition
from memoria.model.session import SessionRecord
from memoria.surface.text import validity_word
from memoria.surface.wire.record import WireLater, wire_later


class WireListedMemory(BaseModel):
    """A memory in a list."""

    id: str
    text: str
    type: str
    validity: str
    valid_from: str
    verified: bool
    pinned: bool | None = None
    condition: str | None = None
    task: str | None = None
    subject: str | None = None
    workspace: str | None = None
    later: WireLater | None = None


class WireMemoryPage(BaseModel):
    """A page of memories."""

    total: int
    elsewhere: int
    withheld: int | None = None
    memories: list[WireListedMemory]
    quotes: list[str] | None = None
    """Wishes of the user in a conversation, of which no memory was made."""


class WireListedSession(BaseModel):
    """A session in a list."""

    session_id: str
    client: str
    first_at: str
    last_at: str
    turns: int
    memories: int
    opening: str
    workspace: str | None = None


class WireSessionPage(BaseModel):
    """A page of sessions."""

    total: int
    elsewhere: int
    sessions: list[WireListedSession]


class WireSessionTurn(BaseModel):
    """A turn of a session."""

    id: str
    turn_index: int
    role: str
    speaker: str | None = None
    at: str
    text: str
    condition: str | None = None


class WireSession(BaseModel):
    """A page of a session's turns."""

    session_id: str
    total: int
    turns: list[WireSessionTurn]


def wire_session(record: SessionRecord) -> WireSession:
    """Describe a page of a session's turns."""
    turns = [
        WireSessionTurn(
            id=turn.id,
            turn_index=turn.turn_index,
            role=turn.role.value,
            speaker=turn.speaker,
            at=to_iso(turn.at),
            text=full_text(turn),
            condition=Condition.CONFIDED if turn.id in record.confided else None,
        )
        for turn in record.turns
    ]
    return WireSession(session_id=record.session_id, total=record.total, turns=turns)


def wire_memory_page(page: MemoryPage, quotes: Sequence[str]) -> WireMemoryPage:
    """Describe a page of memories, with quotes of the user's."""
    return WireMemoryPage(
        total=page.total,
        elsewhere=page.elsewhere,
        withheld=page.withheld or None,
        memories=list(map(_wire_memory, page.memories)),
        quotes=list(quotes) or None,
    )


def wire_session_page(page: SessionPage) -> WireSessionPage:
    """Describe a page of sessions."""
    listed = list(map(_wire_session, page.sessions))
    return WireSessionPage(total=page.total, elsewhere=page.elsewhere, sessions=listed)


def _wire_memory(memory: Memory) -> WireListedMemory:
    return WireListedMemory(
        id=memory.id,
        text=memory.content,
        type=memory.type.value,
        validity=validity_word(memory),
        valid_from=to_iso(memory.current.valid_from),
        verified=memory.verified,
        pinned=memory.pinned or None,
        condition=memory.condition,
        task=memory.task,
        subject=memory.subject,
        workspace=memory.workspace,
        later=wire_later(memory),
    )


def _wire_session(session: SessionSummary) -> WireListedSession:
    times = {name: to_iso(getattr(session, name)) for name in ("first_at", "last_at")}
    return WireListedSession(**session.model_dump(exclude={*times}), **times)
