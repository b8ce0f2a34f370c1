"""What phrases are made of, whatever their language."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from memoria.model.memory_types import MemoryType
from memoria.policy.phrases.changes import without_change
from memoria.policy.phrases.moment import is_choice
from memoria.text.pattern import LazyPattern

LONGEST_PREDICATE = 100


@dataclass(frozen=True, slots=True)
class ParsedStatement:
    """The statement that a clause makes."""

    type: MemoryType
    content: str
    subject: str
    predicate: str


def of_many(property_: str, what: str) -> str:
    """The predicate of a property that may have many values: each value gets its own.

    So "likes chess" does not replace "likes tea", but "does not like tea" does.
    """
    return f"{property_}: {what.lower()}"[:LONGEST_PREDICATE]


@dataclass(frozen=True, slots=True)
class Phrase:
    """A pattern for a clause, and a function that reads it; None where it is in doubt."""

    pattern: LazyPattern
    read: Callable[[re.Match[str]], ParsedStatement | None]


@dataclass(frozen=True, slots=True)
class Language:
    """The phrases of a language."""

    remember: LazyPattern
    """Matches the beginning of a request to remember what follows."""
    opening: LazyPattern
    """Matches the beginning of all that a phrase reads; a quick look."""
    phrases: tuple[Phrase, ...]
    note: Callable[[str], ParsedStatement | None]
    """Makes a statement of what is to be remembered; None if it points elsewhere."""

    def parse_statement(self, text: str) -> ParsedStatement | None:
        """The statement that a sentence makes, if it makes one."""
        plain = without_change(text)
        found = None if plain == text else self._parse(plain)
        return found or self._parse(text)

    def _parse(self, text: str) -> ParsedStatement | None:
        if not self.opening.regex.match(text):
            return None
        for phrase in self.phrases:
            match = phrase.pattern.regex.match(text)
            if match:
                return None if is_choice(match[0]) else phrase.read(match)
        return None

    def parse_request(self, text: str) -> ParsedStatement | None:
        """The statement that a sentence asks to have remembered, if it does."""
        lead = self.remember.regex.match(text)
        rest = text[lead.end() :].strip() if lead else ""
        return (self.parse_statement(rest) or self.note(rest)) if rest else None
