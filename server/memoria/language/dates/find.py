"""Time expressions found in a text, and the periods, ends and directions that they state.

Every pattern is bounded, so that the time is linear in the length of the text. Of overlapping
expressions the one that begins first is taken, and of these the longest.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cache, partial
from typing import Literal

from memoria.bare.lazy_regex import lazy_regex
from memoria.errors import InvalidInputError
from memoria.language.dates import chinese, english_rules, holidays
from memoria.language.dates import rule as clock
from memoria.language.dates.compose import Piece, Resolve, join_pieces
from memoria.language.dates.rule import ClockTime, DateRule
from memoria.language.dates.windows import Granularity, Prefer, Window
from memoria.model.moments import Zone, parse_instant

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
    """Find the days of a text that are named with their year."""
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
    pattern = rule.pattern
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


Side = Literal["since", "after", "before", "until"]
_LATIN = lazy_regex(
    r"\b(?:(?P<since>since|from|starting|effective)|(?P<after>after)|(?P<before>before)"
    r"|(?P<until>until|till|by|through|up\sto|(?:no|not)\slater\sthan))\s{1,4}(?:at\s{1,4})?(?:the\s{1,4})?\Z",
    re.IGNORECASE,
)
_CHINESE = lazy_regex(
    r"\s?(?:(?P<since>以来|起|开始)|(?P<after>[之以]?后)|(?P<before>[之以]?前)|(?P<until>为止))"
)
_HAS_BEGUN = lazy_regex(r"\bsince\s{1,4}(?:the\s{1,4})?\Z", re.IGNORECASE)
_LAST_THIRD = lazy_regex(r"[底末]\Z|\bend\s{1,4}of\b", re.IGNORECASE)
_FROM = lazy_regex(r"[从自打由]\s?\Z")
_BEGINS = "开始"
_LOOK_BACK = 20


@dataclass(frozen=True, slots=True)
class Interval:
    """A period in UTC epoch milliseconds. A bound that is None is open."""

    from_ms: int | None
    until_ms: int | None


def interval(
    text: str, said_ms: int, zone: Zone, *, prefer: Prefer = "past", clocks: Clocks = "all"
) -> Interval | None:
    """Return the period that a question names; None if it names no time.

    Several expressions span one period from the first to the last, as in `between May and July` and
    五月到七月. `since last week` and 去年以来 are open towards the present, `before May` and
    五月之前 towards the past.

    Args:
        text: the question.
        said_ms: when it is asked, UTC epoch milliseconds.
        zone: the asker's.
        prefer: in which direction a recurring date is resolved; see the package.
        clocks: which times of the clock are read.
    """
    found = times(text, said_ms, zone, prefer=prefer, clocks=clocks)
    is_alone = len(found) == 1 and prefer != "past"
    if is_alone and found[0].from_ms > said_ms and _HAS_BEGUN.search(text[: found[0].start]):
        found = times(text, said_ms, zone, clocks=clocks)
    return span_period(text, found)


def span_period(text: str, found: Sequence[TimeSpan]) -> Interval | None:
    """Return the period of a question's time expressions; None if there are none."""
    if len(found) == 1:
        return _open(text, found[0])
    if not found:
        return None
    return Interval(min(span.from_ms for span in found), max(span.until_ms for span in found))


def find_side(text: str, span: TimeSpan) -> Side | None:
    """Return the side on which an expression is open: `since 2019`, 周五之前; None for neither."""
    before = text[max(0, span.start - _LOOK_BACK) : span.start]
    ahead = _LATIN.search(before)
    if ahead and not (span.granularity == "range" and ahead["since"]):
        return _side_of(ahead)
    behind = _CHINESE.match(text, span.end)
    if behind and behind[0].strip() == _BEGINS and not _FROM.search(before):
        return None  # 我去年开始吃素 tells of last year, 从去年开始 of all since
    side = _side_of(behind) if behind else None
    return "until" if side == "before" and _LAST_THIRD.search(span.expression) else side


def _side_of(match: re.Match[str]) -> Side | None:
    match match.lastgroup:
        case "since" | "after" | "before" | "until" as side:
            return side
        case _:
            return None


def _open(text: str, span: TimeSpan) -> Interval:
    match find_side(text, span):
        case "since":
            return Interval(span.from_ms, None)
        case "after":
            return Interval(span.from_ms if span.is_clock else span.until_ms, None)
        case "before":
            return Interval(None, span.from_ms)
        case "until":
            return Interval(None, span.from_ms if span.is_clock else span.until_ms)
        case _:
            return Interval(span.from_ms, span.until_ms)


