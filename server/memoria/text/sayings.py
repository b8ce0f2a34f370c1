"""Sayings: whether long texts hold any of some statements, word for word.

As `stands_in` has it, of which a year of conversations would take minutes: what can't hold a
statement is told by its letters, which takes a hundredth of the time.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

from memoria.text.statement import canonical, telling

_FRAGMENT = re.compile(r"\w+")


class _Saying(NamedTuple):
    """A statement, taken apart once."""

    words: str
    telling: bool
    fragments: tuple[str, ...]
    """What any text has that says it, longest first."""


class Sayings:
    """Statements to be found in texts."""

    def __init__(self, statements: Iterable[str]) -> None:
        self.statements = tuple(dict.fromkeys(statements))
        self._sayings = tuple(map(_saying, self.statements))

    @cached_property
    def telling(self) -> "Sayings":
        """Those that are known again wherever they stand."""
        return Sayings(filter(telling, self.statements))

    def might_stand_in(self, text: str) -> bool:
        """False where none can stand in a text, whatever way it is written in JSON or Markdown."""
        folded = _folded(text)
        return any(all(f in folded for f in saying.fragments) for saying in self._sayings)

    def stand_in(self, text: str) -> bool:
        """Whether one stands word for word in a text, or is all of it if it is short."""
        if not self.might_stand_in(text):
            return False
        words = canonical(text)
        return any(_says(words, saying) for saying in self._sayings)


def _saying(statement: str) -> _Saying:
    words = canonical(statement)
    fragments = sorted(set(_FRAGMENT.findall(words)), key=len, reverse=True)
    return _Saying(words, telling(statement), tuple(fragments))


def _says(words: str, saying: _Saying) -> bool:
    return f" {saying.words} " in f" {words} " if saying.telling else saying.words == words


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
