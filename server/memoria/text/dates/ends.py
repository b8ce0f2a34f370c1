"""The moment up to which something holds, in a speaker's words: `until Friday`, 到周五."""

import re
from collections.abc import Iterator
from contextlib import suppress

from memoria.errors import InvalidInputError
from memoria.model.instant import parse_instant
from memoria.model.zone import Zone
from memoria.text.dates.interval import interval

_ISO_TIME = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d:.,]{0,16}(?:Z|[+-]\d\d:?\d\d)?", re.IGNORECASE
)
_END_OF = re.compile(r"\b(?:the\s{1,4})?end\s{1,4}of\s{1,4}", re.IGNORECASE)
_THIS = re.compile(r"\b(?:the|this)\s{1,4}(?=(?:week|month|year|summer|winter)\b)", re.IGNORECASE)
_LASTING = re.compile(
    r"^\s{0,4}(?:for|over|during)\s{1,4}(?:(?:the\s{1,4})?(?:next|coming)\s{1,4})?", re.IGNORECASE
)
_LASTING_CHINESE = re.compile(r"^(?:未来|接下来)?(?:的)?|(?:之?内|以内|为止)$")
_BARE_END = re.compile(r"(?<![\d一二三四五六七八九十这本上下个今明])(?=[月年]底)")


def find_end(expression: str, said_ms: int, zone: Zone) -> int | None:
    """When what holds so long has ended, UTC epoch milliseconds; None if it cannot be read.

    The period that is named belongs to it: what holds until Friday ends when Friday is over. What
    holds "before Friday" ends when Friday begins, and "for two weeks" counts from when it was said.

    Args:
        expression: the speaker's words, or a date.
        said_ms: when they were said, UTC epoch milliseconds.
        zone: the speaker's; days end at its midnight.
    """
    if _ISO_TIME.fullmatch(expression.strip()):
        with suppress(InvalidInputError):
            return parse_instant(expression, zone)
    for wording in _wordings(expression.strip()):
        found = interval(wording, said_ms, zone, prefer="future")
        if found is not None and found.until_ms is not None:
            return found.until_ms
    return None


def _wordings(expression: str) -> Iterator[str]:
    """The expression, and others of the same meaning that are points in time."""
    yield expression
    yield _THIS.sub("this ", _END_OF.sub("", expression))
    yield _BARE_END.sub("这个" if "月底" in expression else "今", expression)
    yield f"in {_LASTING.sub('', expression)}"
    yield f"{_LASTING_CHINESE.sub('', expression)}后"