_ISO_TIME = lazy_regex(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d:.,]{0,16}(?:Z|[+-]\d\d:?\d\d)?", re.IGNORECASE
)
_REST = lazy_regex(
    r"\b(?:(?:the\s{1,4})?rest\s{1,4}of\s{1,4})?(?:the|this)\s{1,4}"
    r"(?=(?:week|month|quarter|year|summer|winter)\b)",
    re.IGNORECASE,
)
_FOR = lazy_regex(r"^\s{0,4}(?:for|over|during)\s{1,4}", re.IGNORECASE)
_TO_COME = lazy_regex(
    r"\b(?:(?:for|over|during)\s{1,4})?(?:within|another|(?:the\s{1,4})?(?:next|coming))\s{1,4}"
    r"(?=(?:\d|an?\b|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|week|month|year))",
    re.IGNORECASE,
)
_WITHIN = lazy_regex("(?:之|以)?内(?![容心部向])")
_STILL = lazy_regex("^(?:未来|接下来|再过|还有|再)?的?")
_ENDS = ("until", "before")


def find_end(expression: str, said_ms: int, zone: Zone) -> int | None:
    """Return when the validity that an expression states ends, UTC epoch ms; None if unreadable.

    The period that is named belongs to it: what holds until Friday ends when Friday is over. What
    holds "before Friday" ends when Friday begins, what holds until 5pm at 5pm, and "for two weeks"
    counts from when it was said.

    Args:
        expression: the speaker's words, or a date.
        said_ms: when they were said, UTC epoch milliseconds.
        zone: the speaker's; days end at its midnight.
    """
    if _ISO_TIME.fullmatch(expression.strip()):
        with suppress(InvalidInputError):
            return parse_instant(expression, zone)
    for wording in _wordings(expression.strip()):
        spans = times(wording, said_ms, zone, prefer="future")
        marked = [span for span in spans if find_side(wording, span) in _ENDS]
        ends = [_read_end(wording, span) for span in marked or spans]
        if any(ends):
            return [end for end in ends if end is not None][-1]
        if spans:
            return None
    return None


def _read_end(text: str, span: TimeSpan) -> int | None:
    match find_side(text, span):
        case "since" | "after":
            return None
        case "before":
            return span.from_ms
        case _:
            return span.from_ms if span.is_clock else span.until_ms


def _wordings(expression: str) -> Iterator[str]:
    """Yield the expression, and others of the same meaning that are points in time."""
    yield expression
    yield _REST.sub("this ", expression)
    yield _TO_COME.sub("in ", expression)
    yield f"in {_FOR.sub('', expression)}"
    yield _WITHIN.sub("后", expression)
    yield f"{_STILL.sub('', expression)}后"


_PAST = lazy_regex(
    r"""(?xi)
    \b(?:was|were|had|did|been|ago|since|yesterday|last|went|got|met|saw|came|left|began|bought|sold
      |took|gave|made|said|told|became|won|lost|felt|ate|drank|ran|flew|drove|wrote|found|kept
      |thought|broke|chose|fell|grew|knew|quit|sent|sat|slept|spoke|spent|taught|wore|heard|learnt
      |built|caught|paid|held|woke|sang|swam|tore|passed
      |(?!need|feed|speed|indeed|scheduled|planned|invited|supposed|expected|married|interested
        |allowed|required|booked|located|based)\w{2,}ed)\b
    | 了(?!解)|过(?!去|几|两|敏|一会|程|期)|曾|已经?|刚|以来|昨|前天|去年|上个?[周月星礼]
    | 的(?:婚|[。！!.]|\s*\Z)
    """
)
_AHEAD = lazy_regex(
    r"""(?xi)
    \b(?:is|are|will|shall|going\sto|has|have|must|needs?|plans?|wants?|due|starts?|begins?|leaves?
      |arrives?|ends?|expires?|opens?|closes?|takes\splace|happens?|scheduled|planned|booked)\b
    | ['’](?:ll|s|re|m)\b
    | 是|要(?!求)|将|会(?!议|计|员|谈|场|面)|得(?=[去交做])|准备|打算|定[在于]|安排|改到|推迟到
    | 截止|到期|有(?:个|一)|举[行办]|开始|考试|出发
    """
)


def find_direction(sentence: str) -> Prefer:
    """Return where a date without its year lies in a statement of fact; past by default.

    "The recital is on Saturday the 21st" is to come, "we moved in on Saturday the 21st" has been.

    >>> find_direction("The recital is on Saturday the 21st")
    'future'
    """
    is_ahead = _AHEAD.search(sentence) and not _PAST.search(sentence)
    return "future" if is_ahead else "past"
