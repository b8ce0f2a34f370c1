"""Citations: a stored row as a hit that names its place, and the turns said before and after it."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from memoria.language.reading.excerpt import ExcerptFinder, Span
from memoria.language.words.document import full_text
from memoria.memories.conditions import conditions_of_turns
from memoria.model import (
    AdjacentTurn,
    Hit,
    HitSource,
    Memory,
    MemoryVersion,
    Role,
    StoredTurn,
    ToolCall,
    Validity,
    to_iso,
)
from memoria.model.memory import Condition
from memoria.model.moments import Zone
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.ranking.candidates import MemoryWording, ScoredCandidate
from memoria.store.rows.transaction import Transaction

_NEIGHBOUR_CHARS = 300


def cite_candidate(
    plan: SearchPlan,
    candidate: ScoredCandidate,
    weights: Mapping[str, float],
    part: Span | None = None,
) -> Hit:
    """Build the hit of a candidate, its text cut where the profile wants lines.

    Args:
        plan: the search.
        candidate: what was found.
        weights: the terms asked for, with their weights where a hit is cut.
        part: the span of its text that may be shown; the whole text by default.
    """
    asked_from = plan.filters.workspace
    match candidate.document:
        case MemoryWording(memory, version):
            hit = memory_hit(memory, version, candidate.score, asked_from)
            if memory.expires_at is not None and memory.expires_at <= plan.now:
                hit = hit.model_copy(update={"status": "over"})
        case turn if plan.profile.only_unprocessed_turns:
            hit = stand_in_hit(turn, candidate.score, asked_from)
        case turn:
            hit = turn_hit(turn, candidate.score, asked_from)
    hit = _tell_local_time(hit, candidate.document, plan.options.zone)
    chars, focus = plan.profile.line_chars, candidate.candidate.passage
    if part is not None:
        hit, focus = cut_to_excerpt(hit, part), None
    if chars is None or len(hit.text) <= chars:
        return hit
    finder = ExcerptFinder(hit.text, weights, focus)
    return cut_to_excerpt(hit, finder.find(chars))


def _tell_local_time(hit: Hit, document: StoredTurn | MemoryWording, zone: Zone) -> Hit:
    """Give a hit its time in the zone of whoever asks."""
    at = document.at if isinstance(document, StoredTurn) else document.version.valid_from
    local = to_iso(at, zone)
    if local == hit.source.at:
        return hit
    return hit.model_copy(update={"source": hit.source.model_copy(update={"at": local})})


def cut_to_excerpt(hit: Hit, span: Span) -> Hit:
    """Cut the hit's text to a span; `excerpt` is the span in the stored text."""
    if span == (0, len(hit.text)):
        return hit
    (start, end), before = span, hit.excerpt[0] if hit.excerpt else 0
    return hit.model_copy(
        update={
            "text": hit.text[start:end],
            "excerpt": (before + start, before + end),
            "total_chars": hit.total_chars or len(hit.text),
        }
    )


def turn_source(turn: StoredTurn, asked_from: str | None = None) -> HitSource:
    """Return the place of a turn, with its workspace if another workspace asks."""
    return HitSource.of_known(
        {
            "at": to_iso(turn.at),
            "session_id": turn.session_id,
            "message_id": turn.message_id,
            "turn_id": turn.id,
            "turn_index": turn.turn_index,
            "role": turn.role,
            "speaker": turn.speaker,
            "client": turn.source,
            "trust": turn.trust,
            "workspace": None if turn.workspace == asked_from else turn.workspace,
            "account": "agent" if turn.account == "agent" else None,
        }
    )


def turn_hit(turn: StoredTurn, score: float, asked_from: str | None = None) -> Hit:
    """Build the hit of a turn of the record, whole."""
    tool = (
        ToolCall(name=turn.tool_name or "tool", args=turn.tool_args, result=turn.tool_result)
        if turn.tool_name or turn.tool_args is not None or turn.tool_result is not None
        else None
    )
    return _cite_turn(turn, score, asked_from, {"text": turn.content, "tool": tool})


def stand_in_hit(turn: StoredTurn, score: float, asked_from: str | None = None) -> Hit:
    """Build the hit of a turn among memories, with words and tool call as one text."""
    status = "verbatim" if turn.processed else "unprocessed"
    return _cite_turn(turn, score, asked_from, {"text": full_text(turn), "status": status})


