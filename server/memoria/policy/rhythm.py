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
_LEAST_WEEKDAY_SHARE = 0.75
_LEAST_WEEK_SHARE = 0.5
"""Of those from the first to the last: four Mondays in a year are no rhythm."""
_LEAST_DAYS = 5
_LEAST_DAY_SHARE = 5 / 7
_RECENT_DAYS = 28
"""A habit of every day is told from its last four weeks, for it may have begun in between."""
_REMEMBERED_DAYS = 84
_WITHIN_MINUTES = 3 * 60
_WEEKDAYS = "Mondays Tuesdays Wednesdays Thursdays Fridays Saturdays Sundays".split()
_WEEKDAYS_ZH = "一二三四五六日"


@dataclass(frozen=True, slots=True)
class WeeklyRhythm:
    """It comes back on one day of the week."""

    weekday: int
    """0 is Monday."""
    share: float
    """Of the days it was spoken of: how many were that weekday."""


@dataclass(frozen=True, slots=True)
class DailyRhythm:
    """It comes back every day, at about the same time."""

    minute: int
    """The earliest minute of the local day."""
    until: int
    """The latest."""
    share: float
    """Of the days since it began: how many had it at that time."""


Rhythm = WeeklyRhythm | DailyRhythm


def recent_instants(instants: Sequence[int], at: int) -> list[int]:
    """Those of some instants that tell of a rhythm at a moment.

    What was so in spring and is otherwise since is told from the last twelve weeks. Nothing is left
    where nothing was in the last four: it has stopped.

    Args:
        instants: UTC epoch milliseconds, in any order.
        at: the moment.
    """
    if max(instants, default=0) <= at - _RECENT_DAYS * DAY_MS:
        return []
    return [instant for instant in instants if instant > at - _REMEMBERED_DAYS * DAY_MS]


def find_rhythm(instants: Sequence[int], offset: Offset = local_offset_minutes) -> Rhythm | None:
    """The rhythm in which something was spoken of, if there is one.

    Args:
        instants: when, UTC epoch milliseconds, in any order.
        offset: the zone whose days are meant.
    """
    local = sorted({instant + offset(instant) * _MINUTE_MS for instant in instants})
    return _find_daily(local) or _find_weekly({moment // DAY_MS for moment in local})


def _find_weekly(days: set[int]) -> WeeklyRhythm | None:
    if len(days) < _LEAST_WEEKS:
        return None
    weekday, hits = min(Counter(map(_weekday, days)).items(), key=lambda pair: (-pair[1], pair[0]))
    weeks = [day // _WEEK for day in days if _weekday(day) == weekday]
    day_count = max(weeks) - min(weeks) + 1
    often = hits >= _LEAST_WEEKS and hits >= _LEAST_WEEK_SHARE * day_count
    share = hits / len(days)
    return WeeklyRhythm(weekday, share) if often and share >= _LEAST_WEEKDAY_SHARE else None


def _weekday(day: int) -> int:
    return (day + _EPOCH_WEEKDAY) % _WEEK


def _find_daily(local: Sequence[int]) -> DailyRhythm | None:
    moments = [moment for moment in local if local[-1] - moment < _RECENT_DAYS * DAY_MS]
    if len(moments) < _LEAST_DAYS:
        return None
    start, days = _best_window(moments)
    day_count = max(_WEEK, len(days), _days_spanned(moments, start))
    if len(days) < max(_LEAST_DAYS, _LEAST_DAY_SHARE * day_count):
        return None
    inside = [(_minute(moment) - start) % _DAY_MINUTES for moment in moments]
    latest = max(minute for minute in inside if minute <= _WITHIN_MINUTES)
    share = min(1.0, len(days) / day_count)  # past midnight there is a day more than on the clock
    return DailyRhythm(start, (start + latest) % _DAY_MINUTES, share)


def _days_spanned(moments: Sequence[int], start: int) -> int:
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


def describe_rhythm(found: Rhythm, content: str) -> str:
    """What is said of a rhythm, in the language of what it was found in.

    Args:
        found: the rhythm.
        content: what comes back, a sentence that stands by itself.
    """
    return (
        f"通常{_chinese_phrase(found)}：{content}"
        if is_cjk(content)
        else f"{_english_phrase(found)}: {content}"
    )


def _english_phrase(found: Rhythm) -> str:
    if isinstance(found, WeeklyRhythm):
        return f"Usually on {_WEEKDAYS[found.weekday]}"
    return f"Usually every day between {_hour(found.minute)} and {_hour(_next_hour(found.until))}"


def _chinese_phrase(found: Rhythm) -> str:
    if isinstance(found, WeeklyRhythm):
        return f"每周{_WEEKDAYS_ZH[found.weekday]}"
    return f"每天{_hour(found.minute)}到{_hour(_next_hour(found.until))}之间"


def _hour(minute: int) -> str:
    """The hour that a minute is in."""
    return f"{minute // 60}:00"


def _next_hour(minute: int) -> int:
    """The hour after a minute."""
    return (minute // 60 + 1) * 60 % _DAY_MINUTES
