"""Measures: CPU of a text and of one four times as long, by the same rule in the same run."""

from collections.abc import Iterator
from dataclasses import dataclass
from time import thread_time

from bench.redos.entries import Entry
from bench.redos.fragments import repeat
from memoria.language.lazy import forget_results

MOST_TIMES = 5.0
"""What four times the length may cost at most, where linear is four."""
FLOOR_S = 0.008
"""What a text costs that is worth a look: below it, noise decides."""
_REPEATS = 20
_AT_ONCE_S = 0.25
"""What the shorter text may cost at all: where it is more, the longer one is not even tried."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a fragment costs a rule, repeated to two lengths."""

    fragment: str
    short_s: float
    long_s: float

    @property
    def times(self) -> float:
        """How many times the shorter text's CPU the longer one takes."""
        return self.long_s / max(self.short_s, 1e-6)

    @property
    def is_too_slow(self) -> bool:
        """Whether it grows faster than the text does."""
        is_long = self.long_s >= FLOOR_S
        return self.short_s > _AT_ONCE_S or (is_long and self.times > MOST_TIMES)


def measure(entry: Entry, fragment: str, size: int) -> Cost:
    """Measure a fragment repeated to a size and to four times that.

    Only what looks slow is measured again: the least of several is free of what else runs.
    """
    texts = repeat(fragment, size), repeat(fragment, 4 * size)
    short_s = _time(entry, texts[0])
    if short_s > _AT_ONCE_S:
        return Cost(fragment, min(short_s, _time(entry, texts[0])), 4 * short_s)
    cost = Cost(fragment, short_s, _time(entry, texts[1]))
    for _ in range(_REPEATS):
        if not cost.is_too_slow:
            break
        short_s, long_s = (_time(entry, text) for text in texts)
        cost = Cost(fragment, min(cost.short_s, short_s), min(cost.long_s, long_s))
    return cost


def _time(entry: Entry, text: str) -> float:
    forget_results()
    before = thread_time()
    result = entry(text)
    if isinstance(result, Iterator):
        for _ in result:
            pass
    return thread_time() - before
