"""Meanings of English time expressions, whose patterns are in `english_rules`."""

import re
from collections.abc import Callable
from datetime import datetime

from memoria.language.dates import windows
from memoria.language.dates.rule import Value
from memoria.language.dates.windows import Prefer, Which, Window

MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
WEEKDAYS = "mon tue wed thu fri sat sun".split()
_NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()
COUNTS = {word: i for i, word in enumerate(_NUMBERS)}
COUNTS |= {"a": 1, "an": 1, "a couple of": 2, "fifteen": 15, "twenty": 20, "thirty": 30}
_THIRDS = {"early": 0, "mid": 1, "late": 2}
_PIECES = {"beginning": 0, "start": 0, "middle": 1, "end": 2}
_STEPS = {"last": -1, "past": -1, "this": 0, "the": 0, "next": 1}
_ORDINALS = {word: i for i, word in enumerate("first second third fourth".split(), 1)}
NTHS = "first second third fourth fifth last".split()
_LAST_MONTH = 12
DAY_WORDS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth"
    " fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
).split()
_NAMED = dict.fromkeys("tomorrow tmrw tmr tmw 2morrow".split(), 1)
_NAMED |= {"today": 0, "yesterday": -1, "day before yesterday": -2, "day after tomorrow": 2}

_WHICHES: dict[str, Which] = {
    "last": "last", "this past": "last", "this": "this", "this coming": "next", "next": "next",
}  # fmt: skip


def _which(match: re.Match[str], prefer: Prefer) -> Which:
    said = match.groupdict().get("which")
    return _WHICHES[" ".join(said.lower().split())] if said else prefer


def _count(match: re.Match[str]) -> int:
    word = " ".join(match["n"].lower().split())
    return int(word) if word.isdigit() else COUNTS[word]


def _month_number(match: re.Match[str]) -> int:
    return MONTHS.index(match["m"][:3].lower()) + 1


def _third_of(match: re.Match[str], window: Window) -> Window:
    third = match.groupdict().get("third")
    return windows.third(window, _THIRDS[third.lower()]) if third else window


def read_date(match: re.Match[str], at: datetime, prefer: Prefer) -> Window:
    """Read `8 April`, `April 5-9, 2026`."""
    month, day = _month_number(match), _read_day(match["d"])
    last = int(match.groupdict().get("d2") or day)

    return _of_year(match, at, prefer, lambda year: windows.dates(year, month, day, last))


def _read_day(text: str) -> int:
    words = text.lower().replace("-", " ").split()
    if words[0].isdigit():
        return int(words[0])
    tens = {"twenty": 20, "thirty": 30}.get(words[0], 0) if len(words) > 1 else 0
    return tens + DAY_WORDS.index(words[-1]) + 1


def read_iso(match: re.Match[str], _at: datetime, _prefer: Prefer) -> Window:
    """Read `2026-04-08`."""
    return windows.date(int(match["y"]), int(match["m"]), int(match["d"]))


def read_slashed(match: re.Match[str], _at: datetime, _prefer: Prefer) -> Window:
    """Read `3/4/2026` as American unless the first number is no month, `3.4.2026` as European."""
    first, second = int(match["a"]), int(match["b"])
    is_day_first = match["s"] == "." or first > _LAST_MONTH
    day, month = (first, second) if is_day_first else (second, first)
    return windows.date(int(match["y"]), month, day)


def read_day_of_month(match: re.Match[str], at: datetime, prefer: Prefer) -> Window:
    """Read `the 21st`."""
    return windows.day_of_month(prefer, at, _read_day(match["d"]))


def read_day_number(match: re.Match[str]) -> Value:
    """Return the number of `the 21st`."""
    return _read_day(match["d"])


def read_weekday_number(match: re.Match[str]) -> int:
    """Return the number of a weekday; Monday is 0."""
    return WEEKDAYS.index(match["w"][:3].lower())


