"""Answers as plain text, a line a memory: what a model without structured content reads."""

from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar

from memoria.bare.projects import find_place
from memoria.language.reading.fences import fence_block, join_lines
from memoria.language.words.document import as_text
from memoria.model import (
    AdjacentTurn,
    Memory,
    MemoryChange,
    MemoryVersion,
    Receipt,
    RelatedStatement,
    RememberResult,
    Scratchpad,
    SearchResult,
    StoredTurn,
    TurnRecord,
    Validity,
    to_iso,
)
from memoria.model.attachment import AttachmentRecord
from memoria.model.memory import SOURCE_TURN, LocalSpan
from memoria.model.metadata import MetadataValue
from memoria.model.turn import FORGOTTEN_PASSAGE
from memoria.retrieval.answer.cite import neighbour
from memoria.retrieval.answer.form import indent_words, write_line
from memoria.retrieval.answer.notes import write_answer

_HOME: ContextVar[str | None] = ContextVar("home whose projects are told", default=None)


def show_places_in(home: str) -> None:
    """Set the home whose projects `tell_place` looks up."""
    _HOME.set(home)


def tell_place(project: str) -> str:
    """Return the folder of a project, or its name."""
    home = _HOME.get()
    return project if home is None else find_place(home, project)


PRIVATE_NOTE = (
    "private time is on in this project: nothing of its sessions is kept until the user ends it "
    "with `memoria private off`; searching works as before"
)


def result_text(result: SearchResult) -> str:
    """Render a search's answer for a model, which names the tools to call next."""
    return write_answer(result)


def memory_text(memory: Memory) -> str:
    """Render a memory with its history."""
    flags = list_marks(memory, "verified", "not verified by the user")
    flags += [scope_phrase(memory.project)] if memory.workspace else []
    flags += [f"{memory.upvotes} up"] if memory.upvotes else []
    flags += [f"{memory.downvotes} down"] if memory.downvotes else []
    lines = [write_line(f"[memory {memory.id}]", indent_words(memory.content), flags)]
    lines += [f"  {detail}" for detail in _memory_details(memory)]
    lines += [f"  files it speaks of: {memory.ground.phrase}"] if memory.ground else []
    lines += [f"  contradicts {statement_text(other)}" for other in memory.contradicts]
    lines += [f"  outdated: see [memory {one}]" for one in memory.outdated_by]
    if memory.later is not None:
        said = indent_words(memory.later.content)
        lines.append(f"  said later, {memory.later.when}: “{said}” [{memory.later.id}]")
    lines += [
        f"  {link.relation} [{link.kind} {link.id}] “{indent_words(link.text)}”"
        for link in memory.links
        if link.relation != "contradicts"
    ]
    lines += [_version_text(version) for version in memory.versions]
    return "\n".join(lines)


def list_marks(memory: Memory, verified: str, unverified: str = "") -> list[str]:
    """List what every face shows of a memory: its type, status, condition, pin and verification.

    Args:
        memory: the memory.
        verified: word for a memory that the user has verified.
        unverified: word for any other memory; none by default.
    """
    marks = (
        memory.type.value,
        validity_word(memory),
        memory.condition,
        "pinned" if memory.pinned else None,
        verified if memory.verified else unverified,
    )
    return [mark for mark in marks if mark]


def validity_word(memory: Memory) -> str:
    """Return a memory's status in a word; contradicted or outdated go before active."""
    if memory.validity is not Validity.ACTIVE:
        return memory.validity.value
    if memory.contradicts:
        return Validity.CONTRADICTED.value
    return "outdated" if memory.outdated_by else memory.validity.value


