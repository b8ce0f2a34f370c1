"""Pieces of time expressions that stand side by side, made one: `Saturday` and `the 21st`.

A rule reads one piece: a day, a part of the day, a time of the clock. What they mean together is
the same whatever rules and whichever language they come from, and is decided here.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.dates import windows
from memoria.language.dates.rule import ClockTime, Kind, Value, place_on, read_nearest
from memoria.language.dates.windows import Prefer, Window

Resolve = Callable[[datetime, Prefer], Window | None]

_BESIDE = lazy_regex(
    r"(?:的|那天的?|当天的?|在|大概|大约|约|T|\s)?(?:[,，]?\s?[(（]?\s?)?"
    r"(?:(?:at|on|of|in|during|around|about|by)\s{1,3})?(?:the\s{1,3})?",
    re.IGNORECASE,
)
_TO = lazy_regex(
    r"\s?(?:[-–—~～]|to|until|till|through|thru|到|至)\s?(?:the\s)?(?:at\s)?", re.IGNORECASE
)
_AND = lazy_regex(r"\s(?:and)\s(?:the\s)?|和|与", re.IGNORECASE)
_BETWEEN = lazy_regex(r"\b(?:between)\s{1,3}(?:the\s{1,3})?\Z", re.IGNORECASE)
_BETWEEN_BEHIND = lazy_regex(r"\s?之?间")
_FROM = lazy_regex(r"(?:\bfrom|从)\s{0,3}\Z", re.IGNORECASE)
_OPENED = lazy_regex("[(（]")
_CLOSED = lazy_regex(r"\s?[)）]")
_HABIT = lazy_regex(
    r"\b(?:every|each|daily|nightly|usually|always|normally|week(?:day|end|night)s"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days|mornings|afternoons|evenings|nights)\b"
    r"|每|天天|平时|通常|总是|一般|往常",
    re.IGNORECASE,
)
_CLAUSE_ENDS = lazy_regex(r"[.!?;。！？；\n]")
_LOOK_AROUND = 40
_MONDAY, _FRIDAY = 0, 4
_DAYS: frozenset[Kind] = frozenset(("day", "date", "weekday", "day_of_month", "part"))


Unite = Callable[["Piece", "Piece"], "Piece | None"]
"""Joins two neighbours, in one of their two orders, into one piece; None where they are two."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of an expression: its place in the text, and how the piece is resolved."""

    start: int
    end: int
    kind: Kind
    resolve: Resolve
    value: Value = None
    is_clock: bool = False
    """True for a time of the clock, which as an end is a moment and no period."""
    is_lone_clock: bool = False
    """True for a time of the clock that names no day."""


def join_pieces(text: str, pieces: Sequence[Piece], at: datetime, prefer: Prefer) -> list[Piece]:
    """Join the pieces that are one expression.

    Args:
        text: in which they stand.
        pieces: in order, without overlap.
        at: the local time at which it was said.
        prefer: in which direction what recurs is looked for.
    """
    whole = list(pieces)
    for unite in (_unite_days, _unite_offset, _unite_part, _unite_clock):
        whole = _join_all(text, whole, partial(unite, at=at, prefer=prefer))
    return _join_ranges(text, [_settle(text, piece) for piece in whole])


def _join_all(text: str, pieces: Iterable[Piece], unite: Unite) -> list[Piece]:
    joined: list[Piece] = []
    for piece in pieces:
        whole = piece
        while joined and (both := _join(text, joined[-1], whole, unite)) is not None:
            joined.pop()
            whole = both
        joined.append(whole)
    return joined


def _join(text: str, a: Piece, b: Piece, unite: Unite) -> Piece | None:
    """Join two neighbours into one piece; None if they do not belong together."""
    if not _BESIDE.fullmatch(text, a.end, b.start):
        return None
    closed = _CLOSED.match(text, b.end) if _OPENED.search(text[a.end : b.start]) else None
    found = unite(a, b) or unite(b, a)
    return found and replace(found, start=a.start, end=closed.end() if closed else b.end)


