"""Answers as structured data: what goes over the wire and what `--json` prints.

Times are ISO 8601, absent values are left out. Every answer has a twin in `text`: some clients
show a model the structured content, others only the text, so each stands alone.
"""

from collections.abc import Iterable
from typing import Any, Literal

from pydantic import BaseModel, JsonValue

from memoria.model import (
    AdjacentTurn,
    ForgetResult,
    Hit,
    HitSource,
    Memory,
    MemoryVersion,
    Receipt,
    RememberResult,
    Scratchpad,
    SearchResult,
    StoredTurn,
    TurnRecord,
    to_iso,
)
from memoria.retrieval.answer.cite import memory_source, neighbour, turn_source
from memoria.surface.text import answer_notes, forget_notes, other_versions
from memoria.text.document import as_text


class WireSource(BaseModel):
    """Where a hit stands."""

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


class WireTool(BaseModel):
    """A tool call."""

    name: str
    args: JsonValue = None
    result: JsonValue = None
    cut: bool | None = None


class WireNeighbour(BaseModel):
    """A turn beside a hit."""

    turn_index: int
    role: str
    speaker: str | None = None
    text: str


class WireHit(BaseModel):
    """A result of either level."""

    id: str
    kind: Literal["memory", "turn"]
    text: str
    score: float
    source: WireSource
    validity: str | None = None
    version: int | None = None
    excerpt: list[int] | None = None


class WireConclusion(WireHit):
    """A first-level result."""

    type: str | None = None
    status: str | None = None


class WireTrace(WireHit):
    """A second-level result."""

    tool: WireTool | None = None
    before: list[WireNeighbour] | None = None
    after: list[WireNeighbour] | None = None


class WireAnswer(BaseModel):
    """What either level's answer says beside its hits."""

    omitted: int | None = None
    hidden: int | None = None
    notes: list[str] | None = None


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
    total_chars: int | None = None
    next_offset: int | None = None
    tool: WireTool | None = None
    versions: list[WireWording] | None = None
    before: list[WireNeighbour] | None = None
    after: list[WireNeighbour] | None = None


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


class WireRememberResult(BaseModel):
    """What became of a statement."""

    id: str
    status: Literal["remembered", "already_known", "restored"]
    redactions: dict[str, int] | None = None


class WireForgetResult(BaseModel):
    """What was forgotten, and what could not be reached."""

    memories: list[str]
    turns_erased: list[str] | None = None
    turns_suppressed: list[str] | None = None
    notes: list[str] | None = None


class WireReceipt(BaseModel):
    """Proof that turns are on disk."""

    receipt_id: str
    recorded: int
    already_recorded: int
    new_versions: int
    forgotten: int | None = None
    turn_ids: list[str]
    redactions: dict[str, int] | None = None
    stripped: int | None = None
    closed_segments: int | None = None


class WireScratchpad(BaseModel):
    """A session's notes."""

    session_id: str
    current_focus: str | None = None
    completed: list[str]


class WireTask(BaseModel):
    """A task that is done or was left."""

    task: str
    at: str


class WireNotes(BaseModel):
    """A session's notes with the time of their last change."""

    session_id: str
    current_focus: str | None = None
    updated_at: str
    completed: list[WireTask]


class WireScratchpads(BaseModel):
    """The notes of some sessions."""

    scratchpads: list[WireNotes]


def wire_conclusions(result: SearchResult) -> WireConclusions:
    """A first-level answer."""
    return WireConclusions(
        hits=[
            WireConclusion(**_hit_fields(hit), type=hit.type, status=hit.status)
            for hit in result.hits
        ],
        **_answer_fields(result),
    )


def wire_traces(result: SearchResult) -> WireTraces:
    """A second-level answer."""
    return WireTraces(hits=[_wire_trace(hit) for hit in result.hits], **_answer_fields(result))


def wire_revision(memory: Memory, note: str | None = None) -> WireRevision:
    """A memory after a revision."""
    return WireRevision(
        id=memory.id,
        text=memory.content,
        validity=memory.validity,
        version=memory.current.version,
        pinned=memory.pinned,
        verified=memory.verified,
        upvotes=memory.upvotes,
        downvotes=memory.downvotes,
        note=note,
    )


def wire_memory(memory: Memory) -> WireRecord:
    """A memory whole."""
    return WireRecord(
        id=memory.id,
        kind="memory",
        text=memory.content,
        source=_wire_source(memory_source(memory.current, memory.workspace), of=memory.id),
        type=memory.type.value,
        validity=memory.validity.value,
        pinned=memory.pinned or None,
        verified=memory.verified,
        versions=[wire_wording(version) for version in memory.versions],
    )