def _memory_details(memory: Memory) -> Iterator[str]:
    """Yield a memory's scores, span, task, subject and entities."""
    yield f"importance {memory.importance:.2f}, confidence {memory.confidence:.2f}"
    if memory.local is not None:
        yield _describe_span(memory.local)
    if memory.task is not None:
        alone = " alone" if memory.sole_task else ""
        yield f"of the task{alone}: {indent_words(memory.task)}"
    if memory.subject is not None:
        yield f"about {join_lines(' · '.join(filter(None, (memory.subject, memory.predicate))))}"
    if memory.entities:
        yield f"names {join_lines(', '.join(memory.entities))}"
    if memory.metadata:
        yield f"metadata: {describe_metadata(memory.metadata)}"


def describe_metadata(metadata: Mapping[str, MetadataValue]) -> str:
    """Return metadata in a line: `ticket=T-12, tools=git · pytest`."""
    pairs = (
        f"{key}={' · '.join(one) if isinstance(one, list) else as_text(one)}"
        for key, one in metadata.items()
    )
    return join_lines(", ".join(pairs))


def _describe_span(span: LocalSpan) -> str:
    """Return in words when a memory holds."""
    end = "" if span.until is None else f" until {_describe_end(span)}"
    if span.replaced is not None:
        return f"held from {span.since}{end}, and was replaced on {span.replaced}"
    return f"holds from {span.since}{end}"


def _describe_end(span: LocalSpan) -> str:
    last = "" if span.last_day is None else f" ({span.last_day} is the last day)"
    return f"{span.until}{last}"


def revision_note(memory: Memory) -> str | None:
    """Return a note on a correction that waits or drops an end; None if there is none."""
    if memory.validity is Validity.PENDING_CONFIRMATION:
        return (
            "What the user has confirmed or pinned stays as it is. This waits until they confirm "
            "it (`memoria revise ID confirm`)."
        )
    if memory.former_end is None:
        return None
    return (
        f"The former wording was to end on {to_iso(memory.former_end)}; this one has no end. If it "
        "has one, correct it once more with until."
    )


def turn_record_text(record: TurnRecord, offset: int, chars: int) -> str:
    """Render a turn with its neighbours, or a page of a long turn."""
    turn = record.turn
    lines = [_neighbour_text(neighbour(t)) for t in record.before]
    old = "" if turn.current else " (edited since; superseded)"
    old += f" ({record.condition})" if record.condition else ""
    lines.append(f"[turn {turn.id}] {turn_citation(turn)}{old}")
    lines.append(fence_block(turn.content[offset : offset + chars]))
    if turn.tool_name or turn.tool_result is not None:
        result = as_text(turn.tool_result)[offset : offset + chars]
        call = f"{join_lines(turn.tool_name or '')}({indent_words(as_text(turn.tool_args))})"
        lines.append(f"tool {call}\n{fence_block(result)}")
    lines += [f"file {told}; {'; '.join(below)}" for told, below in list_files(record)]
    longest = max(len(turn.content), len(as_text(turn.tool_result)))
    if offset + chars < longest:
        lines.append(f"(of {longest} characters; continue with offset={offset + chars})")
    lines += [_neighbour_text(neighbour(t)) for t in record.after]
    lines += [f"version {t.version}: {indent_words(t.content)}" for t in other_versions(record)]
    return "\n".join(lines)


def list_files(record: TurnRecord) -> list[tuple[str, list[str]]]:
    """List the files of a message, or an attachment, each with the ids by which it is looked up."""
    return [
        (attachment_text(one), [f"turn {one.id}", f"sent with turn {one.message_id}"])
        for one in record.attachments
    ]


def attachment_text(attachment: AttachmentRecord) -> str:
    """Return what is told of a file: its name, type and size, and why it is not kept."""
    size = "" if attachment.size is None else f", {attachment.size:,} bytes"
    lack = f"; not kept: {attachment.not_kept}" if attachment.not_kept else ""
    name = join_lines(attachment.name or "a file")
    return f"{name} ({attachment.media_type}{size}{lack})"


def other_versions(record: TurnRecord) -> list[StoredTurn]:
    """List a turn's other versions, newest first."""
    return [version for version in record.versions if version.n != record.turn.n]


