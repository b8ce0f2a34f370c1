"""Regular expressions that are compiled when they are first used.

Compiling all tables of rules takes more than 100 ms, which would slow down every start.
"""

import re
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class LazyPattern:
    """A regular expression, given by its source and flags."""

    source: str
    flags: int = 0

    @property
    def regex(self) -> re.Pattern[str]:
        """The compiled expression; it is compiled once in a process."""
        return _compile(self.source, self.flags)


@cache
def _compile(source: str, flags: int) -> re.Pattern[str]:
    return re.compile(source, flags)
