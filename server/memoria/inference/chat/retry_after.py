"""Pause that an endpoint wants, from the headers of its answer.

`Retry-After` (RFC 9110: seconds, or a date) and its cousin in milliseconds say it outright. The
`x-ratelimit-*` headers that OpenAI began (`x-ratelimit-remaining-tokens: 0`,
`x-ratelimit-reset-tokens: 6m0s`) say it for each limit; what counts is the limit that is used up.
"""

from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from memoria.bare.lazy_regex import lazy_regex
from memoria.model import to_millis

LONGEST_PAUSE_S = 24 * 3600.0
"""Longest pause for which an endpoint is believed."""

_LIMITS = ("requests", "tokens")
_SPAN = lazy_regex(
    r"(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m(?!s))?(?:(\d{1,9}(?:\.\d{1,9})?)s)?"
)
_MILLISECONDS = lazy_regex(r"(\d{1,12}(?:\.\d{1,9})?)ms")
_NUMBER = lazy_regex(r"\d{1,12}(?:\.\d{1,9})?")
_UNITS_S = (86_400, 3600, 60, 1)


def retry_pause_s(headers: Mapping[str, str], now: int) -> float | None:
    """Return the seconds to wait by the headers, at most a day; None where they say nothing.

    Args:
        headers: by names in lower case.
        now: the present, in UTC epoch milliseconds.
    """
    asked = _retry_after_s(headers, now)
    if asked is None:
        resets = [
            _span_s(headers.get(f"x-ratelimit-reset-{limit}", ""))
            for limit in _list_exhausted(headers)
        ]
        asked = max((reset for reset in resets if reset is not None), default=None)
    return None if asked is None else min(max(asked, 0.0), LONGEST_PAUSE_S)


def _list_exhausted(headers: Mapping[str, str]) -> list[str]:
    """List the limits that are used up."""
    return [name for name in _LIMITS if headers.get(f"x-ratelimit-remaining-{name}") == "0"]


def _retry_after_s(headers: Mapping[str, str], now: int) -> float | None:
    milliseconds = headers.get("retry-after-ms", "").strip()
    if _NUMBER.fullmatch(milliseconds):
        return float(milliseconds) / 1000
    after = headers.get("retry-after", "").strip()
    if _NUMBER.fullmatch(after):
        return float(after)
    try:
        return (to_millis(parsedate_to_datetime(after)) - now) / 1000
    except (ValueError, OverflowError, OSError):
        return None


def _span_s(span: str) -> float | None:
    """Read the seconds of `20ms`, `1s`, `6m0s`, `1h30m`, or a bare number of them."""
    span = span.strip()
    if _NUMBER.fullmatch(span):
        return float(span)
    if milliseconds := _MILLISECONDS.fullmatch(span):
        return float(milliseconds[1]) / 1000
    parts = _SPAN.fullmatch(span)
    if parts is None or not span:
        return None
    return sum(float(part or 0) * unit for part, unit in zip(parts.groups(), _UNITS_S, strict=True))
