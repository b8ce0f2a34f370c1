"""Ends of validity, in a speaker's words: `until Friday`, 到周五."""

import re
from collections.abc import Iterator
from contextlib import suppress

from memoria.bare.lazy_regex import lazy_regex
from memoria.errors import InvalidInputError
from memoria.language.dates.find import TimeSpan, times
from memoria.language.dates.interval import find_side
from memoria.model.instant import parse_instant
from memoria.model.zone import Zone

_ISO_TIME = lazy_regex(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d:.,]{0,16}(?:Z|[+-]\d\d:?\d\d)?", re.IGNORECASE
)
_REST = lazy_regex(
    r"\b(?:(?:the\s{1,4})?rest\s{1,4}of\s{1,4})?(?:the|this)\s{1,4}"
    r"(?=(?:week|month|quarter|year|summer|winter)\b)",
    re.IGNORECASE,
)
_LASTING = lazy_regex(r"^\s{0,4}(?:for|over|during)\s{1,4}", re.IGNORECASE)
_AHEAD = lazy_regex(
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
    yield _AHEAD.sub("in ", expression)
    yield f"in {_LASTING.sub('', expression)}"
    yield _WITHIN.sub("后", expression)
    yield f"{_STILL.sub('', expression)}后"
