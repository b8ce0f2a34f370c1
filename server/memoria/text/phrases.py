"""Sayings: whether long texts hold any of some statements, word for word.

As `occurs_in` has it, of which a year of conversations would take minutes: what can't hold a
statement is told by its letters, which takes a hundredth of the time.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

from memoria.text.statement import canonical_form, is_distinctive

_FRAGMENT = re.compile(r"\w+")


class _CanonicalPhrase(NamedTuple):
    """A statement, taken apart once."""

    words: str
    is_distinctive: bool
    fragments: tuple[str, ...]
    """What any text has that says it, longest first."""


class Phrases:
    """Statements to be found in texts."""

    def __init__(self, statements: Iterable[str]) -> None:
        self.statements = tuple(dict.fromkeys(statements))
        self._sayings = tuple(map(_to_canonical_phrase, self.statements))

    @cached_property
    def distinctive(self) -> "Phrases":
        """Those that are known again wherever they stand."""
        return Phrases(filter(is_distinctive, self.statements))

    def may_occur_in(self, text: str) -> bool:
        """False where none can stand in a text, whatever way it is written in JSON or Markdown."""
        folded = _fold(text)
        return any(all(f in folded for f in saying.fragments) for saying in self._sayings)

    def occur_in(self, text: str) -> bool:
        """Whether one stands word for word in a text, or is all of it if it is short."""
        if not self.may_occur_in(text):
            return False
        words = canonical_form(text)
        return any(_phrase_occurs(words, saying) for saying in self._sayings)


def _to_canonical_phrase(statement: str) -> _CanonicalPhrase:
    words = canonical_form(statement)
    fragments = sorted(set(_FRAGMENT.findall(words)), key=len, reverse=True)
    return _CanonicalPhrase(words, is_distinctive(statement), tuple(fragments))


def _phrase_occurs(words: str, saying: _CanonicalPhrase) -> bool:
    return f" {saying.words} " in f" {words} " if saying.is_distinctive else saying.words == words


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
