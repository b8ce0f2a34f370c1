"""Pages of days as Markdown: conversations, their summaries, and changes of memories."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from memoria.memories.conditions import is_open
from memoria.model.day import DayMemory, DayNotes, DaySession
from memoria.model.zone import LocalDay, Zone
from memoria.store.rows.transaction import Transaction

_MARK_CHARS = 8
_OPENED, _INERT = "<!--", "‹!--"


def read_notes(tx: Transaction, day: LocalDay) -> DayNotes:
    """Read the notes of a day, marked where something has changed since."""
    notes = _without_confidences(tx, tx.days.notes(day))
    changes = tx.derivations.list_changed([one.id for one in notes.episodes])
    outdated = {change.derived_id for change in changes}
    episodes = tuple(
        one.model_copy(update={"is_outdated": one.id in outdated}) for one in notes.episodes
    )
    return notes.model_copy(update={"episodes": episodes})


def _without_confidences(tx: Transaction, notes: DayNotes) -> DayNotes:
    """Return the parts of a day's notes that may be told to a reader who has not asked."""

    def tell(told: Iterable[DayMemory]) -> tuple[DayMemory, ...]:
        pairs = ((one, tx.memories.get(one.id)) for one in told)
        return tuple(one for one, memory in pairs if memory is None or is_open(tx, memory))

    names = ("episodes", "learnt", "changed", "archived")
    return notes.model_copy(update={name: tell(getattr(notes, name)) for name in names})


def list_events(notes: DayNotes, zone: Zone) -> str:
    """List the events of a day as Markdown; an empty text if there are none.

    Args:
        notes: of the day.
        zone: by whose clock, unless a conversation has its own.
    """
    parts = {
        "Conversations": [_session_line(each, zone) for each in notes.sessions],
        "What they came to": [_memory_line(each, zone) for each in notes.episodes],
        "Learnt": [_memory_line(each, zone) for each in notes.learnt],
        "Changed": [_memory_line(each, zone) for each in notes.changed],
        "Put aside": [_memory_line(each, zone) for each in notes.archived],
    }
    return "\n".join(_parts(parts.items()))


def render_page(day: date, sentences: Sequence[str], listed: str) -> str:
    """Render the file of a day.

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


def _session_line(session: DaySession, zone: Zone) -> str:
    own = zone.at_offset(session.first_at, session.utc_offset)
    begin, end = (f"{own.to_local(at):%H:%M}" for at in (session.first_at, session.last_at))
    span = begin if begin == end else f"{begin}–{end}"
    many = "1 message" if session.messages == 1 else f"{session.messages:,} messages"
    return f"- {span} {_one_line(session.source)}, {_one_line(session.session_id)}: {many}"


def _memory_line(memory: DayMemory, zone: Zone) -> str:
    remark = " (outdated)" if memory.is_outdated else ""
    if memory.held_until is not None:
        remark = f" (until {zone.to_local(memory.held_until):%Y-%m-%d})"
    return f"- {_one_line(memory.content)}{remark} <!-- m:{memory.id[-_MARK_CHARS:]} -->"


def _one_line(text: str) -> str:
    """Return a text in one line, for a forget to find it, and without a comment that hides text."""
    return " ".join(text.split()).replace(_OPENED, _INERT)
