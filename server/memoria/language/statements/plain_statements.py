"""Plain statements that rules find in a turn of the user's, without a model.

Nothing is concluded here and nothing is reworded. What a turn asks to have remembered is kept in
the user's own words, and a turn that is a standing wish as a whole is marked as one. Questions,
hearsay, irony, code, quotations, drafts and pasted text ask for nothing, nor does a turn that asks
not to be remembered.
"""

from dataclasses import dataclass
from itertools import islice, zip_longest

from memoria.language.reading.own_words import (
    BLOT,
    Sentence,
    blot_foreign_text,
    sentences_of_blotted,
)
from memoria.language.statements.confided import read_condition
from memoria.language.statements.kinds import guess_type
from memoria.language.statements.orders import instruction_shaped
from memoria.language.statements.requests import (
    drop_lead,
    find_request,
    leave_out_secrets,
    stands_alone,
)
from memoria.language.statements.standing import is_standing_wish
from memoria.language.statements.vetoes import find_draft, is_meant_otherwise
from memoria.language.statements.withheld import asks_not_to_remember
from memoria.model.condition import Condition
from memoria.model.memory import Trust
from memoria.model.memory_types import MemoryType
from memoria.model.turn import Mark, Role

_LONGEST = 300
_LONGEST_TEXT = 20_000
_MOST_SENTENCES = 80


@dataclass(frozen=True, slots=True)
class PlainStatement:
    """Words of a turn that it asks to have remembered."""

    type: MemoryType
    quote: str
    """The words, as they stand in the turn."""
    start: int
    """Their position in the turn."""


@dataclass(frozen=True, slots=True)
class PlainStatements:
    """Findings of the rules in a turn."""

    request: PlainStatement | None = None
    """Words that the turn asks to have remembered."""
    is_wish: bool = False
    """True if the turn as a whole is a wish that is to hold from now on."""

    @property
    def mark(self) -> Mark:
        """Kind of thing that the turn says."""
        return "wish" if self.is_wish else "none"


def find_plain_statements(role: Role, text: str, *, tool_call: bool = False) -> PlainStatements:
    """Find what a turn asks for that lasts.

    Args:
        role: who produced the turn; only a user's words are taken literally.
        text: its words.
        tool_call: whether it carries a tool's call or result.
    """
    if role is not Role.USER or tool_call:
        return PlainStatements()
    if len(text) > _LONGEST_TEXT:
        return PlainStatements()
    blotted = blot_foreign_text(text)
    found = _find_in(text, blotted)
    # Most turns ask for nothing anyway, so whether anything may be taken is asked last.
    is_empty = found == PlainStatements()
    return found if is_empty or _may_be_taken(text, blotted) else PlainStatements()


def _may_be_taken(text: str, blotted: str) -> bool:
    """Check that a text gives the memory no orders, and does not ask to be left out of it."""
    if instruction_shaped(text, Trust.USER) or asks_not_to_remember(blotted):
        return False
    read = read_condition(text)
    return read is None or read.condition is not Condition.WITHHELD


def _find_in(text: str, blotted: str) -> PlainStatements:
    draft = find_draft(blotted)
    sentences = [
        each
        for each in islice(sentences_of_blotted(blotted), _MOST_SENTENCES)
        if each.start < draft
    ]
    pairs = zip_longest(sentences, sentences[1:])
    asked = (_find_asked(each, text, blotted, after) for each, after in pairs)
    is_wish = is_literal(blotted) and is_standing_wish(text)
    return PlainStatements(next(filter(None, asked), None), is_wish)


def is_literal(blotted: str) -> bool:
    """Check whether a message as a whole is meant as it reads: no part to play, no irony."""
    sentences = islice(sentences_of_blotted(blotted), _MOST_SENTENCES)
    is_part = find_draft(blotted) < len(blotted)
    return not is_part and not any(is_meant_otherwise(one.text) for one in sentences)


def _find_asked(
    sentence: Sentence, text: str, blotted: str, after: Sentence | None
) -> PlainStatement | None:
    """Return the words to be remembered; the whole turn where the sentence points at it.

    Clauses that held a secret are left out. Where that is all, a semicolon leads to the next.
    """
    start = find_request(sentence.text)
    if start is None or sentence.is_question or sentence.is_doubtful:
        return None
    if is_meant_otherwise(sentence.text):
        return None
    words, start = sentence.text[start:].strip(), sentence.start + start
    if not stands_alone(words):
        words, start = text.strip(), 0
        if BLOT in blotted or (words.startswith(sentence.text) and not _says_more(words, sentence)):
            return None
    words = leave_out_secrets(words)
    if not words and after is not None and sentence.end in (";", "；"):
        words = "" if after.is_question or after.is_doubtful else drop_lead(after.text)
        words = leave_out_secrets(words) if stands_alone(words) else ""
    if not words or len(words) > _LONGEST:
        return None
    return PlainStatement(guess_type(words), words, text.find(words, start))


def _says_more(text: str, sentence: Sentence) -> bool:
    """Check whether a turn says anything beside the sentence with the request."""
    return len(text) > len(sentence.text) + len(sentence.end)
