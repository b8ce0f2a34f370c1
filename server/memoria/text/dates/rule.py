"""A rule of a language: the pattern of a time expression, and how to read it."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from memoria.text.dates.windows import Prefer, Window
from memoria.text.pattern import LazyPattern

ReadMatch = Callable[[re.Match[str], datetime, Prefer], Window | None]
"""Gives the meaning of a match that was said at a local time; None if it is no time after all."""


@dataclass(frozen=True, slots=True)
class DateRule:
    """A pattern and how to read it. If the pattern has a group `e`, that is the expression."""

    parts: tuple[str, ...]
    """In lower case. Unless one of them occurs, the pattern, which is slower, can't match."""
    pattern: LazyPattern
    read: ReadMatch