def _unite_days(a: Piece, b: Piece, at: datetime, prefer: Prefer) -> Piece | None:
    """Join a day that is named twice: by its weekday and by its number, or by its month."""
    match a.kind, b.kind:
        case "weekday", "day_of_month":
            return replace(b, kind="date", resolve=_nearest_agreeing(a, b), value=None)
        case "weekday", "date":
            return replace(b, resolve=_that_date(a, b), value=None)
        case "weekday", "day" if _is_on(b, a.value, at, prefer):
            return replace(b, value=None)
        case "weekday", "time":
            return _in_period(b, "week", partial(_weekday_in, number=a.value), at, prefer)
        case "day_of_month", "time":
            return _in_period(b, "month", partial(_day_in, number=a.value), at, prefer)
    return None


def _unite_offset(a: Piece, b: Piece, **_: object) -> Piece | None:
    """Join a day so many days from another: `a week from Friday`, 国庆前三天."""
    if a.kind != "offset" or b.kind not in _DAYS - {"part"}:
        return None

    def resolve(at: datetime, prefer: Prefer) -> Window | None:
        found = b.resolve(at, prefer)
        if found is None or found.granularity != "day":
            return found
        return windows.day(found.start + timedelta(days=_number(a.value)))

    return replace(b, kind="day", resolve=resolve, value=None)


def _unite_part(a: Piece, b: Piece, **_: object) -> Piece | None:
    """Join a day and a part of it: `Friday`, `evening`."""
    is_part = isinstance(b.value, ClockTime) and not b.value.hours
    return _on_day(a, b.value) if is_part and a.kind in _DAYS else None


def _unite_clock(a: Piece, b: Piece, **_: object) -> Piece | None:
    """Join a time of day with its day, or with a part of the day."""
    if not isinstance(b.value, ClockTime):
        return None
    if isinstance(a.value, ClockTime):
        return _both_of_a_day(a, a.value, b.value)
    return _on_day(a, b.value) if a.kind in _DAYS else None


def _number(value: Value) -> int:
    return value if isinstance(value, int) else 0


def _agreeing(day: Value, weekday: Value) -> Resolve:
    return lambda at, prefer: windows.day_of_month(prefer, at, _number(day), _number(weekday))


def _nearest_agreeing(weekday: Piece, day: Piece) -> Resolve:
    """Resolve `next Tuesday the 20th`: that Tuesday, or else the nearest Tuesday that is a 20th."""

    def resolve(at: datetime, prefer: Prefer) -> Window | None:
        named = weekday.resolve(at, prefer)
        is_that = named is not None and named.start.day == day.value
        return named if is_that else _agreeing(day.value, weekday.value)(at, prefer)

    return resolve


def _is_on(day: Piece, weekday: Value, at: datetime, prefer: Prefer) -> bool:
    """Check whether a day such as tomorrow falls on a weekday."""
    found = day.resolve(at, prefer)
    return found is not None and found.start.weekday() == weekday


def _in_period(
    period: Piece, unit: str, take: Callable[[Window], Window], at: datetime, prefer: Prefer
) -> Piece | None:
    """Join a day and its week or month: `the 3rd of next month`, `Friday of next week`."""
    found = period.resolve(at, prefer)
    if found is None or found.granularity != unit:
        return None

    def resolve(at: datetime, prefer: Prefer) -> Window | None:
        window = period.resolve(at, prefer)
        return None if window is None else take(window)

    return replace(period, kind="date", resolve=resolve)


def _day_in(month: Window, number: Value) -> Window:
    return windows.date(month.start.year, month.start.month, _number(number))


def _weekday_in(week: Window, number: Value) -> Window:
    return windows.weekday(week.start, _number(number))


def _that_date(weekday: Piece, date: Piece) -> Resolve:
    """Resolve a date with its weekday, which may tell the date's direction."""

    def resolve(at: datetime, prefer: Prefer) -> Window | None:
        found, named = date.resolve(at, prefer), weekday.resolve(at, prefer)
        if found is None or named is None or found.start.weekday() == weekday.value:
            return found
        other = date.resolve(at, "past" if prefer == "future" else "future")
        same = other is not None and other.start.weekday() == weekday.value
        return other if same else found

    return resolve


def _both_of_a_day(piece: Piece, one: ClockTime, other: ClockTime) -> Piece | None:
    """Join a part of the day and an hour in it: 晚上七点, `7 in the evening`."""
    if bool(one.part) == bool(other.part) or bool(one.hours) == bool(other.hours):
        return None
    part, hour = (one, other) if one.part else (other, one)
    return replace(piece, value=replace(hour, part=part.part))


