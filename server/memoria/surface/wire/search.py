"""Answers of a search as structured data: what goes over the wire, and what `--json` prints.

Every answer has a twin in `text`: some clients show a model the structured content, others only the
text, so each stands alone.
"""

from typing import Any, Literal

from pydantic import BaseModel, JsonValue

from memoria.model import AdjacentTurn, Hit, HitSource, SearchResult
from memoria.surface.text import answer_notes


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
    account: str | None = None


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


def wire_source(source: HitSource, *, of: str) -> WireSource:
    """A source on the wire; a turn's own id is not said twice."""
    fields = source.model_dump(mode="json", exclude_none=True)
    return WireSource(**{k: v for k, v in fields.items() if (k, v) != ("turn_id", of)})


def wire_neighbour(beside: AdjacentTurn) -> WireNeighbour:
    """A turn beside a hit or beside another turn."""
    return WireNeighbour(**beside.model_dump(mode="json"))


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
        "source": wire_source(hit.source, of=hit.id),
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
        before=[wire_neighbour(n) for n in hit.before] or None,
        after=[wire_neighbour(n) for n in hit.after] or None,
    )
