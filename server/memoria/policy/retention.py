"""Retention: how long a conclusion counts."""

from memoria.model import Duration

_DAY_MS = 86_400_000
_LASTS_MS: dict[Duration, int | None] = {
    "permanent": None,
    "30d": 30 * _DAY_MS,
    "7d": 7 * _DAY_MS,
    "3d": 3 * _DAY_MS,
    "24h": _DAY_MS,
    "session": _DAY_MS,  # a session has no certain end; a day later nobody is in it
}


def expires_at(duration: Duration, since: int) -> int | None:
    """When a conclusion drawn at `since` stops to count, UTC epoch ms; None for never."""
    lasts = _LASTS_MS[duration]
    return None if lasts is None else since + lasts
