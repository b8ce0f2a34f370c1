"""Regular expressions that are compiled when they are first used, and tried where they may fit.

Compiling all tables of rules would slow down every start. And most texts have none of the words
that a rule is about: to look for a word is many times as fast as to match a pattern.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

_CAPITAL = re.compile(r"(?s)(?:\\.|[^A-Z\\])*[A-Z]")
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
class TablePattern:
    """A regular expression of words that stand in a table, which is read when it is first used."""

    write: Callable[[], str]
    """Write the source of the expression."""

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The compiled expression; it is compiled once in a process."""
        return re.compile(self.write())


@dataclass(frozen=True)
class SmallPattern:
    """An expression that is written in small letters, and finds capital ones, too.

    Of ASCII text it reads the small letters: one that need not take every letter for two is several
    times as fast. So of what it finds the place counts, and not the letters.
    """

    source: str

    def search(self, text: str) -> re.Match[str] | None:
        """Return its first match in a text."""
        return self._exact.search(text.lower()) if text.isascii() else self._loose.search(text)

    def match(self, text: str) -> re.Match[str] | None:
        """Return its match at the beginning of a text."""
        return self._exact.match(text.lower()) if text.isascii() else self._loose.match(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Yield all its matches."""
        return self._exact.finditer(text.lower()) if text.isascii() else self._loose.finditer(text)

    @cached_property
    def _exact(self) -> re.Pattern[str]:
        if _CAPITAL.match(self.source):
            raise ValueError(f"a capital letter is never found: {self.source}")
        return re.compile(self.source)

    @cached_property
    def _loose(self) -> re.Pattern[str]:
        return re.compile(self.source, re.IGNORECASE)


def small_letters(text: str) -> str:
    """Return the text in small letters, each in its place, for patterns in small letters."""
    return text.lower() if text.isascii() else text.translate(_SMALL).lower()


def has_any(text: str, signs: Iterable[str]) -> bool:
    """Check whether a text has any of some signs."""
    return any(map(text.__contains__, signs))
