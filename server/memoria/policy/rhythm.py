"""Rhythms: finds what comes back every week or every day, from the times when it was said.

Days are those of whoever said it. For a weekly rhythm a day counts once, however often
something was said on it. What counts is the share of these days that fall on one weekday, and how
few of the weeks in between are without it; otherwise four weeks could be a coincidence.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memoria.model import DAY_MS
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
"""Of the weeks from the first to the last time: four Mondays in a year are no rhythm."""
_LEAST_DAYS = 5
_LEAST_DAY_SHARE = 5 / 7
_RECENT_DAYS = 28
"""A daily habit is found in the last four weeks, because it may be new."""
_REMEMBERED_DAYS = 84
_WITHIN_MINUTES = 3 * 60
_WEEKDAYS = "Mondays Tuesdays Wednesdays Thursdays Fridays Saturdays Sundays".split()
_WEEKDAYS_ZH = "一二三四五六日"


@dataclass(frozen=True, slots=True)
class WeeklyRhythm:
    """Something comes back on one day of the week."""

    weekday: int
    """0 is Monday."""
    share: float
    """The share of its days that fall on this weekday."""


@dataclass(frozen=True, slots=True)
class DailyRhythm:
    """Something comes back every day, at about the same time."""

    minute: int
    """The earliest minute of the local day when it comes."""
    until: int
    """The latest minute."""
    share: float
    """The share of the days since it began that had it at this time."""


Rhythm = WeeklyRhythm | DailyRhythm


def recent_instants(instants: Sequence[int], at: int) -> list[int]:
    """The instants that count for a rhythm at a moment: those of the last twelve weeks.

    There are none if the last four weeks had none, because the rhythm has stopped then.

    Args:
        instants: UTC epoch milliseconds, in any order.
        at: the moment.
    """
    if max(instants, default=0) <= at - _RECENT_DAYS * DAY_MS:
        return []
    return [instant for instant in instants if instant > at - _REMEMBERED_DAYS * DAY_MS]


def find_rhythm(instants: Sequence[int], offset: Offset) -> Rhythm | None:
    """Find the rhythm of some instants, if there is one.

    Args:
        instants: UTC epoch milliseconds, in any order.
        offset: whose days they are.
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
    share = min(1.0, len(days) / day_count)  # a window over midnight touches one day more
    return DailyRhythm(start, (start + latest) % _DAY_MINUTES, share)


def _days_spanned(moments: Sequence[int], start: int) -> int:
    """The number of days from the first to the last moment; a window may go over midnight."""
    ends = ((moments[0] - shift, moments[-1] - shift) for shift in (0, start * _MINUTE_MS))
    return min(last // DAY_MS - first // DAY_MS + 1 for first, last in ends)


def _best_window(moments: Sequence[int]) -> tuple[int, set[int]]:
    """The window of three hours that has a moment on most days; it may go over midnight."""
    found: tuple[int, set[int]] = (0, set())
    for start in sorted(set(map(_minute, moments))):
        near = [m for m in moments if (_minute(m) - start) % _DAY_MINUTES <= _WITHIN_MINUTES]
        days = {_day(moment, start) for moment in near}
        if len(days) > len(found[1]):
            found = (start, days)
    return found


def _day(moment: int, start: int) -> int:
    """The number of the day of a moment, if days begin at this minute."""
    return (moment - start * _MINUTE_MS) // DAY_MS


def _minute(moment: int) -> int:
    return moment % DAY_MS // _MINUTE_MS


def describe_rhythm(found: Rhythm, content: str) -> str:
    """The sentence that describes a rhythm, in the language of the content.

    Args:
        found: the rhythm.
        content: what comes back, as a complete sentence.
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
    """The hour that contains a minute."""
    return f"{minute // 60}:00"


def _next_hour(minute: int) -> int:
    """The next full hour after a minute."""
    return (minute // 60 + 1) * 60 % _DAY_MINUTES
