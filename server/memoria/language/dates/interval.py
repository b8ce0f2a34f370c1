"""The period that a question asks about, and the sides on which an expression is open."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.dates.find import Clocks, TimeSpan, times
from memoria.language.dates.windows import Prefer
from memoria.model.zone import Zone

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
    """Return the side on which a text opens an expression: `since 2019`, 周五之前. Or None."""
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