def read_quarter(match: re.Match[str], at: datetime, prefer: Prefer) -> Window:
    """Read `Q3`, `the first quarter of 2025`, `next quarter`."""
    found = match.groupdict()
    if which := found.get("which"):
        return windows.quarter_near(at, _STEPS[which.lower()])
    word = (found.get("q") or found["nth"]).lower()
    number = int(word) if word.isdigit() else _ORDINALS[word]
    return _of_year(match, at, prefer, lambda year: windows.quarter(year, number))


def read_half_year(match: re.Match[str], at: datetime, prefer: Prefer) -> Window:
    """Read `the second half of 2026`."""
    number = _ORDINALS[match["nth"].lower()]
    return _of_year(match, at, prefer, lambda year: windows.half_year(year, number))


def _of_year(
    match: re.Match[str], at: datetime, prefer: Prefer, make: Callable[[int], Window]
) -> Window:
    found = match.groupdict()
    year = int(found["y"]) if found.get("y") else None
    if which := found.get("of"):
        year = at.year + _STEPS[which.lower()]
    return windows.of_year(year, _which(match, prefer), at, make)


def read_third_of_period(match: re.Match[str], at: datetime, prefer: Prefer) -> Window:
    """Read `the end of June`, `the beginning of next year`, `the end of the month`."""
    found, number = match.groupdict(), _PIECES[match["third"].lower()]
    if found["m"] or found["u"].lower() == "quarter" or found["which"].lower() != "the":
        return _of_period(match, at, prefer, lambda period: windows.third(period, number))
    unit = found["u"].lower()
    if unit == "month":
        return windows.nearest_month(
            prefer, at, lambda year, month: windows.third(windows.month(year, month), number)
        )
    here = windows.third(windows.shift_window(at, 0, unit), number)
    if here.until > at if prefer == "future" else here.start <= at:
        return here
    step = 1 if prefer == "future" else -1
    return windows.third(windows.shift_window(at, step, unit), number)


def _of_period(
    match: re.Match[str], at: datetime, prefer: Prefer, take: Callable[[Window], Window]
) -> Window:
    """Return what `take` makes of a month that is named, or of the last, this or next period."""
    if match["m"]:
        month = _month_number(match)
        return _of_year(match, at, prefer, lambda year: take(windows.month(year, month)))
    unit, step = match["u"].lower(), _STEPS[match["which"].lower()]
    near = windows.quarter_near(at, step) if unit == "quarter" else None
    return take(near or windows.shift_window(at, step, unit))


def read_month(match: re.Match[str], at: datetime, prefer: Prefer) -> Window:
    """Read `in May`, `early May 2024`, `last May`."""
    number = _month_number(match)
    found = _of_year(match, at, prefer, lambda year: windows.month(year, number))
    return _third_of(match, found)


def read_season(match: re.Match[str], at: datetime, prefer: Prefer) -> Window:
    """Read `last summer`, `winter 2024`."""
    name = {"fall": "autumn"}.get(match["season"].lower(), match["season"].lower())
    return _of_year(match, at, prefer, lambda year: windows.season(year, name))


def read_year(match: re.Match[str], _at: datetime, _prefer: Prefer) -> Window:
    """Read `in 2023`."""
    return _third_of(match, windows.year(int(match["y"])))


def read_weekday(match: re.Match[str], at: datetime, prefer: Prefer) -> Window:
    """Read `on Friday`, `last Friday`."""
    return windows.weekday_near(_which(match, prefer), at, read_weekday_number(match))


def _step(match: re.Match[str]) -> int:
    return _STEPS[match["which"].lower() or "this"]


def read_nth_weekday(match: re.Match[str], at: datetime, prefer: Prefer) -> Window:
    """Read `the first Monday of next month`, `the last Friday in November`."""
    weekday = read_weekday_number(match)
    nth = NTHS.index(match["nth"].lower())
    nth = -1 if nth == len(NTHS) - 1 else nth
    if match["m"] is None:
        month = windows.shift_window(at, _STEPS[match["which"].lower()], "month")
        return windows.nth_weekday(month, weekday, nth)
    number = _month_number(match)
    return _of_year(
        match,
        at,
        prefer,
        lambda year: windows.nth_weekday(windows.month(year, number), weekday, nth),
    )


