"""Event times: the time at which something happened, and how long a conclusion counts."""

import re
from dataclasses import dataclass

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.dates import Prefer, find_end, find_side, full_dates, times
from memoria.language.words.document import full_text
from memoria.model import Add, MemoryType, StoredTurn, Update
from memoria.model.zone import Zone
from memoria.policy.retention import expires_at

_COMES_AGAIN = lazy_regex(
    r"\b(?:birthday|anniversary|name day)\b|生日|纪念日|忌日|诞辰", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class EventTime:
    """Time of an event, and the words that say so."""

    at: int | None
    expression: str | None
    comes_again: bool = False
    """True if it is one of every year, such as a birthday."""


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
    """Return whether an expression is part of a time in its turn, as far as it stands there."""
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
    """Find the end of a conclusion: the one that was named, or after its duration; None for never.

    Up to a full date in the conclusion it holds whatever the speaker's expression says. Where no
    end was named, a rule ends with the date to come up to which its own sentence says it holds.

    Args:
        proposed: names the end or the duration.
        kind: the type of the conclusion.
        content: its sentence, as it is written.
        turn: where it was said.
        zone: the speaker's.
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