def wire_turn(record: TurnRecord, offset: int, chars: int) -> WireRecord:
    """A turn whole, or a page of it when it is long."""
    turn = record.turn
    total = max(len(turn.content), len(as_text(turn.tool_result)))
    end = offset + chars
    return WireRecord(
        id=turn.id,
        kind="turn",
        text=turn.content[offset:end],
        source=_wire_source(turn_source(turn), of=turn.id),
        validity=None if turn.current else "superseded",
        total_chars=total if offset or end < total else None,
        next_offset=end if end < total else None,
        tool=_tool_page(turn, offset, chars),
        versions=[_turn_wording(version) for version in other_versions(record)] or None,
        before=[_wire_neighbour(neighbour(other)) for other in record.before] or None,
        after=[_wire_neighbour(neighbour(other)) for other in record.after] or None,
    )


def wire_remember_result(kept: RememberResult) -> WireRememberResult:
    """What became of a statement."""
    return WireRememberResult(id=kept.id, status=kept.status, redactions=kept.redactions or None)


def wire_forget_result(forgotten: ForgetResult) -> WireForgetResult:
    """What was forgotten."""
    return WireForgetResult(
        memories=list(forgotten.memories),
        turns_erased=list(forgotten.turns_erased) or None,
        turns_suppressed=list(forgotten.turns_suppressed) or None,
        notes=forget_notes(forgotten) or None,
    )


def wire_receipt(receipt: Receipt) -> WireReceipt:
    """A receipt."""
    return WireReceipt(
        receipt_id=receipt.id,
        recorded=receipt.recorded,
        already_recorded=receipt.already_recorded,
        new_versions=receipt.new_versions,
        forgotten=receipt.forgotten or None,
        turn_ids=[turn.id for turn in receipt.turns if turn.id is not None],
        redactions=receipt.redactions or None,
        stripped=receipt.stripped or None,
        closed_segments=receipt.closed_segments or None,
    )


def wire_scratchpad(pad: Scratchpad) -> WireScratchpad:
    """A session's notes."""
    return WireScratchpad(
        session_id=pad.session_id,
        current_focus=pad.current_focus,
        completed=[f"{to_iso(task.at)} {task.task}" for task in pad.completed],
    )


def wire_scratchpads(pads: Iterable[Scratchpad]) -> WireScratchpads:
    """The notes of some sessions, with every time."""
    return WireScratchpads(scratchpads=[_wire_notes(pad) for pad in pads])


def _wire_notes(pad: Scratchpad) -> WireNotes:
    return WireNotes(
        session_id=pad.session_id,
        current_focus=pad.current_focus,
        updated_at=to_iso(pad.updated_at),
        completed=[WireTask(task=done.task, at=to_iso(done.at)) for done in pad.completed],
    )


def _answer_fields(result: SearchResult) -> dict[str, Any]:
    return {
        "omitted": result.omitted or None,
        "hidden": result.hidden or None,
        "notes": answer_notes(result) or None,
    }


def _hit_fields(hit: Hit) -> dict[str, Any]:
    return {
        "id": hit.id,
        "kind": hit.kind,
        "text": hit.text,
        "score": hit.score,
        "source": _wire_source(hit.source, of=hit.id),
        "validity": hit.validity if hit.validity != "active" else None,
        "version": hit.version if hit.version != 1 else None,
        "excerpt": None if hit.excerpt is None else list(hit.excerpt),
    }


def _wire_trace(hit: Hit) -> WireTrace:
    tool = hit.tool
    return WireTrace(
        **_hit_fields(hit),
        tool=None
        if tool is None
        else WireTool(name=tool.name, args=tool.args, result=tool.result, cut=tool.cut or None),
        before=[_wire_neighbour(n) for n in hit.before] or None,
        after=[_wire_neighbour(n) for n in hit.after] or None,
    )


def _wire_source(source: HitSource, *, of: str) -> WireSource:
    """A source on the wire; a turn's own id is not said twice."""
    fields = source.model_dump(mode="json", exclude_none=True)
    return WireSource(**{k: v for k, v in fields.items() if (k, v) != ("turn_id", of)})


def _wire_neighbour(beside: AdjacentTurn) -> WireNeighbour:
    return WireNeighbour(**beside.model_dump(mode="json"))


def wire_wording(version: MemoryVersion) -> WireWording:
    """A wording with where it came from."""
    return WireWording(
        version=version.version,
        text=version.content,
        valid_from=to_iso(version.valid_from),
        valid_to=None if version.valid_to is None else to_iso(version.valid_to),
        quote=None if version.provenance.quote == version.content else version.provenance.quote,
        source=_wire_source(memory_source(version), of=""),
    )


def _turn_wording(turn: StoredTurn) -> WireWording:
    return WireWording(
        version=turn.version,
        text=turn.content,
        valid_from=to_iso(turn.ingested_at),
        source=_wire_source(turn_source(turn), of=turn.id),
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
