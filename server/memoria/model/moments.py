"""Moments: UTC epoch milliseconds inside, ISO 8601 with a zone at the surface.

Days, and words such as "yesterday", depend on a `Zone`: that of the turn's own UTC offset, if the
turn has one (`Zone.at_offset`), otherwise that of the setting `time_zone`, otherwise this
machine's.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import Annotated, Self

from memoria.errors import InvalidInputError, quote_value
from memoria.model.base import Shown

MINUTE_MS = 60_000
_DAY_MS = 86_400_000
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001  (local by design)
_MS = timedelta(milliseconds=1)
TO_THE_DAY, TO_THE_MINUTE = 10, 16
"""Numbers of characters of an ISO 8601 moment that tell its day, and its minute."""
_MS_PER_S = 1000


@dataclass(frozen=True, slots=True)
class LocalDay:
    """A day between its midnights, UTC epoch ms."""

    date: date
    begin: int
    end: int

    @property
    def midnight(self) -> int:
        """First midnight of the day in local time, as milliseconds since 1970."""
        return (self.date.toordinal() - _EPOCH.toordinal()) * _DAY_MS


@dataclass(frozen=True, slots=True)
class Zone:
    """A time zone: an IANA zone, a fixed offset, or this machine's."""

    _rules: tzinfo | None = None

    @classmethod
    def from_name(cls, name: str | None) -> Self:
        """Return the zone of an IANA name, such as `Asia/Shanghai`; without a name this machine's.

        Raises:
            ValueError: there is no such zone.
        """
        if name is None:
            return cls()
        from zoneinfo import ZoneInfo  # noqa: PLC0415  (who sets none pays nothing)

        try:
            return cls(ZoneInfo(name))
        except (KeyError, ValueError, OSError) as error:  # unknown, no name at all, a folder
            raise ValueError(
                "there is no such time zone; write an IANA name such as Asia/Shanghai or "
                "Europe/Berlin (a system without time zone data needs the package tzdata)"
            ) from error

    @classmethod
    def from_offset(cls, offset_minutes: int) -> Self:
        """Return the zone that is always a number of minutes ahead of UTC."""
        return cls(timezone(timedelta(minutes=offset_minutes)))

    def at_offset(self, millis: int, offset_minutes: int | None) -> "Zone":
        """Return the zone of a speaker whose clock was some minutes ahead of UTC at a moment.

        This zone is returned if the offset is unknown, or the same as this zone's at the moment:
        this zone also knows when clocks change.
        """
        if offset_minutes is None or offset_minutes == self.offset_minutes(millis):
            return self
        return _offset_zone(offset_minutes)

    def offset_minutes(self, millis: int) -> int:
        """Return the minutes that the zone was ahead of UTC at a moment; 0 beyond the calendar."""
        try:
            moment = datetime.fromtimestamp(millis / _MS_PER_S, UTC)
            offset = moment.astimezone(self._rules).utcoffset()
        except (OverflowError, OSError, ValueError):  # before or beyond what the system can tell
            return 0
        return 0 if offset is None else round(offset.total_seconds() / 60)

    def to_local(self, millis: int) -> datetime:
        """Convert a moment to the time that the clocks of this zone showed.

        Raises:
            OverflowError: there are no dates before year 1 or after 9999.
        """
        return _EPOCH + (millis + self.offset_minutes(millis) * MINUTE_MS) * _MS

    def to_millis(self, local: datetime) -> int:
        """Convert a time of this zone's clocks to UTC epoch ms.

        The offset is looked up twice, because clocks may change in between.
        """
        there = (local - _EPOCH) // _MS
        guess = there - self.offset_minutes(there) * MINUTE_MS
        return there - self.offset_minutes(guess) * MINUTE_MS

    def date_of(self, millis: int) -> date | None:
        """Return the day of a moment; None beyond the calendar."""
        days = (millis + self.offset_minutes(millis) * MINUTE_MS) // _DAY_MS
        number = _EPOCH.toordinal() + days
        return date.fromordinal(number) if 1 < number < date.max.toordinal() else None

    def day_of(self, millis: int) -> LocalDay | None:
        """Return the day of a moment, with its midnights; None beyond the calendar."""
        found = self.date_of(millis)
        return None if found is None else self.day(found)

    def day(self, day: date) -> LocalDay:
        """Return a day with its midnights."""
        midnight = datetime(day.year, day.month, day.day)  # noqa: DTZ001  (local by design)
        following = midnight + timedelta(days=1)
        return LocalDay(day, self.to_millis(midnight), self.to_millis(following))


@lru_cache(maxsize=256)
def _offset_zone(offset_minutes: int) -> Zone:
    return Zone.from_offset(offset_minutes)


MACHINE_ZONE = Zone()
UTC_ZONE = Zone(UTC)
_OF_INPUT: ContextVar[Zone] = ContextVar("zone", default=MACHINE_ZONE)


def input_zone() -> Zone:
    """Return the zone of times given without an offset: that of `use_zone`, or this machine's."""
    return _OF_INPUT.get()


@contextmanager
def use_zone(zone: Zone) -> Iterator[None]:
    """Read times without an offset as those of a zone in this block, in this task alone."""
    token = _OF_INPUT.set(zone)
    try:
        yield
    finally:
        _OF_INPUT.reset(token)


DAY_MS = 86_400_000
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
    """Take the present from another clock in this block, in this thread alone.

    A nightly run keeps one moment as its present, however often it is resumed.
    """
    token = _CLOCK.set(clock)
    try:
        yield
    finally:
        _CLOCK.reset(token)


def to_millis(moment: datetime, zone: Zone | None = None) -> int:
    """Convert to UTC epoch milliseconds; without a zone of its own, a moment is in `zone`."""
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
    """Format as ISO 8601 in local time of a zone, with milliseconds if there are any.

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
    """Check whether an ISO 8601 time names its zone."""
    return datetime.fromisoformat(text.strip()).tzinfo is not None


def parse_offset(text: str) -> int | None:
    """Return the minutes that the writer's clock was ahead of UTC; None if left open.

    `Z` and `-00:00` give a time in UTC and no clock (RFC 9557); `+00:00` gives both.

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
