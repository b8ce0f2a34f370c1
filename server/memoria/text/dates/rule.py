"""A rule of a language: what an expression looks like, and how it is read."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from memoria.text.dates.windows import Prefer, Window
from memoria.text.pattern import LazyPattern

ReadMatch = Callable[[re.Match[str], datetime, Prefer], Window | None]
"""What a match means when it is said at a local time; None if it means no time after all."""


@dataclass(frozen=True, slots=True)
class DateRule:
    """A pattern and its reading. The group `e`, where there is one, is the expression."""

    parts: tuple[str, ...]
    """In lower case; without one of them the pattern, which costs far more, can't match."""
    pattern: LazyPattern
    read: ReadMatch
