"""Records whole, for a terminal: a memory, its history, a turn."""

from collections.abc import Iterable, Iterator, Sequence

from memoria.language.words.document import as_text
from memoria.model import AuditEntry, EdgeType, Evidence, Memory, StoredTurn, Validity
from memoria.model.provenance import (
    IncidentEdge,
    MemoryHistory,
    MemoryRecord,
    SourcedVersion,
    TurnOrigin,
)
from memoria.retrieval.answer.cite import neighbour
from memoria.surface.cli import phrases as say
from memoria.surface.cli.layout import DATED, entry_lines, wrap_text
from memoria.surface.cli.times import moment
from memoria.surface.text import (
    describe_metadata,
    list_files,
    other_versions,
    quantity,
    scope_phrase,
)

_MOST_LINKS = 20


def render_memory(record: MemoryRecord, width: int) -> str:
    """Render a memory with its evidence and its links."""
    memory = record.memory
    lines = [*_headline(memory, width), *_detail_lines(record, width)]
    lines += _section("Wordings, newest first", _wording_lines(record, width), width)
    further = [one for one in record.evidence if one.version is None]
    turns = quantity(len({one.turn_id for one in record.evidence}), "turn", "turns")
    lines += _section(
        f"Further evidence; it rests on {turns}", _evidence_lines(further, width), width
    )
    return "\n".join(
        [*lines, *_section("Linked with", link_lines(_other_links(record), width), width)]
    )


def render_review(
    pending: Sequence[MemoryRecord],
    contradicted: Sequence[Memory],
    moved: Sequence[Memory],
    width: int,
) -> str:
    """Render memories to confirm, those that contradict each other, and those whose files moved."""
    if not (pending or contradicted or moved):
        return "No memory waits for your confirmation."
    lines = [line for record in pending for line in (*_pending_lines(record, width), "")]
    for memory in contradicted:
        lines += [*_contradiction_lines(memory, width), ""]
    for memory in moved:
        lines += [*_headline(memory, width), *entry_lines("files", [say.files(memory)], width, 2)]
        lines += [""]
    commands = "memoria revise ID confirm makes a memory count, memoria revise ID archive hides it."
    return "\n".join([*lines, *wrap_text(commands, width)])


def _contradiction_lines(memory: Memory, width: int) -> Iterator[str]:
    yield from wrap_text(memory.content, width)
    yield from wrap_text(say.cite("memory", memory.id), width, 2)
    yield from entry_lines("reason", ["both cannot be true, and nobody has said which"], width, 2)
    for other in memory.contradicts:
        yield from entry_lines(
            "contradicts", [other.content, say.cite("memory", other.id)], width, 2
        )


def _pending_lines(record: MemoryRecord, width: int) -> Iterator[str]:
    memory = record.memory
    yield from wrap_text(memory.content, width)
    yield from wrap_text(say.cite("memory", memory.id), width, 2)
    yield from entry_lines("reason", [say.flag_reason(memory.flag or "not known")], width, 2)
    yield from entry_lines("source", say.source_lines(record.versions[0]), width, 2)
    for incident in record.edges:
        if incident.edge.type is EdgeType.CONTRADICTS:
            yield from entry_lines(
                "contradicts",
                [incident.other.text, say.cite("memory", incident.other.id)],
                width,
                2,
            )


def render_turn(origin: TurnOrigin, width: int) -> str:
    """Render a turn with its neighbours and the memories that rest on it."""
    turn = origin.record.turn
    lines = wrap_text(f"{turn.speaker or turn.role.value}, {moment(turn.at)}", width)
    lines += wrap_text(say.cite("turn", turn.id), width)
    lines += wrap_text(origin.record.condition, width) if origin.record.condition else []
    lines += [line for part in _turn_status(turn) for line in wrap_text(part, width)]
    lines += _section("", wrap_text(turn.content, width, 2) if turn.content else [], width)
    lines += _section("Tool", _tool_lines(turn, width), width)
    edits = [(f"version {t.version}", [t.content]) for t in other_versions(origin.record)]
    for title, own in (("Files", list_files(origin.record)), ("Other versions", edits)):
        lines += _section(title, [line for e in own for line in entry_lines(*e, width, 2)], width)
    lines += _section("Before", _neighbour_lines(origin.record.before, width), width)
    lines += _section("After", _neighbour_lines(origin.record.after, width), width)
    lines += _section("Memories from it", _brief_lines(origin.memories, width), width)
    lines += _section("Evidence for", _brief_lines(origin.restated_memories, width), width)
    return "\n".join(
        [*lines, *_section("Episodes of it", _brief_lines(origin.episodes, width), width)]
    )


def render_history(history: MemoryHistory, width: int) -> str:
    """Render the history of a memory, oldest first."""
    memory = history.memory
    lines = [*_headline(memory, width), ""]
    for event in history.events:
        lines += _event_lines(event, memory, width)
    lines += entry_lines("now", [_current_status(memory)], width, 0, DATED)
    return "\n".join(lines)


def link_lines(edges: Iterable[IncidentEdge], width: int) -> Iterator[str]:
    """Yield the lines of links; links with one other end stand together."""
    ends: dict[str, list[IncidentEdge]] = {}
    for incident in edges:
        ends.setdefault(incident.other.id, []).append(incident)
    for own in list(ends.values())[:_MOST_LINKS]:
        other = own[0].other
        target = [say.link_target(other), *say.circumstances(own)]
        below = say.cite(other.kind, other.id)
        yield from entry_lines(
            say.relations(own), [", ".join(target), below, say.certainty(own)], width, 2
        )
    if len(ends) > _MOST_LINKS:
        yield from wrap_text(f"and {len(ends) - _MOST_LINKS} more; --json has them", width, 2)


