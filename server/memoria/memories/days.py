"""Days as models read them: the day on which something was said, and the last on which it holds.

A turn that was given with an offset is of that offset's day, and so is what was concluded from it;
anything else is of a day of the home's zone.
"""

from datetime import time, timedelta, timezone

from memoria.model import Memory, StoredTurn, from_millis
from memoria.model.memory import LocalSpan
from memoria.model.zone import Zone


def zone_of_turn(turn: StoredTurn, zone: Zone) -> Zone:
    """Return the zone a turn was said in.

    Args:
        turn: the turn.
        zone: the home's, where the turn was given without an offset.
    """
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
    """Return the day since when a memory holds: mostly the one it was said on."""
    return date_of(memory.current.valid_from, _zone_of_memory(memory, zone))


def last_date(memory: Memory, expires_at: int, zone: Zone) -> str:
    """Return the last day on which a memory holds that expires at a moment."""
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
