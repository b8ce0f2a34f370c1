"""Times as a person reads them: by the clock of a zone, with its offset from UTC.

The zone is that of the setting `time_zone`, else this machine's. JSON has moments in UTC.
"""

from contextvars import ContextVar

from memoria.model.moments import MACHINE_ZONE, Zone

_ZONE: ContextVar[Zone] = ContextVar("zone of the screen", default=MACHINE_ZONE)
_MINUTES = 60


def show_times_in(zone: Zone) -> None:
    """Set the zone in which the running command shows times."""
    _ZONE.set(zone)


def day(millis: int) -> str:
    """Write a moment as `2026-03-02`."""
    return f"{_ZONE.get().to_local(millis):%Y-%m-%d}"


def clock(millis: int) -> str:
    """Write a moment as `09:30`, to stand beside the offset."""
    return f"{_ZONE.get().to_local(millis):%H:%M}"


def offset(millis: int) -> str:
    """Return how far the clock is ahead of UTC at a moment: `+08:00`, or `UTC` where it is UTC."""
    minutes = _ZONE.get().offset_minutes(millis)
    if not minutes:
        return "UTC"
    hours, rest = divmod(abs(minutes), _MINUTES)
    return f"{'+' if minutes > 0 else '-'}{hours:02}:{rest:02}"


def moment(millis: int) -> str:
    """Write a moment as `2026-03-02 09:30 +08:00`."""
    return f"{day(millis)} {clock(millis)} {offset(millis)}"


def second(millis: int) -> str:
    """Write a moment as `2026-03-02 09:30:07 +08:00`."""
    local = _ZONE.get().to_local(millis)
    return f"{local:%Y-%m-%d %H:%M:%S} {offset(millis)}"


def span(first: int, last: int) -> str:
    """Write `09:30 to 10:15 +08:00`, with the day of the beginning where that is another one."""
    begun = clock(first) if day(first) == day(last) else f"{day(first)} {clock(first)}"
    if begun != clock(last):
        shift = "" if offset(first) == offset(last) else f" {offset(first)}"
        begun = f"{begun}{shift} to {clock(last)}"
    return f"{begun} {offset(last)}"
