"""Periods of local time, and calendar arithmetic."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

Granularity = Literal["minute", "hour", "part", "day", "week", "month", "season", "year", "range"]
"""Precision of an expression. A `part` is one of a day, a third or a weekend; a `range` rolls."""
Prefer = Literal["past", "future"]
Which = Literal["past", "future", "last", "this", "next"]

_DAY = timedelta(days=1)
_SPACED = {"minute": timedelta(minutes=1), "hour": timedelta(hours=1), "day": _DAY}
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}
_PARTS = {
    "dawn": (0, 6),
    "morning": (6, 12),
    "noon": (11, 14),
    "afternoon": (12, 18),
    "evening": (18, 24),
    "night": (18, 30),
}
HALVES = {
    "hour": (30, "minute"), "day": (12, "hour"), "week": (3, "day"), "fortnight": (7, "day"),
    "month": (15, "day"), "year": (6, "month"),
}  # fmt: skip
"""Half of a unit, in smaller ones."""
_WAKING_HOURS = range(7, 19)
"""Hours preferred on a named day, where the half of the day is not said."""
_MOST_MONTHS = 60
"""Months in which a day of the month is looked for that falls on a weekday."""
_LEAP_CYCLE = 8
"""Greatest number of years between two 29ths of February."""


@dataclass(frozen=True, slots=True)
class Window:
    """A period of local time: from a moment, inclusive, until another."""

    start: datetime
    until: datetime
    granularity: Granularity


def day(moment: datetime) -> Window:
    """Return the day of `moment`."""
    start = datetime(moment.year, moment.month, moment.day)  # noqa: DTZ001  (local by design)
    return Window(start, start + _DAY, "day")


def date(year: int, month_: int, day_: int) -> Window:
    """Return a calendar day.

    Raises:
        ValueError: there is no such day.
    """
    return day(datetime(year, month_, day_))  # noqa: DTZ001  (local by design)


def part(window: Window, name: str) -> Window:
    """Return a part of a day, such as its `morning`."""
    first, last = _PARTS[name]
    hour = timedelta(hours=1)
    return Window(window.start + first * hour, window.start + last * hour, "part")


def week(moment: datetime) -> Window:
    """Return the week of `moment`, from Monday."""
    monday = day(moment).start - moment.weekday() * _DAY
    return Window(monday, monday + 7 * _DAY, "week")


def weekday(moment: datetime, number: int) -> Window:
    """Return a day of the week of `moment`; Monday is 0."""
    return day(week(moment).start + number * _DAY)


def edge(window: Window, *, is_last: bool) -> Window:
    """Return the first or the last day of a period."""
    return day(window.until - _DAY if is_last else window.start)


def nth_weekday(month_: Window, number: int, nth: int) -> Window:
    """Return the first (0), second or last (-1) of a weekday in a month."""
    first = weekday_near("future", month_.start - _DAY, number).start
    found = [first + 7 * i * _DAY for i in range(5)]
    return day([moment for moment in found if moment < month_.until][nth])


def weekend(moment: datetime) -> Window:
    """Return Saturday and Sunday of the week of `moment`."""
    sunday = week(moment).until
    return Window(sunday - 2 * _DAY, sunday, "part")


def month(year_: int, number: int) -> Window:
    """Return a month; numbers beyond 1 to 12 count on into other years."""
    return Window(_first(year_, number), _first(year_, number + 1), "month")


def season(year_: int, name: str) -> Window:
    """Return a season; the winter of a year begins in its December."""
    first = _SEASONS[name]
    return Window(_first(year_, first), _first(year_, first + 3), "season")


def year(number: int) -> Window:
    """Return a calendar year."""
    return Window(_first(number, 1), _first(number, 13), "year")


def quarter(year_: int, number: int) -> Window:
    """Return a quarter of a year, from 1; numbers beyond 4 count on into other years."""
    return Window(_first(year_, 3 * number - 2), _first(year_, 3 * number + 1), "season")


def quarter_near(at: datetime, step: int) -> Window:
    """Return the quarter `step` quarters from that of `at`."""
    return quarter(at.year, (at.month - 1) // 3 + 1 + step)


def half_year(year_: int, number: int) -> Window:
    """Return the first or second half of a year."""
    return Window(_first(year_, 6 * number - 5), _first(year_, 6 * number + 1), "season")


def third(window: Window, number: int) -> Window:
    """Return the first (0), second or last third of a period.

    That of a month is by ten days, of a year by four months, and of a week it begins on Monday,
    Wednesday and Friday.
    """
    at = window.start
    match window.granularity:
        case "year":
            cuts = [_first(at.year, 1 + 4 * i) for i in range(3)]
        case "season":
            cuts = [_first(at.year, at.month + i) for i in range(3)]
        case "week":
            cuts = [at + 2 * i * _DAY for i in range(3)]
        case _:
            cuts = [at + 10 * i * _DAY for i in range(3)]
    return Window(cuts[number], [*cuts, window.until][number + 1], "part")


def dates(year_: int, number: int, first: int, last: int) -> Window:
    """Return the days of a month from the first to the last, or the single day."""
    begins = date(year_, number, first)
    return begins if last == first else span(begins, date(year_, number, last))


def span(first: Window, last: Window) -> Window:
    """Return the range from the beginning of a period to the end of another.

    Raises:
        ValueError: it ends before it begins.
    """
    if last.until <= first.start:
        raise ValueError("it ends before it begins")
    return Window(first.start, last.until, "range")


def on_clock(window: Window, hours: Iterable[int], minute: int | None) -> Window:
    """Return the time that a clock shows in a day or a part of one.

    Args:
        window: the day or part of a day.
        hours: those that may be meant. Of a part it is the nearest to it (晚上十二点 is its end),
            of a day one at which people are awake.
        minute: None for the whole hour.
    """
    midnight = day(window.start).start
    moments = [midnight + hour * _SPACED["hour"] for hour in _hours_after(hours, window)]
    if window.granularity == "day":
        awake = [moment for moment in moments if moment.hour in _WAKING_HOURS]
        return _clock_window((awake or moments)[0], minute)
    return _clock_window(min(moments, key=lambda one: _distance_to(window, one)), minute)


def nearest_clock(
    which: Which, at: datetime, part_: str | None, hours: Iterable[int], minute: int | None
) -> Window:
    """Return the nearest time of the clock in a direction, in a part of the day if one is given."""
    days = [day(at + shift * _DAY) for shift in range(-1, 2)]
    if part_:
        found = [on_clock(part(each, part_), hours, minute) for each in days]
    else:
        found = [on_clock(each, [hour], minute) for each in days for hour in hours]
    found.sort(key=lambda window: window.start)
    if which == "future":
        return next(window for window in found if window.start >= at)
    return next(window for window in reversed(found) if window.start <= at)


def _hours_after(hours: Iterable[int], window: Window) -> list[int]:
    """List the hours, and in the night those after midnight as well."""
    told = list(hours)
    return told if window.granularity == "day" else [*told, *(hour + 24 for hour in told)]


def _distance_to(window: Window, moment: datetime) -> timedelta:
    return max(window.start - moment, moment - window.until, timedelta(0))


def _clock_window(moment: datetime, minute: int | None) -> Window:
    if minute is None:
        return Window(moment, moment + _SPACED["hour"], "hour")
    start = moment + timedelta(minutes=minute)
    return Window(start, start + _SPACED["minute"], "minute")


def shift_window(moment: datetime, count: int, unit: str) -> Window:
    """Return the period `count` units away from `moment`, as long as the unit."""
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
    """Return the last `count` units up to the end of the day, or the next from its beginning."""
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
    """Return the occurrence of a yearly date that is meant.

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


