"""Phrases: searches long texts for any of several statements, word for word.

The result is that of `occurs_in`, which would take minutes for a year of conversations. Texts that
can't hold a statement are ruled out by a search for its letters, in a hundredth of the time.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

from memoria.text.statement import canonical_form, is_distinctive

_FRAGMENT = re.compile(r"\w+")


class _CanonicalPhrase(NamedTuple):
    """A statement, analysed once."""

    words: str
    is_distinctive: bool
    fragments: tuple[str, ...]
    """Strings that every text with the statement contains, longest first."""


class Phrases:
    """Statements to be searched for."""

    def __init__(self, statements: Iterable[str]) -> None:
        self.statements = tuple(dict.fromkeys(statements))
        self._sayings = tuple(map(_to_canonical_phrase, self.statements))

    @cached_property
    def distinctive(self) -> "Phrases":
        """Those that are long enough to be recognised inside of other text."""
        return Phrases(filter(is_distinctive, self.statements))

    def may_occur_in(self, text: str) -> bool:
        """False if none can occur in a text, however it is escaped in JSON or Markdown."""
        folded = _fold(text)
        return any(all(f in folded for f in saying.fragments) for saying in self._sayings)

    def occur_in(self, text: str) -> bool:
        """Whether one occurs in a text word for word; a short one must be the whole text."""
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
