"""Days of this machine: where they begin and end."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time

from memoria.model import DAY_MS, local_date, local_offset_minutes, to_millis

_MS_PER_MINUTE = 60_000


@dataclass(frozen=True, slots=True)
class LocalDay:
    """A day between its midnights, UTC epoch ms."""

    date: date
    begin: int
    end: int
    offset_minutes: int


def local_day(at: int) -> LocalDay | None:
    """The day of a moment; None where a calendar has none."""
    found = local_date(at)
    if found is None:
        return None
    there = to_millis(datetime.combine(found, time(), UTC))
    begin, end = _midnight(there), _midnight(there + DAY_MS)
    return LocalDay(found, begin, end, local_offset_minutes(begin))


def _midnight(there: int) -> int:
    """The moment of a local midnight. The offset is asked twice: clocks may be set in between."""
    guess = there - local_offset_minutes(there) * _MS_PER_MINUTE
    return there - local_offset_minutes(guess) * _MS_PER_MINUTE