def redactions_text(redactions: Mapping[str, int]) -> tuple[int, str]:
    """Return the number of passages left out as forgotten, and the redacted secrets by kind."""
    secrets = {**redactions}
    omitted = secrets.pop(FORGOTTEN_PASSAGE, 0)
    return omitted, ", ".join(f"{kind} ×{count}" for kind, count in secrets.items())


def secrets_sentence(redactions: Mapping[str, int]) -> str:
    """Return redacted secrets in words, as "1 secret was redacted: password"; empty for none."""
    secrets = {kind: n for kind, n in redactions.items() if kind != FORGOTTEN_PASSAGE}
    count = sum(secrets.values())
    kinds = ", ".join(kind if n == 1 else f"{kind} ×{n}" for kind, n in secrets.items())
    were = "secret was" if count == 1 else "secrets were"
    return f"{count} {were} redacted: {kinds}" if secrets else ""


def receipt_text(receipt: Receipt) -> str:
    """Render a receipt in a sentence."""
    parts = [f"{receipt.recorded} recorded"]
    if receipt.already_recorded:
        parts.append(f"{receipt.already_recorded} were on record already")
    if receipt.new_versions:
        parts.append(f"{receipt.new_versions} edited")
    if receipt.forgotten:
        parts.append(f"{receipt.forgotten} left out: forgotten before")
    if receipt.private:
        parts.append(f"{receipt.private} left out: said in private time")
    if omitted := receipt.redactions.get(FORGOTTEN_PASSAGE):
        parts.append(f"{omitted} passages left out of turns: forgotten before")
    if secrets := secrets_sentence(receipt.redactions):
        parts.append(secrets)
    if receipt.stripped:
        parts.append(f"{receipt.stripped} private or injected blocks left out")
    if receipt.closed_segments:
        parts.append("segment closed")
    notes = [f"note: {note}" for note in receipt_notes(receipt)]
    return "\n".join([f"{'; '.join(parts)}. Receipt {receipt.id}", *notes])


def receipt_notes(receipt: Receipt) -> list[str]:
    """List sentences on memories that the turns changed, and on turns that were not kept."""
    private = [] if receipt.private_since is None else [PRIVATE_NOTE]
    return private + [
        f"[memory {change.id}] “{indent_words(change.content)}” {note}"
        for change in receipt.changes
        for note in _change_notes(change)
    ]


def remember_text(kept: RememberResult) -> str:
    """Render the outcome of a statement."""
    head = f"{kept.status.replace('_', ' ')} [memory {kept.id}]: {indent_words(kept.content)}"
    return "\n".join([head, *(f"note: {note}" for note in remember_notes(kept))])


def remember_notes(kept: RememberResult) -> list[str]:
    """List sentences on what a statement replaces or contradicts, its end and its scope."""
    notes = _change_notes(kept) + _questions(kept)
    if kept.local is not None and kept.local.until is not None:
        notes.append(f"it holds until {_describe_end(kept.local)}")
    if kept.former_end is not None:
        notes.append(
            f"the end of what it replaces, {to_iso(kept.former_end)}, is dropped: this has no end "
            "(revise_memory with until gives it one)"
        )
    if secrets := secrets_sentence(kept.redactions):
        notes.append(secrets)
    notes += [f"noted for the task “{indent_words(kept.task)}”"] if kept.task else []
    if SOURCE_TURN in kept.ignored:
        notes.append("the turn that was named does not say this, so it is not shown as its source")
    named = ", ".join(one for one in kept.ignored if one != SOURCE_TURN)
    if named:
        notes.append(f"the user has confirmed it as it is, so it does not take on {named}")
    if kept.superseded_by is not None:
        notes.append(f"it is history: what holds since is {statement_text(kept.superseded_by)}")
    if kept.status == "pending":
        notes.append("it waits until the user confirms it (`memoria revise ID confirm`)")
    elif kept.contradicts:
        notes.append("ask the user which is true, and archive the other or correct it")
    notes.append(scope_phrase(kept.project))
    if kept.is_scope_open:
        notes[-1] += (
            "; if this is about this project alone, revise it: project"
            if kept.project is None
            else "; if this is about the user, remember it with scope=everywhere"
        )
    return notes


