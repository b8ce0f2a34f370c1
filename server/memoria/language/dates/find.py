"""Finding time expressions in a text.

Every pattern is bounded, so that the time is linear in the length of the text. Of overlapping
expressions the one that begins first is taken, and of these the longest.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache, partial
from typing import Literal

from memoria.language.dates import chinese, clock, english_rules, holidays
from memoria.language.dates.compose import Piece, Resolve, join_pieces
from memoria.language.dates.rule import ClockTime, DateRule
from memoria.language.dates.windows import Granularity, Prefer, Window
from memoria.model.zone import Zone

_YEARS_LATER_MS = 9 * 366 * 86_400_000
_OF_A_DAY = ("day", "part", "hour", "minute")


Clocks = Literal["all", "of_a_day", "none"]


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """A time expression, its position in the text and its meaning."""

    start: int
    end: int
    expression: str
    """The text from `start` to `end`."""
    from_ms: int
    """UTC epoch milliseconds, inclusive."""
    until_ms: int
    """UTC epoch milliseconds, exclusive."""
    granularity: Granularity
    is_clock: bool = False
    """True for a time of the clock, which as an end is a moment and no period."""


def times(
    text: str, said_ms: int, zone: Zone, *, prefer: Prefer = "past", clocks: Clocks = "all"
) -> tuple[TimeSpan, ...]:
    """Find the time expressions of `text`, in order, without overlap.

    Args:
        text: anything at all.
        said_ms: when it was said, UTC epoch milliseconds.
        zone: the speaker's; days begin at its midnight.
        prefer: in which direction a recurring date is resolved; see the package.
        clocks: which times of the clock are read: all, those of a day that is said, or none.
    """
    rules = _select_rules(text)
    if not rules:  # as in most texts
        return ()
    try:
        at = zone.to_local(said_ms)
    except OverflowError:  # there are no dates before year 1 or after 9999
        return ()
    found = _drop_overlapping(
        piece
        for rule in rules
        for piece in _read_pieces(rule, text, at, prefer)
        if clocks != "none" or not _has_hours(piece)
    )
    spans = (
        _to_span(text, piece, at, prefer, zone)
        for piece in join_pieces(text, list(found), at, prefer)
        if clocks == "all" or not piece.is_lone_clock
    )
    return tuple(span for span in spans if span is not None)


def full_dates(text: str, said_ms: int, zone: Zone) -> tuple[TimeSpan, ...]:
    """Find the days of a text that are named with their year: the same whenever it is said."""
    found = times(text, said_ms, zone, clocks="of_a_day")
    days = [span for span in found if span.granularity in _OF_A_DAY]
    if not days:  # as in nearly all texts
        return ()
    elsewhere = times(text, said_ms + _YEARS_LATER_MS, zone, prefer="future", clocks="of_a_day")
    fixed = {(span.start, span.from_ms) for span in elsewhere}
    return tuple(span for span in days if (span.start, span.from_ms) in fixed)


def _select_rules(text: str) -> list[DateRule]:
    """Return the rules of which a part occurs in the text. In ordinary text they are few."""
    folded = text.lower()
    rules, by_part = _rules_for(is_ascii=text.isascii())
    present = {n for part, ns in by_part.items() if part in folded for n in ns}
    return [rules[n] for n in sorted(present)]


@cache
def _rules_for(*, is_ascii: bool) -> tuple[tuple[DateRule, ...], Mapping[str, list[int]]]:
    """Return the rules for a text, and by each part that may occur the numbers of its rules."""
    rules: tuple[DateRule, ...] = (
        *english_rules.RULES,
        *clock.ENGLISH_RULES,
        *holidays.ENGLISH_RULES,
    )
    if not is_ascii:
        rules += (*chinese.RULES, *clock.CHINESE_RULES, *holidays.CHINESE_RULES)
    by_part: dict[str, list[int]] = {}
    for n, rule in enumerate(rules):
        for part in rule.parts:
            by_part.setdefault(part, []).append(n)
    return rules, by_part


def _read_pieces(rule: DateRule, text: str, at: datetime, prefer: Prefer) -> Iterator[Piece]:
    pattern = rule.pattern.regex
    group = "e" if "e" in pattern.groupindex else 0
    for match in pattern.finditer(text):
        resolve = partial(rule.read, match)
        try:
            value = rule.value(match)
        except (ValueError, KeyError):  # 25 o'clock
            continue
        if rule.kind in ("clock", "offset") or _resolve(resolve, at, prefer) is not None:
            yield Piece(match.start(group), match.end(group), rule.kind, resolve, value)


def _has_hours(piece: Piece) -> bool:
    return isinstance(piece.value, ClockTime) and bool(piece.value.hours)


def _resolve(resolve: Resolve, at: datetime, prefer: Prefer) -> Window | None:
    try:
        return resolve(at, prefer)
    except (ValueError, OverflowError):  # 31 April, the year 12026: no such date
        return None


def _to_span(text: str, piece: Piece, at: datetime, prefer: Prefer, zone: Zone) -> TimeSpan | None:
    window = _resolve(piece.resolve, at, prefer)
    if window is None:
        return None
    return TimeSpan(
        piece.start,
        piece.end,
        text[piece.start : piece.end],
        zone.to_millis(window.start),
        zone.to_millis(window.until),
        window.granularity,
        is_clock=piece.is_clock,
    )


def _drop_overlapping(found: Iterable[Piece]) -> Iterator[Piece]:
    end = 0
    for piece in sorted(found, key=lambda piece: (piece.start, -piece.end)):
        if piece.start >= end:
            yield piece
            end = piece.end
