"""Records whole, for a person at a terminal: a memory, a turn, the life of a memory."""

from collections.abc import Iterable, Iterator, Sequence

from memoria.model import AuditEntry, EdgeType, Evidence, Memory, StoredTurn, Validity
from memoria.model.provenance import Bond, History, MemoryRecord, TurnOrigin, Wording
from memoria.retrieval.cite import neighbour
from memoria.surface.cli import phrases as say
from memoria.surface.cli.layout import DATED, entry, wrapped
from memoria.surface.text import counted, other_versions
from memoria.text.document import as_text

_MOST_LINKS = 20


def memory_account(record: MemoryRecord, width: int) -> str:
    """A memory with all it rests on and what it is linked with."""
    memory = record.memory
    lines = [*_headline(memory, width), *_particulars(record, width)]
    lines += _titled("Wordings, newest first", _wordings(record, width), width)
    again = [one for one in record.evidence if one.version is None]
    turns = counted(len({one.turn_id for one in record.evidence}), "turn", "turns")
    lines += _titled(f"Said again; it rests on {turns}", _said_again(again, width), width)
    return "\n".join([*lines, *_titled("Linked with", linked(_further(record), width), width)])


def review_account(records: Sequence[MemoryRecord], width: int) -> str:
    """What waits for the user's word, why, and what it stands against."""
    if not records:
        return "Nothing waits for your word."
    lines = [line for record in records for line in (*_waiting(record, width), "")]
    asked = "memoria revise ID confirm makes it count, memoria revise ID archive puts it aside."
    return "\n".join([*lines, *wrapped(asked, width)])


def _waiting(record: MemoryRecord, width: int) -> Iterator[str]:
    memory = record.memory
    yield from wrapped(memory.content, width)
    yield from wrapped(f"memory {memory.id}", width, 2)
    yield from entry("why", [say.reason(memory.flag or "it was put aside")], width, 2)
    yield from entry("said", say.said(record.wordings[0]), width, 2)
    for bond in record.bonds:
        if bond.edge.type is EdgeType.CONTRADICTS:
            yield from entry("against", [bond.other.text, f"memory {bond.other.id}"], width, 2)


def turn_account(origin: TurnOrigin, width: int) -> str:
    """A turn with its neighbours and what was drawn from it."""
    turn = origin.record.turn
    lines = wrapped(f"{turn.speaker or turn.role.value}, {say.moment(turn.at)} UTC", width)
    lines += wrapped(f"turn {turn.id}", width)
    lines += [line for part in _standing(turn) for line in wrapped(part, width)]
    lines += _titled("", wrapped(turn.content, width, 2) if turn.content else [], width)
    lines += _titled("Tool", _tool(turn, width), width)
    edits = (entry(f"version {t.version}", [t.content], width, 2) for t in _others(origin))
    lines += _titled("Other versions", [line for edit in edits for line in edit], width)
    lines += _titled("Before", _beside(origin.record.before, width), width)
    lines += _titled("After", _beside(origin.record.after, width), width)
    lines += _titled("Drawn from it", _in_brief(origin.memories, width), width)
    lines += _titled("Says again", _in_brief(origin.says_again, width), width)
    return "\n".join(
        [*lines, *_titled("Summed up in", _in_brief(origin.summed_up_in, width), width)]
    )


def history_account(history: History, width: int) -> str:
    """The life of a memory, oldest first."""
    memory = history.memory
    lines = [*_headline(memory, width), ""]
    for event in history.events:
        lines += _event(event, memory, width)
    lines += entry("now", [_now(memory)], width, 0, DATED)
    return "\n".join([*lines, "", "Times are UTC."])


def linked(bonds: Iterable[Bond], width: int) -> Iterator[str]:
    """Links, those with the same other end together."""
    ends: dict[str, list[Bond]] = {}
    for bond in bonds:
        ends.setdefault(bond.other.id, []).append(bond)
    for own in list(ends.values())[:_MOST_LINKS]:
        other = own[0].other
        told = [say.other_end(other), *say.circumstances(own)]
        below = f"{other.kind} {other.id}"
        yield from entry(say.relations(own), [", ".join(told), below, say.sureness(own)], width, 2)
    if len(ends) > _MOST_LINKS:
        yield from wrapped(f"and {len(ends) - _MOST_LINKS} more; --json has them", width, 2)


def _in_brief(memories: Iterable[Memory], width: int) -> Iterator[str]:
    """Memories in two lines or so each."""
    for memory in memories:
        kind = f"{memory.type.value.replace('_', ' ')}, {memory.validity.value.replace('_', ' ')}"
        yield from wrapped(memory.content, width, 2)
        yield from wrapped(f"{kind}; memory {memory.id}", width, 4)