def read_unit(match: re.Match[str], at: datetime, _prefer: Prefer) -> Window:
    """Read `last week`, `late next month`."""
    return _third_of(match, windows.shift_window(at, _step(match), match["u"].lower()))


def read_weekend(match: re.Match[str], at: datetime, _prefer: Prefer) -> Window:
    """Read `this weekend`."""
    return windows.weekend(windows.shift_window(at, _step(match), "week").start)


def read_past_weekend(_match: re.Match[str], at: datetime, prefer: Prefer) -> Window:
    """Read `over the weekend`."""
    begun = windows.weekend(at).start <= at
    back = prefer == "past" and not begun
    return windows.weekend(windows.shift_window(at, -1 if back else 0, "week").start)


def _distance(match: re.Match[str]) -> tuple[int, str]:
    if match["n"].lower().startswith("half"):
        return windows.HALVES[match["u"].lower()]
    count, unit = _count(match), match["u"].lower()
    if match.groupdict().get("half"):
        parts, smaller = windows.HALVES[unit]
        return 2 * count * parts + parts, smaller
    return (2 * count, "week") if unit == "fortnight" else (count, unit)


def read_second(match: re.Match[str], at: datetime, _prefer: Prefer) -> Window:
    """Read `the week before last`, `the month after next`."""
    unit, count = match["u"].lower(), -2 if match["way"].lower().startswith("before") else 2
    if unit == "night":
        return windows.part(windows.shift_window(at, count, "day"), "night")
    if unit == "weekend":
        return windows.weekend(windows.shift_window(at, count, "week").start)
    return windows.shift_window(at, count, unit)


def read_offset(match: re.Match[str]) -> Value:
    """Return the days of `two days after`, `a week from Friday`.

    Raises:
        ValueError: it is as coarse as a week: `two weeks before`.
    """
    unit = (match["u1"] or match["u"]).lower()
    days = {"day": 1, "week": 7, "fortnight": 14}[unit]
    count = _count(match) if match.groupdict().get("n") else 1
    if days > 1 and match["way"].lower() in ("before", "after"):
        raise ValueError("no day")
    return -count * days if match["way"].lower() == "before" else count * days


def read_end_of_period(match: re.Match[str], at: datetime, prefer: Prefer) -> Window:
    """Read `the last day of February`."""
    is_last = match["third"].lower() == "last"
    return _of_period(match, at, prefer, lambda period: windows.edge(period, is_last=is_last))


def read_ago(match: re.Match[str], at: datetime, _prefer: Prefer) -> Window:
    """Read `three days ago`."""
    count, unit = _distance(match)
    return windows.shift_window(at, -count, unit)


def read_ahead(match: re.Match[str], at: datetime, _prefer: Prefer) -> Window:
    """Read `in two weeks`."""
    count, unit = _distance(match)
    return windows.shift_window(at, count, unit)


def read_rolling(match: re.Match[str], at: datetime, _prefer: Prefer) -> Window:
    """Read `the past two weeks`."""
    count = _count(match) if match.groupdict().get("n") else 1
    ahead = match["which"].lower() in ("next", "coming")
    unit = match["u"].lower()
    if unit == "fortnight":
        count, unit = 2 * count, "week"
    return windows.rolling(at, count if ahead else -count, unit)


def read_day(match: re.Match[str], at: datetime, _prefer: Prefer) -> Window:
    """Read `yesterday`, `the day after tomorrow`."""
    return windows.shift_window(at, _NAMED[" ".join(match["name"].lower().split())], "day")


def read_part(match: re.Match[str], at: datetime, _prefer: Prefer) -> Window:
    """Read `this morning`, `last night`, `tonight`."""
    day = windows.shift_window(at, _step(match), "day")
    return windows.part(day, match["part"].lower() or "evening")
