"""Moments: UTC epoch milliseconds inside, ISO 8601 with a zone at the surface."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta, timezone

from memoria.errors import InvalidInputError, quote_value
from memoria.model.zone import UTC_ZONE, Zone, input_zone

DAY_MS = 86_400_000
_MS_PER_S = 1000
_S_PER_MINUTE = 60
_UNKNOWN_OFFSETS = ("Z", "z", "-00:00", "-0000", "-00")


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


def to_millis(moment: datetime, zone: Zone | None = None) -> int:
    """UTC epoch milliseconds of `moment`; one without a zone is in this one, or in `use_zone`'s."""
    if moment.tzinfo is None:
        return (zone or input_zone()).to_millis(moment)
    return round(moment.astimezone(UTC).timestamp() * _MS_PER_S)


def from_millis(millis: int) -> datetime:
    """The moment, in UTC."""
    return datetime.fromtimestamp(millis / _MS_PER_S, UTC)


def start_of_utc_day(millis: int) -> int:
    """The beginning of a moment's day in UTC, by which a chat model's daily tokens are counted."""
    return millis - millis % DAY_MS


def to_iso(millis: int, zone: Zone = UTC_ZONE) -> str:
    """ISO 8601: `2026-03-02T01:14:05Z`, with milliseconds where there are any.

    In another zone than UTC it is the time of its clocks: `2026-03-02T09:14:05+08:00`.
    """
    precision = "milliseconds" if millis % _MS_PER_S else "seconds"
    moment = from_millis(millis)
    if offset := zone.offset_minutes(millis):
        try:
            moment = moment.astimezone(timezone(timedelta(minutes=offset)))
        except OverflowError:  # the zone's clocks show a year beyond 9999: it stays in UTC
            moment = from_millis(millis)
    return moment.isoformat(timespec=precision).replace("+00:00", "Z")


def parse_instant(text: str, zone: Zone | None = None) -> int:
    """UTC epoch milliseconds of an ISO 8601 date or time.

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
    """Whether an ISO 8601 time says in which zone it is."""
    return datetime.fromisoformat(text.strip()).tzinfo is not None


def parse_offset(text: str) -> int | None:
    """How many minutes the clock of whoever wrote an ISO 8601 time was ahead of UTC, if it says so.

    `Z` and `-00:00` say in UTC when it was, and nothing of a clock (RFC 9557); `+00:00` says both.
    """
    try:
        offset = datetime.fromisoformat(text.strip()).utcoffset()
    except ValueError:
        return None
    if offset is None or text.strip().endswith(_UNKNOWN_OFFSETS):
        return None
    return round(offset.total_seconds() / _S_PER_MINUTE)
