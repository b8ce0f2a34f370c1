"""Periods of local time, and calendar arithmetic."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

Granularity = Literal["minute", "hour", "part", "day", "week", "month", "season", "year", "range"]
"""How exact an expression is. A `part` is one of a day, a third or a weekend; a `range` rolls."""
Prefer = Literal["past", "future"]
Which = Literal["past", "future", "last", "this", "next"]

_DAY = timedelta(days=1)
_SPACED = {"minute": timedelta(minutes=1), "hour": timedelta(hours=1), "day": _DAY}
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}
_PARTS = {
    "dawn": (0, 6),
    "morning": (5, 12),
    "noon": (11, 14),
    "afternoon": (12, 18),
    "evening": (17, 24),
    "night": (18, 30),
}
_LEAP_CYCLE = 8
"""Between two 29ths of February lie at most so many years."""


@dataclass(frozen=True, slots=True)
class Window:
    """A period of local time: from a moment, inclusive, until another."""

    start: datetime
    until: datetime
    granularity: Granularity


def day(moment: datetime) -> Window:
    """The day of `moment`."""
    start = datetime(moment.year, moment.month, moment.day)  # noqa: DTZ001  (local by design)
    return Window(start, start + _DAY, "day")


def date(year: int, month_: int, day_: int) -> Window:
    """A calendar day.

    Raises:
        ValueError: there is no such day.
    """
    return day(datetime(year, month_, day_))  # noqa: DTZ001  (local by design)


def part(window: Window, name: str) -> Window:
    """A part of a day, such as its `morning`."""
    first, last = _PARTS[name]
    hour = timedelta(hours=1)
    return Window(window.start + first * hour, window.start + last * hour, "part")


def week(moment: datetime) -> Window:
    """The week of `moment`, from Monday."""
    monday = day(moment).start - moment.weekday() * _DAY
    return Window(monday, monday + 7 * _DAY, "week")


def weekday(moment: datetime, number: int) -> Window:
    """A day of the week of `moment`; Monday is 0."""
    return day(week(moment).start + number * _DAY)


def weekend(moment: datetime) -> Window:
    """Saturday and Sunday of the week of `moment`."""
    sunday = week(moment).until
    return Window(sunday - 2 * _DAY, sunday, "part")


def month(year_: int, number: int) -> Window:
    """A month; numbers beyond 1 to 12 count on into other years."""
    return Window(_first(year_, number), _first(year_, number + 1), "month")


def season(year_: int, name: str) -> Window:
    """A season; the winter of a year begins in its December."""
    first = _SEASONS[name]
    return Window(_first(year_, first), _first(year_, first + 3), "season")


def year(number: int) -> Window:
    """A calendar year."""
    return Window(_first(number, 1), _first(number, 13), "year")


def third(window: Window, number: int) -> Window:
    """The first (0), second or last third of a month (by ten days) or a year (by four months)."""
    at, whole = window.start, window.granularity == "year"
    cuts = [_first(at.year, 1 + 4 * i) if whole else at + 10 * i * _DAY for i in range(3)]
    return Window(cuts[number], [*cuts, window.until][number + 1], "part")


def shift_window(moment: datetime, count: int, unit: str) -> Window:
    """The period `count` units away from `moment`, as long as the unit."""
    match unit:
        case "week":
            return week(moment + 7 * count * _DAY)
        case "month":
            return month(moment.year, moment.month + count)
        case "year":
            return year(moment.year + count)
        case "day":
            return day(moment + count * _DAY)
        case _:
            return _clock(moment + count * _SPACED[unit], unit)


def rolling(moment: datetime, count: int, unit: str) -> Window:
    """The last `count` units up to the end of the day, or the next from its beginning."""
    today = day(moment)
    if unit in ("minute", "hour"):
        near = _clock(moment, "minute").until
        ends = sorted((near, near + count * _SPACED[unit]))
    elif count < 0:
        ends = [_same_day(today.start, count, unit), today.until]
    else:
        ends = [today.start, _same_day(today.until, count, unit)]
    return Window(ends[0], ends[1], "range")


def nearest_occurrence(which: Which, at: datetime, make: Callable[[int], Window]) -> Window:
    """The occurrence of a yearly date that is meant.

    Raises:
        ValueError: there is no such date, such as 30 February.
    """
    if which == "this":
        begun = make(at.year - 1)
        return begun if begun.until > at else make(at.year)
    back = which in ("past", "last")
    years = range(0, -_LEAP_CYCLE - 1, -1) if back else range(-1, _LEAP_CYCLE + 1)
    for window in _existing_windows(make, (at.year + offset for offset in years)):
        edge = {
            "past": window.start <= at,
            "last": window.until <= at,
            "future": window.until > at,
            "next": window.start > at,
        }
        if edge[which]:
            return window
    raise ValueError("it never comes")


def weekday_near(which: Which, at: datetime, number: int) -> Window:
    """The weekday that is meant; for `past`, `future`, `last` and `next` it is never today."""
    if which == "this":
        return weekday(at, number)
    if which in ("past", "last"):
        return day(at - ((at.weekday() - number - 1) % 7 + 1) * _DAY)
    return day(at + ((number - at.weekday() - 1) % 7 + 1) * _DAY)


def _existing_windows(make: Callable[[int], Window], years: Iterable[int]) -> Iterable[Window]:
    for number in years:
        try:
            yield make(number)
        except ValueError:  # 29 February: not every year has one
            continue


def _clock(moment: datetime, unit: str) -> Window:
    start = moment.replace(second=0, microsecond=0)
    if unit == "hour":
        start = start.replace(minute=0)
    return Window(start, start + _SPACED[unit], "hour" if unit == "hour" else "minute")


def _first(year_: int, number: int) -> datetime:
    """The first moment of a month; numbers beyond 1 to 12 count on into other years."""
    years, index = divmod(number - 1, 12)
    return datetime(year_ + years, index + 1, 1)  # noqa: DTZ001  (local by design)


def _same_day(moment: datetime, count: int, unit: str) -> datetime:
    """`moment` moved by some units; a day that the month lacks becomes the first of the next."""
    if unit in ("day", "week"):
        return moment + count * (7 if unit == "week" else 1) * _DAY
    first = _first(moment.year, moment.month + count * (12 if unit == "year" else 1))
    return first + (moment.day - 1) * _DAY
