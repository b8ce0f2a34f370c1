"""Answers as JSON documents, for tools and for `--json`.

Values write their own fields. Added here is what another room knows of them: where a wording came
from, how the text of a turn is paged, and the notes below an answer.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, Literal

from memoria.language.words.document import as_text, full_text
from memoria.model import (
    Hit,
    Memory,
    MemoryPage,
    MemoryVersion,
    Receipt,
    RememberResult,
    Scratchpad,
    SearchResult,
    StoredTurn,
    TurnRecord,
    to_iso,
)
from memoria.model.base import write_document
from memoria.model.conclusions import HandedIn
from memoria.model.forgetting import ForgetPreview, ForgetReport, ForgetResult
from memoria.model.memory import Condition
from memoria.model.turn import SessionRecord
from memoria.retrieval.answer.cite import memory_source, neighbour, turn_source
from memoria.retrieval.answer.form import short_id
from memoria.retrieval.answer.notes import describe_fit, list_notes
from memoria.surface.forgetting_text import forget_notes, share_notes
from memoria.surface.text import other_versions, receipt_notes, remember_notes, validity_word

Document = dict[str, Any]
"""JSON object to send or print."""
Unforgotten = Literal["preview", "declined", "unanswered", "cancelled"]
"""Reason why nothing is forgotten: it was only shown, the user said no, the client said no and may
have had nobody to ask, or the question was closed without an answer."""

LISTED = (
    *("id", "text", "type", "validity", "valid_from", "verified", "pinned", "condition"),
    *("task", "subject", "workspace", "later", "metadata"),
)
"""Fields of a memory in a list."""
_COUNTS = ("total", "elsewhere", "withheld")
_KNOWN = ("importance", "confidence")
_CARRIED = (
    *("task", "subject", "predicate", "scope", "project", "entities", "links", "later"),
    "metadata",
)
_REVISED = ("id", "text", "validity", "version", "pinned", "verified", "upvotes", "downvotes")
_PROOF = ("id", "at", "state", "purge_at", "purged_at", "items", "removed", "remaining")
_OF_TRACES = ("tool", "before", "after")
_OF_CONCLUSIONS = ("type", "status")


def write_conclusions(result: SearchResult) -> Document:
    """Return a first-level answer, best first."""
    return _write_result(result, _OF_TRACES)


def write_traces(result: SearchResult) -> Document:
    """Return a second-level answer, best first."""
    return _write_result(result, _OF_CONCLUSIONS)


def _write_result(result: SearchResult, without: Sequence[str]) -> Document:
    notes = [*describe_fit(result), *_list_marks(result.hits), *list_notes(result)]
    return write_document(
        **result.to_json("answered", "omitted", "beyond_limit", "hidden"),
        notes=notes or None,
        calls=[one.to_json() for one in result.calls] or None,
        hits=[_write_hit(hit, result.id_chars, without) for hit in result.hits],
    )


def _write_hit(hit: Hit, id_chars: int, without: Sequence[str]) -> Document:
    shown = {key: one for key, one in hit.to_json().items() if key not in without}
    return {"id": hit.id, "cite": f"{hit.kind} {short_id(hit.id, id_chars)}", **shown}


def _list_marks(hits: Sequence[Hit]) -> Iterator[str]:
    """Yield sentences on contradicted, outdated and restated hits."""
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


def write_lookup(memory: Memory) -> Document:
    """Return a memory with its scores, span, links and other fields."""
    span = {} if memory.local is None else memory.local.to_json()
    known, carried = memory.to_json(*_KNOWN), memory.to_json(*_CARRIED)
    return {**write_memory(memory), **known, **span, **carried}


def write_memory(memory: Memory) -> Document:
    """Return a memory whole."""
    return write_document(
        id=memory.id,
        kind="memory",
        text=memory.content,
        source=memory_source(memory.current, memory.workspace).to_json_beside(memory.id),
        type=memory.type,
        validity=validity_word(memory),
        pinned=memory.pinned or None,
        verified=memory.verified,
        condition=memory.condition,
        ground=memory.ground,
        versions=list(map(write_wording, memory.versions)),
    )


def write_wording(version: MemoryVersion, *, quotes_itself: bool = False) -> Document:
    """Return a wording with its source, and with the words of the source if they differ.

    Args:
        version: the wording.
        quotes_itself: whether the words of the source are shown even if they do not differ.
    """
    is_quoted = quotes_itself or not version.is_verbatim
    return write_document(
        **version.to_json("version", "text", "valid_from", "valid_to"),
        quote=version.provenance.quote if is_quoted else None,
        source=memory_source(version),
    )


def write_turn(record: TurnRecord, offset: int, chars: int) -> Document:
    """Return a turn whole, or a page of it when it is long."""
    turn = record.turn
    total = max(len(turn.content), len(as_text(turn.tool_result)))
    end = offset + chars
    return write_document(
        id=turn.id,
        kind="turn",
        text=turn.content[offset:end],
        source=turn_source(turn).to_json_beside(turn.id),
        validity=None if turn.current else "superseded",
        condition=record.condition,
        metadata=turn.metadata or None,
        total_chars=total if offset or end < total else None,
        next_offset=end if end < total else None,
        tool=_write_tool(turn, offset, chars),
        attachments=[one.to_json() for one in record.attachments] or None,
        versions=[_write_turn_wording(version) for version in other_versions(record)] or None,
        before=list(map(neighbour, record.before)) or None,
        after=list(map(neighbour, record.after)) or None,
    )


def _write_turn_wording(turn: StoredTurn) -> Document:
    return {
        "version": turn.version,
        "text": turn.content,
        "valid_from": to_iso(turn.ingested_at),
        "source": turn_source(turn).to_json_beside(turn.id),
    }


def _write_tool(turn: StoredTurn, offset: int, chars: int) -> Document | None:
    if turn.tool_name is None and turn.tool_args is None and turn.tool_result is None:
        return None
    result = as_text(turn.tool_result)
    page = result[offset : offset + chars]
    is_cut = len(page) < len(result)
    return write_document(
        name=turn.tool_name or "tool",
        args=turn.tool_args,
        result=page if is_cut else turn.tool_result,
        cut=is_cut or None,
    )


def write_revision(memory: Memory, note: str | None = None) -> Document:
    """Return a memory after a revision."""
    return write_document(**memory.to_json(*_REVISED), note=note)


def write_remembered(kept: RememberResult, further: Sequence[str] = ()) -> Document:
    """Return the outcome of a statement, with further notes."""
    return write_document(
        id=kept.id,
        status=kept.status,
        expires_at=None if kept.local is None else kept.local.until,
        task=kept.task,
        redactions=kept.redactions or None,
        notes=[*remember_notes(kept), *further],
    )


def write_handed_in(done: HandedIn) -> Document:
    """Return the outcome of several statements."""
    return write_document(
        kept=done.kept,
        refused=done.refused or None,
        unread=None if done.left is None else done.left.turns,
        next_page=None if done.left is None else done.left.next_page,
    )


def write_receipt(receipt: Receipt) -> Document:
    """Return a receipt with its notes."""
    return write_document(**receipt.to_json(), notes=receipt_notes(receipt) or None)


def write_scratchpad(pad: Scratchpad) -> Document:
    """Return a session's notes, each finished task in a line with its time."""
    done = [f"{to_iso(task.at)} {task.task}" for task in pad.completed]
    return {**pad.to_json("session_id", "current_focus"), "completed": done}


