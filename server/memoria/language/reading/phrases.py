"""Phrases: a search of long texts for any of several statements, word for word.

The result is that of `occurs_in`, which is far too slow for a year of conversations. Texts that
can't hold a statement are ruled out by a search for its letters.
"""

from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.reading.recognition import Reading, fold, is_read_as_written, read_statement
from memoria.language.reading.statement import is_distinctive

_FRAGMENT = lazy_regex(r"\w+")


class _ReadPhrase(NamedTuple):
    """A statement, analysed once."""

    reading: Reading
    is_distinctive: bool
    fragments: tuple[str, ...]
    """Strings that every text with the statement contains, longest first."""


class Phrases:
    """Statements to be searched for."""

    def __init__(self, statements: Iterable[str]) -> None:
        self.statements = tuple(dict.fromkeys(statements))
        self._sayings = tuple(map(_read_phrase, self.statements))

    @cached_property
    def distinctive(self) -> "Phrases":
        """Statements that are long enough to be recognised inside of other text."""
        return Phrases(filter(is_distinctive, self.statements))

    def may_occur_in(self, text: str) -> bool:
        """Return False if none can occur in a text, however it is escaped in JSON or Markdown."""
        folded = fold(text)
        return any(all(f in folded for f in saying.fragments) for saying in self._sayings)

    def occur_in(self, text: str) -> bool:
        """Check whether one occurs in a text word for word; a short one must be the whole text."""
        if not self.may_occur_in(text):
            return False
        reading = read_statement(text)
        return any(_phrase_occurs(reading, saying) for saying in self._sayings)


def _read_phrase(statement: str) -> _ReadPhrase:
    reading = read_statement(statement)
    words = " ".join(filter(is_read_as_written, reading.words))
    fragments = sorted(set(_FRAGMENT.findall(words)), key=len, reverse=True)
    return _ReadPhrase(reading, is_distinctive(statement), tuple(fragments))


def _phrase_occurs(text: Reading, saying: _ReadPhrase) -> bool:
    return text.states(saying.reading, "anywhere" if saying.is_distinctive else "text")
