"""A day as Markdown: its conversations, their summaries, and what became of memories."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from memoria.model import from_millis
from memoria.model.day import DayMemory, DayNotes, DaySession
from memoria.store.base import Transaction

_MS_PER_MINUTE = 60_000
_MARK_CHARS = 8
_OPENED, _INERT = "<!--", "‹!--"


def read_notes(tx: Transaction, begin: int, end: int) -> DayNotes:
    """What happened in a day, with what has become of it since.

    Args:
        tx: the transaction to read in.
        begin: the first moment of the day, UTC epoch ms.
        end: the first moment after it.
    """
    notes = tx.days.notes(begin, end)
    changes = tx.derivations.list_changed([one.id for one in notes.episodes])
    outdated = {change.derived_id for change in changes}
    episodes = tuple(
        one.model_copy(update={"is_outdated": one.id in outdated}) for one in notes.episodes
    )
    return notes.model_copy(update={"episodes": episodes})


def list_events(notes: DayNotes, offset_minutes: int) -> str:
    """What happened in a day, as lists; an empty text if nothing did.

    Args:
        notes: of the day.
        offset_minutes: how far its clocks were ahead of UTC.
    """
    parts = {
        "Conversations": [_session_line(each, offset_minutes) for each in notes.sessions],
        "What they came to": [_memory_line(each, offset_minutes) for each in notes.episodes],
        "Learnt": [_memory_line(each, offset_minutes) for each in notes.learnt],
        "Changed": [_memory_line(each, offset_minutes) for each in notes.changed],
        "Put aside": [_memory_line(each, offset_minutes) for each in notes.archived],
    }
    return "\n".join(_parts(parts.items()))


def render_page(day: date, sentences: Sequence[str], listed: str) -> str:
    """The file of a day.

    Args:
        day: which.
        sentences: what stands above the lists, if anything.
        listed: what `lists` gave.
    """
    above = f"{' '.join(map(_one_line, sentences))}\n\n" if sentences else ""
    return f"# {day.isoformat()}, {day:%A}\n\n{above}{listed}"


def _parts(parts: Iterable[tuple[str, list[str]]]) -> Iterator[str]:
    for title, lines in parts:
        if lines:
            yield "\n".join([f"## {title}", "", *lines, ""])


def _session_line(session: DaySession, offset: int) -> str:
    begin, end = (_clock(at, offset) for at in (session.first_at, session.last_at))
    span = begin if begin == end else f"{begin}–{end}"
    many = "1 message" if session.messages == 1 else f"{session.messages:,} messages"
    return f"- {span} {_one_line(session.source)}, {_one_line(session.session_id)}: {many}"


def _clock(at: int, offset: int) -> str:
    return f"{from_millis(at + offset * _MS_PER_MINUTE):%H:%M}"


def _memory_line(memory: DayMemory, offset: int) -> str:
    remark = " (outdated)" if memory.is_outdated else ""
    if memory.held_until is not None:
        remark = f" (until {from_millis(memory.held_until + offset * _MS_PER_MINUTE):%Y-%m-%d})"
    return f"- {_one_line(memory.content)}{remark} <!-- m:{memory.id[-_MARK_CHARS:]} -->"


def _one_line(text: str) -> str:
    """A text in one line, so that a forget finds it, and without a comment that hides others."""
    return " ".join(text.split()).replace(_OPENED, _INERT)
