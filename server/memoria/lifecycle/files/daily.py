"""A day as Markdown: its conversations, their summaries, and what became of memories."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from memoria.model import from_millis
from memoria.model.day import DayMemory, DayNotes, DaySession

_MS_PER_MINUTE = 60_000
_MARK_CHARS = 8
_OPENED, _INERT = "<!--", "‹!--"


def list_events(notes: DayNotes, offset_minutes: int) -> str:
    """What happened in a day, as lists; an empty text if nothing did.

    Args:
        notes: of the day.
        offset_minutes: how far its clocks were ahead of UTC.
    """
    parts = {
        "Conversations": [_session_line(each, offset_minutes) for each in notes.sessions],
        "What they came to": list(map(_memory_line, notes.episodes)),
        "Learnt": list(map(_memory_line, notes.learnt)),
        "Changed": list(map(_memory_line, notes.changed)),
        "Put aside": list(map(_memory_line, notes.archived)),
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


def _memory_line(memory: DayMemory) -> str:
    return f"- {_one_line(memory.content)} <!-- m:{memory.id[-_MARK_CHARS:]} -->"


def _one_line(text: str) -> str:
    """A text in one line, so that a forget finds it, and without a comment that hides others."""
    return " ".join(text.split()).replace(_OPENED, _INERT)
