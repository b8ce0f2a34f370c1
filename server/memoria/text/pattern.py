"""Regular expressions that are compiled when they are first asked for.

Compiling the tables of rules takes a good 100 ms, which a start-up would pay for nothing.
"""

import re
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class LazyPattern:
    """A regular expression by its source and flags."""

    source: str
    flags: int = 0

    @property
    def regex(self) -> re.Pattern[str]:
        """The expression itself, compiled once a process."""
        return _compile(self.source, self.flags)


@cache
def _compile(source: str, flags: int) -> re.Pattern[str]:
    return re.compile(source, flags)
