"""Rhythms: what comes back every week or every day, told from when it was said.

Days are those of the machine's zone. However often something is said in a day, the day counts once
for a weekly rhythm. Four of four weeks could be chance if any two days of a week would do, so what
counts is the share that falls on one weekday and how few weeks in between are without it.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memoria.model import DAY_MS
from memoria.model.instant import local_offset_minutes
from memoria.text.script import is_cjk

Offset = Callable[[int], int]
"""How many minutes local time is ahead of UTC at a moment."""

_MINUTE_MS = 60_000
_DAY_MINUTES = 24 * 60
_WEEK = 7
_EPOCH_WEEKDAY = 3  # 1 January 1970 was a Thursday; weeks begin on Monday
_LEAST_WEEKS = 4
_ON_ONE_WEEKDAY = 0.75
_WEEKS_WITH_IT = 0.5
"""Of those from the first to the last: four Mondays in a year are no rhythm."""
_LEAST_DAYS = 5
_DAYS_WITH_IT = 5 / 7
_LATELY_DAYS = 28
"""A habit of every day is told from its last four weeks, for it may have begun in between."""
_WITHIN_MINUTES = 3 * 60
_WEEKDAYS = "Mondays Tuesdays Wednesdays Thursdays Fridays Saturdays Sundays".split()
_WEEKDAYS_ZH = "一二三四五六日"


@dataclass(frozen=True, slots=True)
class Weekly:
    """It comes back on one day of the week."""

    weekday: int
    """0 is Monday."""
    share: float
    """Of the days it was spoken of: how many were that weekday."""


@dataclass(frozen=True, slots=True)
class Daily:
    """It comes back every day, at about the same time."""

    minute: int
    """The earliest minute of the local day."""
    until: int
    """The latest."""
    share: float
    """Of the days since it began: how many had it at that time."""


Rhythm = Weekly | Daily


def rhythm(instants: Sequence[int], offset: Offset = local_offset_minutes) -> Rhythm | None:
    """The rhythm in which something was spoken of, if there is one.

    Args:
        instants: when, UTC epoch milliseconds, in any order.
        offset: the zone whose days are meant.
    """
    local = sorted({instant + offset(instant) * _MINUTE_MS for instant in instants})
    return _daily(local) or _weekly({moment // DAY_MS for moment in local})


def _weekly(days: set[int]) -> Weekly | None:
    if len(days) < _LEAST_WEEKS:
        return None
    weekday, hits = min(Counter(map(_weekday, days)).items(), key=lambda pair: (-pair[1], pair[0]))
    weeks = [day // _WEEK for day in days if _weekday(day) == weekday]
    spanned = max(weeks) - min(weeks) + 1
    often = hits >= _LEAST_WEEKS and hits >= _WEEKS_WITH_IT * spanned
    share = hits / len(days)
    return Weekly(weekday, share) if often and share >= _ON_ONE_WEEKDAY else None


def _weekday(day: int) -> int:
    return (day + _EPOCH_WEEKDAY) % _WEEK


def _daily(local: Sequence[int]) -> Daily | None:
    moments = [moment for moment in local if local[-1] - moment < _LATELY_DAYS * DAY_MS]
    if len(moments) < _LEAST_DAYS:
        return None
    start, days = _best_window(moments)
    spanned = max(_WEEK, len(days), _spanned(moments, start))
    if len(days) < max(_LEAST_DAYS, _DAYS_WITH_IT * spanned):
        return None
    inside = [(_minute(moment) - start) % _DAY_MINUTES for moment in moments]
    latest = max(minute for minute in inside if minute <= _WITHIN_MINUTES)
    return Daily(start, (start + latest) % _DAY_MINUTES, len(days) / spanned)


def _spanned(moments: Sequence[int], start: int) -> int:
    """The days from the first to the last; one that goes on past midnight ends where it ends."""
    ends = ((moments[0] - shift, moments[-1] - shift) for shift in (0, start * _MINUTE_MS))
    return min(last // DAY_MS - first // DAY_MS + 1 for first, last in ends)


def _best_window(moments: Sequence[int]) -> tuple[int, set[int]]:
    """The three hours of the day, past midnight too, in which it came on most days."""
    found: tuple[int, set[int]] = (0, set())
    for start in sorted(set(map(_minute, moments))):
        near = [m for m in moments if (_minute(m) - start) % _DAY_MINUTES <= _WITHIN_MINUTES]
        days = {_day(moment, start) for moment in near}
        if len(days) > len(found[1]):
            found = (start, days)
    return found


def _day(moment: int, start: int) -> int:
    """The day of a moment, where days begin at a minute of the clock's day."""
    return (moment - start * _MINUTE_MS) // DAY_MS


def _minute(moment: int) -> int:
    return moment % DAY_MS // _MINUTE_MS


def sentence(found: Rhythm, content: str) -> str:
    """What is said of a rhythm, in the language of what it was found in.

    Args:
        found: the rhythm.
        content: what comes back, a sentence that stands by itself.
    """
    return f"通常{_when_zh(found)}：{content}" if is_cjk(content) else f"{_when(found)}: {content}"


def _when(found: Rhythm) -> str:
    if isinstance(found, Weekly):
        return f"Usually on {_WEEKDAYS[found.weekday]}"
    return f"Usually every day between {_clock(found.minute)} and {_clock(_next(found.until))}"


def _when_zh(found: Rhythm) -> str:
    if isinstance(found, Weekly):
        return f"每周{_WEEKDAYS_ZH[found.weekday]}"
    return f"每天{_clock(found.minute)}到{_clock(_next(found.until))}之间"


def _clock(minute: int) -> str:
    """The hour that a minute is in."""
    return f"{minute // 60}:00"


def _next(minute: int) -> int:
    """The hour after a minute."""
    return (minute // 60 + 1) * 60 % _DAY_MINUTES
