"""Times as other programs write them."""

from contextlib import suppress
from datetime import UTC, datetime

from pydantic import JsonValue

from memoria.errors import InvalidInputError
from memoria.model.instant import parse_instant, to_millis

_LATEST_SECONDS = 100_000_000_000
"""A number below this is seconds, any above milliseconds: the year 5138, and 1973."""
_LATEST_MS = 253_402_300_799_999  # the year 9999


def read_time(value: JsonValue, *, is_utc: bool = False) -> int | None:
    """Convert a time in seconds, milliseconds or ISO 8601 to UTC epoch ms; None for any other.

    >>> read_time(1_700_000_000), read_time("2023-11-14T22:13:20Z")
    (1700000000000, 1700000000000)

    Args:
        value: the time.
        is_utc: a text that names no zone is UTC, as SQLite and Python's `utcnow` write it.
    """
    match value:
        case bool():
            return None
        case int() | float() if 0 < value < _LATEST_SECONDS:
            return round(value * 1000)
        case int() | float() if 0 < value <= _LATEST_MS:
            return round(value)
        case str():
            return _read_text(value.strip(), is_utc=is_utc)
        case _:
            return None


def _read_text(text: str, *, is_utc: bool) -> int | None:
    if text.isdigit():
        return read_time(int(text)) if len(text) < len(str(_LATEST_MS)) + 1 else None
    with suppress(ValueError, OverflowError, OSError):
        moment = datetime.fromisoformat(text)
        if is_utc and moment.tzinfo is None:
            return to_millis(moment.replace(tzinfo=UTC))
    with suppress(InvalidInputError):
        return parse_instant(text)
    return None
