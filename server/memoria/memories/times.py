"""Times of turns and memories: the day of each, when something happened, how long it counts."""

import re
from dataclasses import dataclass
from datetime import time, timedelta, timezone

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.dates import Prefer, find_end, find_side, full_dates, times
from memoria.language.words.document import full_text
from memoria.model import Add, Memory, MemoryType, StoredTurn, Update, from_millis
from memoria.model.memory import LocalSpan
from memoria.model.moments import Zone
from memoria.policy.retention import expires_at


def zone_of_turn(turn: StoredTurn, zone: Zone) -> Zone:
    """Return the zone a turn was said in: its own offset, else `zone`, the home's."""
    return zone.at_offset(turn.at, turn.utc_offset)


def date_of(millis: int, zone: Zone) -> str:
    """Return the day of a moment in a zone: `2026-11-05`."""
    return (zone.date_of(millis) or from_millis(millis).date()).isoformat()


def day_of(turn: StoredTurn, zone: Zone) -> str:
    """Return the day a turn was said, with its weekday: `Thursday, 2026-11-05`."""
    day = zone_of_turn(turn, zone).date_of(turn.at) or from_millis(turn.at).date()
    return f"{day:%A}, {day.isoformat()}"


def date_of_turn(turn: StoredTurn, zone: Zone) -> str:
    """Return the day a turn was said: `2026-11-05`."""
    return date_of(turn.at, zone_of_turn(turn, zone))


def date_of_memory(memory: Memory, zone: Zone) -> str:
    """Return the day from which a memory holds, mostly the day on which it was said."""
    return date_of(memory.current.valid_from, _zone_of_memory(memory, zone))


def last_date(memory: Memory, expires_at: int, zone: Zone) -> str:
    """Return the last day on which a memory with this expiry holds."""
    return date_of(expires_at - 1, _zone_of_memory(memory, zone))


def local_span(memory: Memory, zone: Zone) -> LocalSpan:
    """Return the span in which a memory holds, by its speaker's clock or else in `zone`."""
    own, end = _zone_of_memory(memory, zone), memory.expires_at
    over = memory.current.valid_to
    is_midnight = end is not None and own.to_local(end).time() == time.min
    return LocalSpan(
        since=_iso_local(memory.current.valid_from, own),
        until=None if end is None else _iso_local(end, own),
        last_day=last_date(memory, end, zone) if end is not None and is_midnight else None,
        replaced=None if over is None else _iso_local(over, own),
    )


def _iso_local(millis: int, zone: Zone) -> str:
    offset = timezone(timedelta(minutes=zone.offset_minutes(millis)))
    return from_millis(millis).astimezone(offset).isoformat(timespec="seconds")


def _zone_of_memory(memory: Memory, zone: Zone) -> Zone:
    return zone.at_offset(memory.current.valid_from, memory.current.utc_offset)


_COMES_AGAIN = lazy_regex(
    r"\b(?:birthday|anniversary|name day)\b|生日|纪念日|忌日|诞辰", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class EventTime:
    """Time of an event, and the words that say so."""

    at: int | None
    expression: str | None
    comes_again: bool = False
    """True for an event of every year, such as a birthday."""


def find_event_time(
    expression: str | None, content: str, turn: StoredTurn, zone: Zone, prefer: Prefer
) -> EventTime:
    """Find the time of an event: by a full date in the conclusion, or the speaker's expression.

    A date with its year is what was concluded from everything that was said; "next Friday" may have
    been said before it was moved. Dates that come again every year are the next ones. Words that
    tell no time where they stand in the turn ("every Wednesday") tell none by themselves either.
    """
    comes_again = _COMES_AGAIN.search(content) is not None
    if comes_again:
        expression, prefer = expression or content, "future"
    told = times(expression or "", turn.at, zone, prefer=prefer)
    if expression and not _tells_time(expression, turn, zone, prefer):
        told = ()
    dates = full_dates(content, turn.at, zone)
    found = dates if len({span.from_ms for span in dates}) == 1 else told
    if not found:
        return EventTime(None, None)
    return EventTime(found[0].from_ms, (told or found)[0].expression, comes_again)


def _tells_time(expression: str, turn: StoredTurn, zone: Zone, prefer: Prefer) -> bool:
    """Return whether an expression is part of a time in its turn, or not in the turn at all."""
    text = full_text(turn)
    start = text.find(expression)
    if start < 0:
        return True
    end = start + len(expression)
    spans = times(text, turn.at, zone, prefer=prefer)
    return any(one.start < end and start < one.start + len(one.expression) for one in spans)


def find_expiry(
    proposed: Add | Update, kind: MemoryType, content: str, turn: StoredTurn, zone: Zone
) -> int | None:
    """Find when a conclusion ends: as named, or after its duration; None for never.

    Up to a full date in the conclusion it holds whatever the speaker's expression says. Where no
    end was named, a rule ends with the date to come up to which its own sentence says it holds.
    """
    dates = full_dates(content, turn.at, zone)
    sides = [find_side(content, span) for span in dates]
    lasting = expires_at(proposed.duration, turn.at)
    if proposed.until is None:
        states_end = kind.is_guide and lasting is None and sides == ["until"]
        stated = find_end(content, turn.at, zone) if states_end else None
        return lasting if stated is None or stated <= turn.at else stated
    is_open = len(dates) == 1 and sides[0] in ("until", "before")
    end = find_end(content if is_open else proposed.until, turn.at, zone)
    return lasting if end is None else end