def _questions(kept: RememberResult) -> list[str]:
    """List questions to a statement's author: is the type right, does it replace a memory?"""
    notes = []
    if kept.guessed_type is not None:
        notes.append(f"kept as a {kept.guessed_type} by its wording; type names another")
    if kept.may_replace is not None:
        notes.append(
            f"replaces {statement_text(kept.may_replace)}? Then remember it again with supersedes; "
            "else both stand"
        )
    return notes


def _change_notes(change: RememberResult | MemoryChange) -> list[str]:
    notes = [
        f"supersedes {statement_text(former)}"
        if former.id != change.id
        else f"supersedes what it said before: “{indent_words(former.content)}”"
        for former in change.supersedes
    ]
    return notes + [f"contradicts {statement_text(other)}" for other in change.contradicts]


def scope_phrase(project: str | None) -> str:
    """Return where a memory is seen: in one project, or in every project for None."""
    return (
        "seen in every project"
        if project is None
        else f"seen in project {tell_place(project)} only"
    )


def statement_text(statement: RelatedStatement) -> str:
    """Return a memory's words, with its id."""
    return f"[memory {statement.id}] “{indent_words(statement.content)}”"


def quantity(number: int, one: str, many: str) -> str:
    """Write a number with its noun in the singular or plural."""
    return f"{number} {one if number == 1 else many}"


def scratchpad_text(pad: Scratchpad) -> str:
    """Render a session's notes as Markdown."""
    earlier = "".join(
        f"\n- until {to_iso(task.at)}: {indent_words(task.task)}" for task in pad.completed
    )
    when = f"Last worked on {pad.last_day}" if pad.last_day else "Current task"
    return (
        f"## Session {join_lines(pad.session_id)} ({to_iso(pad.updated_at)})\n"
        f"{when}: {indent_words(pad.current_focus or 'none')}{earlier}"
    )


def scratchpads_text(pads: Sequence[Scratchpad]) -> str:
    """Render scratchpads as Markdown."""
    return "\n\n".join(map(scratchpad_text, pads)) or "No task is noted."


def turn_citation(turn: StoredTurn) -> str:
    """Return a turn's citation: time, speaker, session, place."""
    message = f" message {turn.message_id}" if turn.message_id else ""
    return join_lines(
        f"{to_iso(turn.at)} {_speaker(turn)}, session {turn.session_id}{message} #{turn.turn_index}"
        f" ({turn.source}{', as an agent reported it' if turn.account == 'agent' else ''})"
    )


def _neighbour_text(beside: AdjacentTurn) -> str:
    who = join_lines(beside.speaker or beside.role)
    return f"  #{beside.turn_index} {who}: {indent_words(beside.text)}"


def _version_text(version: MemoryVersion) -> str:
    origin = version.provenance
    until = f" until {to_iso(version.valid_to)}" if version.valid_to is not None else ""
    where = f", session {origin.session_id} #{origin.turn_index}" if origin.session_id else ""
    via = join_lines((origin.client or origin.channel) + where)
    quote = (
        f" “{indent_words(origin.quote)}”"
        if origin.quote and origin.quote != version.content
        else ""
    )
    return (
        f"  v{version.version} from {to_iso(version.valid_from)}{until}: "
        f"{indent_words(version.content)}"
        f" ({origin.source_kind}, {origin.trust}, via {via})"
        f"{quote}"
    )


def _speaker(turn: StoredTurn) -> str:
    return turn.speaker or turn.role.value