def of_year(year_: int | None, which: Which, at: datetime, make: Callable[[int], Window]) -> Window:
    """Return the occurrence in a year, or the nearest occurrence where no year is said."""
    return nearest_occurrence(which, at, make) if year_ is None else make(year_)


def nearest_month(which: Which, at: datetime, make: Callable[[int, int], Window]) -> Window:
    """Return the nearest period that `make` has of a month; a begun one is in both directions.

    Args:
        which: `past` or `future`.
        at: the present moment.
        make: returns the period of a year's month; raises ValueError if that month has none.

    Raises:
        ValueError: no month has such a period.
    """
    back = which != "future"
    for count in range(0, -_MOST_MONTHS, -1) if back else range(_MOST_MONTHS):
        first = _first(at.year, at.month + count)
        try:
            window = make(first.year, first.month)
        except ValueError:  # not every month has a 31st, or a Saturday the 21st
            continue
        if window.start <= at if back else window.until > at:
            return window
    raise ValueError("it never comes")


def day_of_month(which: Which, at: datetime, number: int, weekday_: int | None = None) -> Window:
    """Return the nearest date with a day of the month, and with a weekday if one is given."""

    def make(year_: int, month_: int) -> Window:
        found = date(year_, month_, number)
        if weekday_ not in (None, found.start.weekday()):
            raise ValueError("another weekday")
        return found

    return nearest_month(which, at, make)


def weekday_near(which: Which, at: datetime, number: int) -> Window:
    """Return the nearest such weekday in a direction, which is never today but for `this`."""
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
    """Return the first moment of a month; numbers beyond 1 to 12 count on into other years."""
    years, index = divmod(number - 1, 12)
    return datetime(year_ + years, index + 1, 1)  # noqa: DTZ001  (local by design)


def _same_day(moment: datetime, count: int, unit: str) -> datetime:
    """Move `moment` by `count` units; a day missing in the month becomes the next one's first."""
    if unit in ("day", "week"):
        return moment + count * (7 if unit == "week" else 1) * _DAY
    first = _first(moment.year, moment.month + count * (12 if unit == "year" else 1))
    return first + (moment.day - 1) * _DAY