def _headline(memory: Memory, width: int) -> list[str]:
    return [
        *wrapped(memory.content, width),
        *wrapped(say.standing(memory), width),
        *wrapped(f"memory {memory.id}", width),
    ]


def _particulars(record: MemoryRecord, width: int) -> Iterator[str]:
    memory = record.memory
    votes = [f"{memory.upvotes} up"] * bool(memory.upvotes)
    votes += [f"{memory.downvotes} down"] * bool(memory.downvotes)
    of = " · ".join(filter(None, (memory.subject, memory.predicate)))
    expires = None if memory.expires_at is None else say.moment(memory.expires_at)
    used = counted(memory.use_count, "time", "times") if memory.use_count else None
    told = {
        "held back": say.held_back(memory),
        "sums up": None if record.sums_up is None else say.stretch(record.sums_up),
        "subject": of,
        "happened": say.happened(memory.current),
        "expires": expires,
        "task": memory.task,
        "workspace": memory.workspace,
        "weighs": f"importance {memory.importance:.2f}, confidence {memory.confidence:.2f}",
        "used": used,
        "votes": ", ".join(votes),
    }
    for label, text in told.items():
        if text:
            yield from entry(label, [text], width, 2)


def _wordings(record: MemoryRecord, width: int) -> Iterator[str]:
    validity = record.memory.validity
    for wording in record.wordings:
        version = wording.version
        told = [version.content, say.window(version, validity), say.concluded(version)]
        yield from entry(f"v{version.version}", [*told, *say.said(wording)], width, 2)


def _said_again(again: Iterable[Evidence], width: int) -> Iterator[str]:
    for one in again:
        words = [] if one.quote is None else [say.quotation(one.quote)]
        told = [*words, say.place(one), f"turn {one.turn_id}"]
        yield from entry(say.moment(one.at), told, width, 2, DATED)


def _further(record: MemoryRecord) -> Iterator[Bond]:
    """Links but those to turns that are listed already."""
    listed = {one.turn_id for one in record.evidence}
    for bond in record.bonds:
        if not (bond.edge.type is EdgeType.DERIVED_FROM and bond.other.id in listed):
            yield bond


def _standing(turn: StoredTurn) -> Iterator[str]:
    yield f"{say.turn_place(turn)}, trust {turn.trust.value}"
    if turn.workspace is not None:
        yield f"workspace {turn.workspace}"
    if not turn.current:
        yield "edited since; this is what it said before"
    if turn.barred:
        yield "nothing is concluded from it any more: what it said was forgotten"


def _tool(turn: StoredTurn, width: int) -> Iterator[str]:
    if turn.tool_name or turn.tool_args is not None or turn.tool_result is not None:
        yield from wrapped(f"{turn.tool_name or 'tool'}({as_text(turn.tool_args)})", width, 2)
        yield from wrapped(as_text(turn.tool_result), width, 4)


def _others(origin: TurnOrigin) -> list[StoredTurn]:
    return other_versions(origin.record)


def _beside(turns: Iterable[StoredTurn], width: int) -> Iterator[str]:
    for beside in map(neighbour, turns):
        who = f"#{beside.turn_index} {beside.speaker or beside.role.value}"
        yield from entry(who, [beside.text.rstrip()], width, 2)


def _event(event: Wording | Evidence | AuditEntry, memory: Memory, width: int) -> list[str]:
    match event:
        case Wording(version=version):
            held = say.window(version, memory.validity)
            told = [f"v{version.version}  {version.content}", say.concluded(version), held]
            return entry(
                say.moment(version.ingested_at), [*told, *say.said(event)], width, 0, DATED
            )
        case Evidence():
            words = [] if event.quote is None else [say.quotation(event.quote)]
            told = ["said again", *words, say.place(event), f"turn {event.turn_id}"]
            return entry(say.moment(event.noted_at), told, width, 0, DATED)
        case AuditEntry():
            return entry(say.moment(event.at), [say.done(event)], width, 0, DATED)


def _now(memory: Memory) -> str:
    held = say.held_back(memory)
    waits = memory.validity is Validity.PENDING_CONFIRMATION and held is not None
    return f"waits: {held}" if waits else say.standing(memory)


def _titled(title: str, lines: Iterable[str], width: int) -> list[str]:
    """A part with its title; nothing of it where it is empty."""
    part = list(lines)
    return ["", *(wrapped(title, width) if title else []), *part] if part else []
