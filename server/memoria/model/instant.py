"""Moments: UTC epoch milliseconds inside, ISO 8601 with a zone at the surface."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, date, datetime

from memoria.errors import InvalidInputError, quote_value

DAY_MS = 86_400_000
_MS_PER_S = 1000
_S_PER_MINUTE = 60


def system_millis() -> int:
    """The machine's time, in UTC epoch milliseconds: what leases go by."""
    return time.time_ns() // 1_000_000


_CLOCK: ContextVar[Callable[[], int]] = ContextVar("clock", default=system_millis)


def now_millis() -> int:
    """The present, in UTC epoch milliseconds."""
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


def to_millis(moment: datetime) -> int:
    """UTC epoch milliseconds of `moment`; one without a zone is in this machine's zone."""
    return round(moment.astimezone(UTC).timestamp() * _MS_PER_S)


def from_millis(millis: int) -> datetime:
    """The moment, in UTC."""
    return datetime.fromtimestamp(millis / _MS_PER_S, UTC)


def local_offset_minutes(millis: int) -> int:
    """How far this machine's zone was ahead of UTC at a moment: where its days begin."""
    try:
        offset = datetime.fromtimestamp(millis / _MS_PER_S, UTC).astimezone().utcoffset()
    except (OverflowError, OSError, ValueError):  # before or beyond what the system can tell
        return 0
    return 0 if offset is None else round(offset.total_seconds() / _S_PER_MINUTE)


def local_date(millis: int) -> date | None:
    """The day of a moment on this machine's calendar; None where that has none."""
    days = (millis + local_offset_minutes(millis) * _S_PER_MINUTE * _MS_PER_S) // DAY_MS
    number = date(1970, 1, 1).toordinal() + days
    return date.fromordinal(number) if 1 < number < date.max.toordinal() else None


def start_of_day(millis: int) -> int:
    """The beginning of a moment's day, in UTC."""
    return millis - millis % DAY_MS


def to_iso(millis: int) -> str:
    """ISO 8601 in UTC: `2026-03-02T01:14:05Z`, with milliseconds where there are any."""
    precision = "milliseconds" if millis % _MS_PER_S else "seconds"
    return from_millis(millis).isoformat(timespec=precision).replace("+00:00", "Z")


def parse_instant(text: str) -> int:
    """UTC epoch milliseconds of an ISO 8601 date or time.

    A date alone means its first moment. Without a zone, this machine's is meant.

    Args:
        text: such as `2026-03-02`, `2026-03-02T09:14:05+08:00` or `20260302T011405Z`.

    Raises:
        InvalidInputError: `text` is not ISO 8601.
    """
    try:
        return to_millis(datetime.fromisoformat(text.strip()))
    except (ValueError, OverflowError, OSError) as error:
        raise InvalidInputError(
            f"{quote_value(text)} is not a date or time. "
            "Write ISO 8601, such as 2026-03-02 or 2026-03-02T09:14:05+08:00."
        ) from error
