"""A memory or a turn as structured data, whole."""

from typing import Literal

from pydantic import BaseModel

from memoria.language.words.document import as_text
from memoria.model import Memory, MemoryVersion, StoredTurn, TurnRecord, to_iso
from memoria.retrieval.answer.cite import memory_source, neighbour, turn_source
from memoria.surface.text import other_versions, validity_word
from memoria.surface.wire.search import (
    WireNeighbour,
    WireSource,
    WireTool,
    wire_neighbour,
    wire_source,
)


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
    total_chars: int | None = None
    next_offset: int | None = None
    tool: WireTool | None = None
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


def wire_lookup(memory: Memory) -> WireLookup:
    """Describe a memory with what is known of it beside its wording."""
    span = memory.local
    return WireLookup(
        **dict(wire_memory(memory)),
        importance=memory.importance,
        confidence=memory.confidence,
        valid_from=None if span is None else span.since,
        valid_to=None if span is None else span.replaced,
        expires_at=None if span is None else span.until,
        last_day=None if span is None else span.last_day,
        task=memory.task,
        subject=memory.subject,
        predicate=memory.predicate,
        scope=memory.scope,
        project=memory.project,
        entities=list(memory.entities) or None,
        links=[WireMemoryLink(**link.model_dump()) for link in memory.links] or None,
        later=wire_later(memory),
    )


def wire_later(memory: Memory) -> WireLater | None:
    """Return what was said later than a memory; None where nothing was."""
    later = memory.later
    if later is None:
        return None
    return WireLater(id=later.id, when=later.when, text=later.content)


def wire_memory(memory: Memory) -> WireRecord:
    """Describe a memory whole."""
    return WireRecord(
        id=memory.id,
        kind="memory",
        text=memory.content,
        source=wire_source(memory_source(memory.current, memory.workspace), of=memory.id),
        type=memory.type.value,
        validity=validity_word(memory),
        pinned=memory.pinned or None,
        verified=memory.verified,
        condition=memory.condition,
        versions=[wire_wording(version) for version in memory.versions],
    )


def wire_turn(record: TurnRecord, offset: int, chars: int) -> WireRecord:
    """Describe a turn whole, or a page of it when it is long."""
    turn = record.turn
    total = max(len(turn.content), len(as_text(turn.tool_result)))
    end = offset + chars
    return WireRecord(
        id=turn.id,
        kind="turn",
        text=turn.content[offset:end],
        source=wire_source(turn_source(turn), of=turn.id),
        validity=None if turn.current else "superseded",
        condition=record.condition,
        total_chars=total if offset or end < total else None,
        next_offset=end if end < total else None,
        tool=_tool_page(turn, offset, chars),
        versions=[_turn_wording(version) for version in other_versions(record)] or None,
        before=[wire_neighbour(neighbour(other)) for other in record.before] or None,
        after=[wire_neighbour(neighbour(other)) for other in record.after] or None,
    )


def wire_wording(version: MemoryVersion) -> WireWording:
    """Describe a wording with where it came from."""
    return WireWording(
        version=version.version,
        text=version.content,
        valid_from=to_iso(version.valid_from),
        valid_to=None if version.valid_to is None else to_iso(version.valid_to),
        quote=None if version.provenance.quote == version.content else version.provenance.quote,
        source=wire_source(memory_source(version), of=""),
    )


def _turn_wording(turn: StoredTurn) -> WireWording:
    return WireWording(
        version=turn.version,
        text=turn.content,
        valid_from=to_iso(turn.ingested_at),
        source=wire_source(turn_source(turn), of=turn.id),
    )


def _tool_page(turn: StoredTurn, offset: int, chars: int) -> WireTool | None:
    if turn.tool_name is None and turn.tool_args is None and turn.tool_result is None:
        return None
    result = as_text(turn.tool_result)
    page = result[offset : offset + chars]
    cut = len(page) < len(result)
    return WireTool(
        name=turn.tool_name or "tool",
        args=turn.tool_args,
        result=page if cut else turn.tool_result,
        cut=cut or None,
    )