def _cite_turn(
    turn: StoredTurn, score: float, asked_from: str | None, shown: dict[str, Any]
) -> Hit:
    return Hit.of_known(
        {
            "id": turn.id,
            "kind": "turn",
            "score": round(score, 4),
            "source": turn_source(turn, asked_from),
            "validity": None if turn.current else Validity.SUPERSEDED,
            "version": turn.version if turn.version > 1 or not turn.current else None,
            "metadata": turn.metadata,
            **shown,
        }
    )


def memory_hit(
    memory: Memory, version: MemoryVersion, score: float, asked_from: str | None = None
) -> Hit:
    """Build the hit of a wording of a memory; a former wording is marked as superseded."""
    old = version.n != memory.current.n
    workspace = None if memory.workspace == asked_from else memory.workspace
    return Hit.of_known(
        {
            "id": memory.id,
            "kind": "memory",
            "text": version.content,
            "score": round(score, 4),
            "source": memory_source(version, workspace),
            "type": memory.type,
            "is_verified": memory.verified,
            "validity": Validity.SUPERSEDED if old else memory.validity,
            "version": version.version,
            "metadata": memory.metadata,
        }
    )


def memory_source(version: MemoryVersion, workspace: str | None = None) -> HitSource:
    """Return the origin of a wording of a memory."""
    origin = version.provenance
    return HitSource.of_known(
        {
            "at": to_iso(version.valid_from),
            "session_id": origin.session_id,
            "message_id": origin.message_id,
            "turn_id": origin.turn_id,
            "turn_index": origin.turn_index,
            "role": Role.USER if origin.source_kind == "user_said" else None,
            "client": origin.client or origin.channel,
            "trust": origin.trust,
            "workspace": workspace,
        }
    )


def adjacent_turn(turn: StoredTurn, condition: Condition | None = None) -> AdjacentTurn:
    """Build a whole turn beside a hit, with the condition under which the turn was told."""
    return AdjacentTurn.of_known(
        {
            "id": turn.id,
            "turn_index": turn.turn_index,
            "role": turn.role,
            "speaker": turn.speaker,
            "text": full_text(turn),
            "condition": condition,
        }
    )


def neighbour(turn: StoredTurn) -> AdjacentTurn:
    """Build a turn beside another turn, cut to its beginning."""
    beside = adjacent_turn(turn)
    if len(beside.text) <= _NEIGHBOUR_CHARS:
        return beside
    return beside.model_copy(update={"text": f"{beside.text[:_NEIGHBOUR_CHARS]}…"})


class NeighbourTurns(NamedTuple):
    """Turns shown with a hit, each side in order."""

    before: tuple[AdjacentTurn, ...]
    after: tuple[AdjacentTurn, ...]


NO_NEIGHBOURS = NeighbourTurns((), ())


def read_neighbours(
    tx: Transaction, shown: Sequence[ScoredCandidate], reach: int
) -> list[NeighbourTurns]:
    """Read the whole turns up to `reach` places from each hit, without turns that are hits.

    A turn that stands beside two hits is returned for both.
    """
    hits = [each.document for each in shown if isinstance(each.document, StoredTurn)]
    if not hits:
        return []
    positions = tx.conversations.list_positions([turn.n for turn in hits], reach)
    taken = {(turn.session_n, turn.turn_index) for turn in hits}
    ns = [n for n, session_n, index in positions if (session_n, index) not in taken]
    near = list(tx.conversations.turns(ns).values())
    conditions = conditions_of_turns(tx, near) if near else {}
    turns = {
        (turn.session_n, turn.turn_index): adjacent_turn(turn, conditions[turn.n])
        for turn in near
        if conditions[turn.n] is not Condition.WITHHELD
    }

    def around(turn: StoredTurn, steps: range) -> tuple[AdjacentTurn, ...]:
        places = ((turn.session_n, turn.turn_index + step) for step in steps)
        return tuple(turns[place] for place in places if place in turns)

    return [
        NeighbourTurns(around(turn, range(-reach, 0)), around(turn, range(1, reach + 1)))
        for turn in hits
    ]
