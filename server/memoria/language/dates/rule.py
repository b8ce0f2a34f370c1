"""A rule of a language: the pattern of a time expression, and how to read it."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memoria.language.dates.windows import Prefer, Window
from memoria.language.pattern import LazyPattern

ReadMatch = Callable[[re.Match[str], datetime, Prefer], Window | None]
"""Reads a match that was said at a local time; None if it is no time after all."""

Kind = Literal["time", "day", "date", "weekday", "day_of_month", "part", "clock", "offset", "range"]
"""Kind of piece, by which it joins its neighbours: `day` is a day by itself (yesterday), `date` one
of a year, `part` a part of a day that is named (tonight), `clock` a time of any day (`7pm`, 晚上),
and `offset` so many days from another (`two days after`)."""


@dataclass(frozen=True, slots=True)
class ClockTime:
    """A time of day without its day: a part of it, an hour, or both."""

    part: str | None = None
    hours: tuple[int, ...] = ()
    """The hours that may be meant; two where the half of the day is not said."""
    minute: int | None = None
    is_weak: bool = False
    """True for a time of day only beside a day or a part of one."""


Value = int | ClockTime | None
ReadValue = Callable[[re.Match[str]], Value]


def _no_value(_match: re.Match[str]) -> Value:
    return None


@dataclass(frozen=True, slots=True)
class DateRule:
    """A pattern and how to read it. If the pattern has a group `e`, that is the expression."""

    parts: tuple[str, ...]
    """Parts in lower case. Unless one of them occurs, the pattern, which is slower, can't match."""
    pattern: LazyPattern
    read: ReadMatch
    kind: Kind = "time"
    value: ReadValue = _no_value
    """The number of the weekday, of the day of the month or of days, or the time of day."""


def read_nothing(_match: re.Match[str], _at: datetime, _prefer: Prefer) -> Window | None:
    """Return None: `two days after`, 前三天 and `7pm` are no time without their neighbour."""
    return None


def make_english(
    parts: str,
    read: ReadMatch,
    *patterns: str,
    kind: Kind = "time",
    value: ReadValue = _no_value,
) -> tuple[DateRule, ...]:
    """Make the rules of one meaning.

    Args:
        parts: of each pattern, with spaces or `|` between them.
        read: reads a match.
        patterns: with a space for each of up to four.
        kind: what piece it is.
        value: reads its number or time of day.
    """
    apart = tuple(parts.split("|") if "|" in parts else parts.split())
    # ASCII, so that a word ends where Chinese goes on without a space.
    flags = re.IGNORECASE | re.ASCII
    compiled = (LazyPattern(each.replace(" ", r"\s{1,4}"), flags) for each in patterns)
    return tuple(DateRule(apart, each, read, kind, value) for each in compiled)


def make_chinese(
    parts: str,
    read: ReadMatch,
    *patterns: str,
    kind: Kind = "time",
    value: ReadValue = _no_value,
) -> tuple[DateRule, ...]:
    """Make rules of one meaning; their parts are single characters, or have a `|` behind them."""
    apart = tuple(filter(None, parts.split("|")) if "|" in parts else parts)
    return tuple(DateRule(apart, LazyPattern(each), read, kind, value) for each in patterns)