def _brief_lines(memories: Iterable[Memory], width: int) -> Iterator[str]:
    """Yield memories in about two lines each."""
    for memory in memories:
        kind = say.type_and_validity(memory)
        yield from wrap_text(memory.content, width, 2)
        yield from wrap_text(f"{kind}; {say.cite('memory', memory.id)}", width, 4)


def _headline(memory: Memory, width: int) -> list[str]:
    return [
        *wrap_text(memory.content, width),
        *wrap_text(say.status_phrase(memory), width),
        *wrap_text(say.cite("memory", memory.id), width),
    ]


def _detail_lines(record: MemoryRecord, width: int) -> Iterator[str]:
    memory = record.memory
    votes = [f"{memory.upvotes} up"] * bool(memory.upvotes)
    votes += [f"{memory.downvotes} down"] * bool(memory.downvotes)
    expires = None if memory.expires_at is None else moment(memory.expires_at)
    used = quantity(memory.use_count, "time", "times") if memory.use_count else None
    details = {
        "pending": say.confirmation_reason(memory),
        "covers": None if record.turn_range is None else say.segment_place(record.turn_range),
        "files": say.files(memory),
        "subject": " · ".join(filter(None, (memory.subject, memory.predicate))),
        "happened": say.event_time(memory.current),
        "expires": expires,
        "task": memory.task,
        "metadata": describe_metadata(memory.metadata),
        "workspace": memory.workspace,
        "scope": scope_phrase(memory.project) if memory.workspace else None,
        "confirmed": say.confirmation(record.last_confirmed),
        "scores": f"importance {memory.importance:.2f}, confidence {memory.confidence:.2f}",
        "weighed": record.weighing.why if record.weighing else None,
        "used": used,
        "votes": ", ".join(votes),
    }
    for label, text in details.items():
        if text:
            yield from entry_lines(label, [text], width, 2)


def _wording_lines(record: MemoryRecord, width: int) -> Iterator[str]:
    validity = record.memory.validity
    for wording in record.versions:
        version = wording.version
        lines = [
            version.content,
            say.validity_window(version, validity),
            say.inference_phrase(version),
        ]
        yield from entry_lines(
            f"v{version.version}", [*lines, *say.source_lines(wording)], width, 2
        )


def _evidence_lines(evidence: Iterable[Evidence], width: int) -> Iterator[str]:
    for one in evidence:
        words = [] if one.quote is None else [say.quotation(one.quote)]
        lines = [*words, say.evidence_place(one), say.cite("turn", one.turn_id)]
        yield from entry_lines(moment(one.at), lines, width, 2, DATED)


def _other_links(record: MemoryRecord) -> Iterator[IncidentEdge]:
    """Yield a memory's links, except those to turns listed as evidence."""
    listed = {one.turn_id for one in record.evidence}
    for incident in record.edges:
        if not (incident.edge.type is EdgeType.DERIVED_FROM and incident.other.id in listed):
            yield incident


def _turn_status(turn: StoredTurn) -> Iterator[str]:
    yield f"{say.turn_position(turn)}, trust {turn.trust.value}"
    if turn.workspace is not None:
        yield f"workspace {turn.workspace}"
    if turn.metadata:
        yield f"metadata: {describe_metadata(turn.metadata)}"
    if not turn.current:
        yield "edited since; this is a former version"
    if turn.suppressed:
        yield "suppressed: what it said was forgotten, so nothing is concluded from it"


def _tool_lines(turn: StoredTurn, width: int) -> Iterator[str]:
    if turn.tool_name or turn.tool_args is not None or turn.tool_result is not None:
        yield from wrap_text(f"{turn.tool_name or 'tool'}({as_text(turn.tool_args)})", width, 2)
        yield from wrap_text(as_text(turn.tool_result), width, 4)


def _neighbour_lines(turns: Iterable[StoredTurn], width: int) -> Iterator[str]:
    for beside in map(neighbour, turns):
        who = f"#{beside.turn_index} {beside.speaker or beside.role.value}"
        yield from entry_lines(who, [beside.text.rstrip()], width, 2)


def _event_lines(
    event: SourcedVersion | Evidence | AuditEntry, memory: Memory, width: int
) -> list[str]:
    match event:
        case SourcedVersion(version=version):
            window = say.validity_window(version, memory.validity)
            text = f"v{version.version}  {version.content}"
            lines = [text, say.inference_phrase(version), window]
            return entry_lines(
                moment(version.ingested_at), [*lines, *say.source_lines(event)], width, 0, DATED
            )
        case Evidence():
            words = [] if event.quote is None else [say.quotation(event.quote)]
            lines = [
                "further evidence",
                *words,
                say.evidence_place(event),
                say.cite("turn", event.turn_id),
            ]
            return entry_lines(moment(event.noted_at), lines, width, 0, DATED)
        case AuditEntry():
            return entry_lines(moment(event.at), [say.action_phrase(event)], width, 0, DATED)


def _current_status(memory: Memory) -> str:
    reason = say.confirmation_reason(memory)
    waits = memory.validity is Validity.PENDING_CONFIRMATION and reason is not None
    return f"waits: {reason}" if waits else say.status_phrase(memory)


def _section(title: str, lines: Iterable[str], width: int) -> list[str]:
    """Return a part's lines below its title; empty if the part is empty."""
    part = list(lines)
    return ["", *(wrap_text(title, width) if title else []), *part] if part else []
