"""Regular expressions that are compiled when they are first used, and tried where they may fit.

Compiling all tables of rules takes more than 100 ms, which would slow down every start. And most
texts have none of the words that a rule is about: to look for a word is many times as fast as to
match a pattern.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

_SMALL = {
    ord(letter): small
    for small, letters in (("i", "İı"), ("k", "K"), ("s", "ſ"))
    for letter in letters
}


@dataclass(frozen=True)
class LazyPattern:
    """A regular expression, given by its source and flags."""

    source: str
    flags: int = 0

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The compiled expression; it is compiled once in a process."""
        return re.compile(self.source, self.flags)


@dataclass(frozen=True)
class SignedPattern:
    """An expression, and the words without which it finds nothing: it needs one of each group."""

    signs: tuple[Sequence[str], ...]
    pattern: LazyPattern

    def may_be_in(self, small: str) -> bool:
        """Whether a text, in small letters, has such words; a quick look."""
        return all(has_any(small, signs) for signs in self.signs)


def small_letters(text: str) -> str:
    """The text as an expression reads it that does not tell small letters from capital ones."""
    return text.lower() if text.isascii() else text.translate(_SMALL).lower()


def has_any(text: str, signs: Iterable[str]) -> bool:
    """Whether a text has any of some signs."""
    return any(map(text.__contains__, signs))