def _on_day(day: Piece, clock: Value) -> Piece | None:
    if not isinstance(clock, ClockTime) or (day.kind == "part" and clock.part):
        return None

    def resolve(at: datetime, prefer: Prefer) -> Window | None:
        window = day.resolve(at, prefer)
        if window is None or window.granularity not in ("day", "part"):
            return None
        is_over = window.until == windows.day(at).start and day.kind == "day"
        return place_on(clock, window, is_over=is_over)

    kind: Kind = "time" if clock.hours else "part"
    return replace(day, kind=kind, resolve=resolve, value=None, is_clock=bool(clock.hours))


def _settle(text: str, piece: Piece) -> Piece:
    """Resolve a time of day without a day to the nearest such time, unless it means every day."""
    clock = piece.value
    if piece.kind != "clock" or not isinstance(clock, ClockTime):
        return piece
    before = _CLAUSE_ENDS.split(text[max(0, piece.start - _LOOK_AROUND) : piece.start])[-1]
    behind = _CLAUSE_ENDS.split(text[piece.end : piece.end + _LOOK_AROUND])[0]
    if _HABIT.search(before) or _HABIT.search(behind):
        return replace(piece, resolve=lambda _at, _prefer: None)
    return replace(
        piece,
        resolve=lambda at, prefer: read_nearest(clock, at, prefer),
        is_clock=True,
        is_lone_clock=True,
    )


def _join_ranges(text: str, pieces: Sequence[Piece]) -> list[Piece]:
    joined: list[Piece] = []
    for piece in pieces:
        first = joined[-1] if joined else None
        start = None if first is None else _find_range(text, first, piece)
        if first is not None and start is not None:
            joined[-1] = Piece(
                start,
                piece.end,
                "range",
                (lambda _at, _prefer: None)
                if _is_working_week(text, first, piece)
                else _from_to(first, piece),
                is_lone_clock=first.is_lone_clock and piece.is_lone_clock,
            )
        else:
            joined.append(piece)
    return joined


def _find_range(text: str, first: Piece, last: Piece) -> int | None:
    """Return where the range of two neighbours begins; None where they are none."""
    if _TO.fullmatch(text, first.end, last.start):
        return first.start
    if not _AND.fullmatch(text, first.end, last.start):
        return None
    begin = max(0, first.start - _LOOK_AROUND)
    between = _BETWEEN.search(text[begin : first.start])
    if between:
        return begin + between.start()
    return first.start if _BETWEEN_BEHIND.match(text, last.end) else None


def _is_working_week(text: str, first: Piece, last: Piece) -> bool:
    """Check for `Monday to Friday`, which means every week; `from Monday` does not."""
    both = first.kind == last.kind == "weekday"
    is_from = _FROM.search(text[max(0, first.start - _LOOK_AROUND) : first.start])
    return both and not is_from and (first.value, last.value) == (_MONDAY, _FRIDAY)


def _is_sure(piece: Piece) -> bool:
    """Check whether a time of day says in which half of the day it is."""
    clock = piece.value
    return isinstance(clock, ClockTime) and (len(clock.hours) == 1 or clock.part is not None)


def _from_to(first: Piece, last: Piece) -> Resolve:
    """Resolve a range from one piece to the other, both included.

    Each resolved in one direction by itself, they may come in the wrong order: of what is over the
    end is the nearest, of what is to come the beginning.
    """

    def resolve(at: datetime, prefer: Prefer) -> Window | None:
        begin, end = first.resolve(at, prefer), last.resolve(at, prefer)
        if begin is None or end is None:
            return None
        is_by_last = not last.is_lone_clock or (_is_sure(last) and not _is_sure(first))
        if first.is_lone_clock and is_by_last:
            begin = first.resolve(end.start, "past")
        elif last.is_lone_clock:
            end = last.resolve(begin.start, "future")
        elif end.until <= begin.start:
            if prefer == "past" and first.resolve(at, "future") != begin:
                begin = first.resolve(end.start, "past")
            else:
                end = last.resolve(begin.start, "future")
        if begin is None or end is None:
            return None
        return windows.span(begin, replace(end, until=end.start) if last.is_clock else end)

    return resolve
