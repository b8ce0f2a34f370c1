"""Backoff: the pause of a worker before it tries again."""

import random

from memoria.config import LONGEST_PAUSE_MS

_DOUBLED_AT_MOST = 20


def backoff_ms(first_ms: int, failures: int) -> int:
    """Return an exponential pause with jitter, in ms: `first_ms` doubles with every failure."""
    longest = min(first_ms << min(failures, _DOUBLED_AT_MOST), LONGEST_PAUSE_MS)
    return round(longest * random.uniform(0.5, 1))  # noqa: S311  (spreads retries, no secret)
