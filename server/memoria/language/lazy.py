"""Patterns, word tables and results, made when they are first used and kept.

Compiling all tables of rules would slow down every start. And most texts have none of the words
that a rule is about: to look for a word is many times as fast as to match a pattern.

A text always says the same, and many searches read the same texts, so results are remembered. But a
result holds its text, and erased texts are to be nowhere: all results are forgotten when any tenant
erases anything, which is seldom.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from functools import _lru_cache_wrapper


_CAPITAL = re.compile(r"(?s)(?:\\.|[^A-Z\\])*[A-Z]")
_SMALL = {
    ord(letter): small
    for small, letters in (("i", "İı"), ("k", "K"), ("s", "ſ"))
    for letter in letters
}


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

    ASCII text is read in small letters, which is several times as fast as to ignore case. So the
    place of a match counts, and not its letters.
    """

    source: str

    def search(self, text: str) -> re.Match[str] | None:
        """Return the first match in a text."""
        return self._exact.search(text.lower()) if text.isascii() else self._loose.search(text)

    def match(self, text: str) -> re.Match[str] | None:
        """Return the match at the beginning of a text."""
        return self._exact.match(text.lower()) if text.isascii() else self._loose.match(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Yield all matches in a text."""
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


@dataclass(frozen=True, slots=True, eq=False)
class WordList:
    """Words of a kind, in both languages. A list equals itself alone, so that it may be a key."""

    english: frozenset[str]
    chinese: frozenset[str]


def read_rows(package: str, file: str, columns: int) -> Iterator[list[str]]:
    """Yield the columns of each row; a line that begins with # is a comment.

    Args:
        package: the module's package.
        file: the table's name.
        columns: number of columns; those that a row lacks at its end are empty.
    """
    for line in files(package).joinpath(file).read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            cells = line.split("\t")
            yield [*cells, *[""] * (columns - len(cells))]


def read_word_lists(package: str, file: str) -> Mapping[str, WordList]:
    """Read a table with columns for a name, English words and Chinese words, a list for each name.

    Args:
        package: the module's package.
        file: the table's name.
    """
    english, chinese = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    for name, of_english, of_chinese in read_rows(package, file, 3):
        english[name] += of_english.split()
        chinese[name] += of_chinese.split()
    return {name: WordList(frozenset(english[name]), frozenset(chinese[name])) for name in english}


_Result = TypeVar("_Result")
_REMEMBERING: "list[_lru_cache_wrapper[object]]" = []


def remember_results(
    most: int,
) -> "Callable[[Callable[..., _Result]], _lru_cache_wrapper[_Result]]":
    """Let a function remember its last results.

    Args:
        most: how many results. The arguments alone must decide a result.
    """

    def decorate(function: Callable[..., _Result]) -> "_lru_cache_wrapper[_Result]":
        remembering = lru_cache(maxsize=most)(function)
        _REMEMBERING.append(remembering)
        return remembering

    return decorate


def forget_results() -> None:
    """Forget the results of all functions that remember theirs."""
    for each in _REMEMBERING:
        each.cache_clear()
