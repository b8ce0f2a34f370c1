"""What a phrase is, whatever its language."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from memoria.model.memory_types import MemoryType
from memoria.text.pattern import LazyPattern

_LONGEST_PREDICATE = 100


@dataclass(frozen=True, slots=True)
class ParsedStatement:
    """What a clause says."""

    type: MemoryType
    content: str
    subject: str
    predicate: str


def of_many(property_: str, what: str) -> str:
    """The predicate of a property that one may have many of: each is one of its own.

    So liking tea is not taken back by liking chess, but it is by not liking tea.
    """
    return f"{property_}: {what.lower()}"[:_LONGEST_PREDICATE]


@dataclass(frozen=True, slots=True)
class Phrase:
    """How a statement is put, and what it says; None if it is in doubt after all."""

    pattern: LazyPattern
    read: Callable[[re.Match[str]], ParsedStatement | None]


@dataclass(frozen=True, slots=True)
class Language:
    """The phrases of a language."""

    remember: LazyPattern
    """How somebody asks for what follows to be remembered."""
    phrases: tuple[Phrase, ...]
    note: Callable[[str], ParsedStatement | None]
    """What is to be remembered, in the words used; None if it points elsewhere."""

    def parse_statement(self, text: str) -> ParsedStatement | None:
        """What a sentence states."""
        for phrase in self.phrases:
            match = phrase.pattern.regex.match(text)
            if match:
                return phrase.read(match)
        return None

    def parse_request(self, text: str) -> ParsedStatement | None:
        """What a sentence wants remembered, as a statement where it is one."""
        lead = self.remember.regex.match(text)
        rest = text[lead.end() :].strip() if lead else ""
        return (self.parse_statement(rest) or self.note(rest)) if rest else None
