"""Answers of a search as structured data: what goes over the wire, and what `--json` prints.

Every answer has a twin in `text`: some clients show a model the structured content, others only the
text, so each stands alone.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, Literal

from pydantic import BaseModel, JsonValue

from memoria.model import AdjacentTurn, Hit, HitSource, SearchResult
from memoria.retrieval.answer.form import short_id
from memoria.retrieval.answer.notes import describe_fit, list_notes


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
    restated_by: str | None = None
    condition: str | None = None
    shown_as: str | None = None
    later_than: str | None = None
    earlier: bool | None = None


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
    """Part of either level's answer beside its hits."""

    answered: bool
    omitted: int | None = None
    beyond_limit: int | None = None
    hidden: int | None = None
    notes: list[str] | None = None


class WireConclusions(WireAnswer):
    """A first-level answer, best first."""

    hits: list[WireConclusion]


class WireTraces(WireAnswer):
    """A second-level answer, best first."""

    hits: list[WireTrace]


def wire_conclusions(result: SearchResult) -> WireConclusions:
    """Describe a first-level answer."""
    return WireConclusions(
        hits=[
            WireConclusion(**_hit_fields(hit, result.id_chars), type=hit.type, status=hit.status)
            for hit in result.hits
        ],
        **_answer_fields(result),
    )


def wire_traces(result: SearchResult) -> WireTraces:
    """Describe a second-level answer."""
    return WireTraces(
        hits=[_wire_trace(hit, result.id_chars) for hit in result.hits], **_answer_fields(result)
    )


def wire_source(source: HitSource, *, of: str) -> WireSource:
    """Describe a source; a turn's own id is not said twice."""
    fields = source.model_dump(mode="json", exclude_none=True)
    return WireSource(**{k: v for k, v in fields.items() if (k, v) != ("turn_id", of)})


def wire_neighbour(beside: AdjacentTurn) -> WireNeighbour:
    """Describe a turn beside a hit or beside another turn."""
    return WireNeighbour(**beside.model_dump(mode="json"))


def _answer_fields(result: SearchResult) -> dict[str, Any]:
    return {
        "answered": result.answered,
        "omitted": result.omitted or None,
        "beyond_limit": result.beyond_limit or None,
        "hidden": result.hidden or None,
        "notes": [*describe_fit(result), *_list_marks(result.hits), *list_notes(result)] or None,
    }


def _list_marks(hits: Sequence[Hit]) -> Iterator[str]:
    """Yield what speaks against hits, a sentence for each pair and each hit."""
    kinds = {hit.id: hit.kind for hit in hits}
    pairs = {frozenset(pair): pair for hit in hits for pair in product([hit.id], hit.contradicts)}
    for one, other in pairs.values():
        names = [f"[{kinds.get(each, 'memory')} {each}]" for each in (one, other)]
        is_of_memories = "turn" not in {kinds[one], kinds.get(other)}
        both = f"{' and '.join(names)} cannot both be true; ask the user which is"
        yield f"{both}, and archive the other" if is_of_memories else both
    for hit in hits:
        if hit.restated_by:
            newer = f"[{kinds.get(hit.restated_by, 'turn')} {hit.restated_by}]"
            yield f"[{hit.kind} {hit.id}] is out of date: {newer} states the same anew"
        if hit.outdated_by:
            others = ", ".join(f"[memory {one}]" for one in hit.outdated_by)
            yield f"[memory {hit.id}] rests on something that has changed since: see {others}"


def _hit_fields(hit: Hit, id_chars: int) -> dict[str, Any]:
    return {
        "id": hit.id,
        "cite": f"{hit.kind} {short_id(hit.id, id_chars)}",
        "kind": hit.kind,
        "text": hit.text,
        "score": hit.score,
        "source": wire_source(hit.source, of=hit.id),
        "validity": hit.validity if hit.validity != "active" else None,
        "version": hit.version if hit.version != 1 else None,
        "excerpt": None if hit.excerpt is None else list(hit.excerpt),
        "total_chars": hit.total_chars,
        "superseded_part": hit.superseded_part,
        "contradicts": list(hit.contradicts) or None,
        "outdated_by": list(hit.outdated_by) or None,
        "restated_by": hit.restated_by,
        "condition": hit.condition,
        "shown_as": hit.shown_as,
        "later_than": hit.later_than,
        "earlier": hit.is_earlier or None,
    }


def _wire_trace(hit: Hit, id_chars: int) -> WireTrace:
    tool = hit.tool
    return WireTrace(
        **_hit_fields(hit, id_chars),
        tool=None
        if tool is None
        else WireTool(name=tool.name, args=tool.args, result=tool.result, cut=tool.cut or None),
        before=[wire_neighbour(n) for n in hit.before] or None,
        after=[wire_neighbour(n) for n in hit.after] or None,
    )
