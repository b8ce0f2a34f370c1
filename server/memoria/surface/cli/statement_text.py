"""Outcomes of `remember` and `revise`, for a terminal: text first, ids last."""

from collections.abc import Iterator, Sequence

from memoria.language.reading.fences import join_lines
from memoria.model import Memory, RememberResult, Revision
from memoria.model.memory import SOURCE_TURN
from memoria.store.rows.listings import INDEXED_CHARS
from memoria.surface.cli.layout import entry_of_list, hang_text
from memoria.surface.cli.phrases import memory_marks
from memoria.surface.cli.times import moment
from memoria.surface.text import revision_note, scope_phrase, secrets_sentence

_STATES = {
    "remembered": "Remembered",
    "already_known": "Known already",
    "restored": "Remembered again",
    "pending": "Waits for your word",
}
_REVISED: dict[Revision, str] = {
    "correct": "Corrected",
    "confirm": "Confirmed",
    "archive": "Archived",
    "restore": "Restored",
    "pin": "Pinned",
    "unpin": "Unpinned",
    "upvote": "Voted up",
    "downvote": "Voted down",
    "everywhere": "Seen everywhere",
    "project": "Seen in its project alone",
    "type": "Filed",
}
_SO_BEFORE: dict[Revision, str] = {
    "correct": "it said so and ended then",
    "confirm": "you had confirmed it; files it names count as of now",
    "archive": "it was archived already",
    "restore": "it was not archived",
    "pin": "it was pinned already",
    "unpin": "it was not pinned",
    "everywhere": "it was seen everywhere already",
    "project": "it was seen in its project alone already",
    "type": "it was of this type already",
}


def render_statement(
    kept: RememberResult,
    memory: Memory,
    width: int,
    undo: str | None = None,
    further: Sequence[str] = (),
) -> str:
    """Render the outcome of a statement: its type, its end, what it replaces or contradicts.

    Args:
        kept: outcome of the statement.
        memory: the memory as it is now.
        width: of the terminal.
        undo: the command that takes it back.
        further: notes on where it was kept.
    """
    kind = memory.type.value.replace("_", " ")
    article = "an" if kind[0] in "aeiou" else "a"
    lines = [f"{_STATES[kept.status]} as {article} {kind}, {scope_phrase(kept.project)}:"]
    lines += entry_of_list(join_lines(kept.content), [_short(kept.id)], width, _details(kept))
    for note in (*_notes(kept), *further):
        lines += hang_text(f"note: {note}", width)
    if kept.status in ("remembered", "restored") or kept.supersedes:
        lines += _offer(undo)
    return "\n".join(lines)


def render_revision(memory: Memory, action: Revision, width: int, undo: str | None = None) -> str:
    """Render a memory that was revised."""
    details = memory_marks(memory)
    details += [scope_phrase(memory.project)] if memory.workspace else []
    votes = {"up": memory.upvotes, "down": memory.downvotes}
    details += [f"{number} {way}" for way, number in votes.items() if number]
    details += [f"until {_end(memory)}"] if _end(memory) else []
    idle = idle_note(memory, action)
    before = []
    if action == "correct" and len(memory.versions) > 1 and idle is None:
        before = [f"before: {join_lines(memory.versions[1].content)}"]
    details.append(_short(memory.id))
    lines = [idle or f"{_REVISED[action]}:"]
    lines += entry_of_list(join_lines(memory.content), details, width, before)
    note = revision_note(memory) if action == "correct" else None
    lines += hang_text(f"note: {note}", width) if note else []
    return "\n".join([*lines, *([] if idle else _offer(undo))])


def _offer(undo: str | None) -> list[str]:
    return [f"Take it back: {undo}"] if undo else []


def idle_note(memory: Memory, action: Revision) -> str | None:
    """Return why a revision has changed nothing; None if it has changed something."""
    if not memory.is_unchanged:
        return None
    return f"Nothing was changed: {_SO_BEFORE.get(action, 'it was so already')}."


def _details(kept: RememberResult) -> Iterator[str]:
    """Yield what a statement replaces or contradicts, its end and its task."""
    for former in kept.supersedes:
        other = "" if former.id == kept.id else f" ({_short(former.id)})"
        yield f"replaces: {join_lines(former.content)}{other}"
    for other_memory in kept.contradicts:
        yield f"contradicts: {join_lines(other_memory.content)} ({_short(other_memory.id)})"
    if _end(kept):
        yield f"until {_end(kept)}"
    if kept.task:
        yield f"for the task: {join_lines(kept.task)}"


def _end(of: RememberResult | Memory) -> str | None:
    """Return when a memory ends; None if it has no end."""
    span = of.local
    if span is None or span.until is None:
        return None
    if span.last_day:
        return f"{span.last_day}, that day included"
    return span.until if of.expires_at is None else moment(of.expires_at)


def _notes(kept: RememberResult) -> Iterator[str]:
    """Yield further notes on a statement, with the commands to type."""
    own = _short(kept.id)
    if kept.former_end is not None:
        yield (
            f"what it replaces was to end on {moment(kept.former_end)}; this has no end. If it has "
            f"one, say it anew with --until and --supersedes {own}"
        )
    yield from _questions(kept)
    if secrets := secrets_sentence(kept.redactions):
        yield secrets
    if SOURCE_TURN in kept.ignored:
        yield "the turn that was named does not say this, so it is not shown as its source"
    named = ", ".join(one for one in kept.ignored if one != SOURCE_TURN)
    if named:
        yield f"you have confirmed it as it is, so it does not take on {named}"
    if kept.superseded_by is not None:
        yield f"it is history: what holds since is “{join_lines(kept.superseded_by.content)}”"
    if kept.status == "pending":
        yield f"it counts once you confirm it: memoria revise {own} confirm"
    elif kept.contradicts:
        yield f"if the other is wrong: memoria revise {_short(kept.contradicts[0].id)} archive"
    if kept.is_scope_open and kept.project is None:
        yield f"if this is about this project alone: memoria revise {own} project"
    elif kept.is_scope_open:
        yield f"if this is about you, wherever you work: memoria revise {own} everywhere"


def _questions(kept: RememberResult) -> Iterator[str]:
    """Yield questions to a statement's author: is the type right, does it replace a memory?"""
    if kept.guessed_type is not None:
        yield f"kept as a {kept.guessed_type} by its wording; --type names another"
    if kept.may_replace is not None:
        yield (
            f"if it replaces “{join_lines(kept.may_replace.content)}”: say it again with "
            f"--supersedes {_short(kept.may_replace.id)}"
        )


def _short(memory_id: str) -> str:
    return memory_id[-INDEXED_CHARS:]