def write_memory_page(page: MemoryPage, quotes: Sequence[str]) -> Document:
    """Return a page of memories, with quotes of the user's."""
    return write_document(
        **page.to_json(*_COUNTS),
        memories=list(map(_write_listed, page.memories)),
        quotes=list(quotes) or None,
    )


def _write_listed(memory: Memory) -> Document:
    shown = memory.to_json(*LISTED)
    return write_document(
        **{**shown, "validity": validity_word(memory), "pinned": memory.pinned or None}
    )


def write_session(record: SessionRecord) -> Document:
    """Return a page of a session's turns."""
    turns = [
        write_document(
            **turn.to_json("id", "turn_index", "role", "speaker", "at", "metadata"),
            text=full_text(turn),
            condition=Condition.CONFIDED if turn.id in record.confided else None,
        )
        for turn in record.turns
    ]
    return {"session_id": record.session_id, "total": record.total, "turns": turns}


def write_preview(
    preview: ForgetPreview,
    *,
    note: str | None = None,
    command: str | None = None,
    status: Unforgotten = "preview",
    most: int | None = None,
) -> Document:
    """Return what would be forgotten, with a command in place of the token for a large forget."""
    return write_document(
        status=status,
        items=preview.items[:most],
        near=preview.near[:most] or None,
        counts=preview.counts,
        token=None if command or status == "declined" or preview.is_empty else preview.token,
        command=command,
        notes=[*share_notes(preview), *([] if note is None else [note])] or None,
    )


def write_forgotten(forgotten: ForgetResult) -> Document:
    """Return what was forgotten."""
    report = forgotten.report
    is_hidden = bool(forgotten.hidden) if report is None else report.state == "hidden"
    return write_document(
        status="hidden" if is_hidden else "forgotten",
        memories=forgotten.memories,
        turns_erased=forgotten.turns_erased or None,
        turns_suppressed=forgotten.turns_suppressed or None,
        notes=forget_notes(forgotten) or None,
        report=None if report is None else write_proof(report),
    )


def write_proof(report: ForgetReport) -> Document:
    """Return a report of a forget in short: how many rows left each index."""
    return report.to_json(*_PROOF)
