"""Moments: UTC epoch milliseconds inside, ISO 8601 with a zone at the surface."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta, timezone
from typing import Annotated

from memoria.errors import InvalidInputError, quote_value
from memoria.model.base import Shown
from memoria.model.zone import UTC_ZONE, Zone, input_zone

DAY_MS = 86_400_000
_MS_PER_S = 1000
_S_PER_MINUTE = 60
_UNKNOWN_OFFSETS = ("Z", "z", "-00:00", "-0000", "-00")


def system_millis() -> int:
    """Return the machine's time, by which leases go, in UTC epoch milliseconds."""
    return time.time_ns() // 1_000_000


_CLOCK: ContextVar[Callable[[], int]] = ContextVar("clock", default=system_millis)


def now_millis() -> int:
    """Return the present, in UTC epoch milliseconds."""
    return _CLOCK.get()()


@contextmanager
def use_clock(clock: Callable[[], int]) -> Iterator[None]:
    """Let another clock tell the present in this block, in this thread alone.

    A nightly run goes by one moment however long it takes and however often it is resumed.
    """
    token = _CLOCK.set(clock)
    try:
        yield
    finally:
        _CLOCK.reset(token)


def to_millis(moment: datetime, zone: Zone | None = None) -> int:
    """Convert to UTC epoch milliseconds; a zoneless moment is in this zone, or in `use_zone`'s."""
    if moment.tzinfo is None:
        return (zone or input_zone()).to_millis(moment)
    return round(moment.astimezone(UTC).timestamp() * _MS_PER_S)


def from_millis(millis: int) -> datetime:
    """Convert UTC epoch milliseconds to a datetime in UTC."""
    return datetime.fromtimestamp(millis / _MS_PER_S, UTC)


def start_of_utc_day(millis: int) -> int:
    """Return the beginning of a moment's day in UTC, by which daily tokens are counted."""
    return millis - millis % DAY_MS


def to_iso(millis: int, zone: Zone = UTC_ZONE) -> str:
    """Format as ISO 8601, with milliseconds where there are any.

    In another zone than UTC it is the time of its clocks: `2026-03-02T09:14:05+08:00`.

    >>> to_iso(1772414045000)
    '2026-03-02T01:14:05Z'
    """
    precision = "milliseconds" if millis % _MS_PER_S else "seconds"
    moment = from_millis(millis)
    if offset := zone.offset_minutes(millis):
        try:
            moment = moment.astimezone(timezone(timedelta(minutes=offset)))
        except OverflowError:  # the zone's clocks show a year beyond 9999: it stays in UTC
            moment = from_millis(millis)
    return moment.isoformat(timespec=precision).replace("+00:00", "Z")


Moment = Annotated[int, Shown(write=to_iso)]
"""UTC epoch milliseconds, in JSON ISO 8601."""


def parse_instant(text: str, zone: Zone | None = None) -> int:
    """Parse an ISO 8601 date or time to UTC epoch milliseconds.

    A date alone means its first moment.

    Args:
        text: such as `2026-03-02`, `2026-03-02T09:14:05+08:00` or `20260302T011405Z`.
        zone: the one that is meant by a text that names none; that of `use_zone` by default.

    Raises:
        InvalidInputError: `text` is not ISO 8601.
    """
    try:
        moment = datetime.fromisoformat(text.strip())
        return to_millis(moment, zone)
    except (ValueError, OverflowError, OSError) as error:
        raise InvalidInputError(
            f"{quote_value(text)} is not a date or time. "
            "Write ISO 8601, such as 2026-03-02 or 2026-03-02T09:14:05+08:00."
        ) from error


def is_zoned(text: str) -> bool:
    """Return whether an ISO 8601 time names its zone."""
    return datetime.fromisoformat(text.strip()).tzinfo is not None


def parse_offset(text: str) -> int | None:
    """Return by how many minutes the writer's clock was ahead of UTC; None where that is open.

    `Z` and `-00:00` say in UTC when it was, and nothing of a clock (RFC 9557); `+00:00` says both.

    >>> parse_offset("2026-03-02T09:14:05+08:00")
    480
    """
    try:
        offset = datetime.fromisoformat(text.strip()).utcoffset()
    except ValueError:
        return None
    if offset is None or text.strip().endswith(_UNKNOWN_OFFSETS):
        return None
    return round(offset.total_seconds() / _S_PER_MINUTE)
