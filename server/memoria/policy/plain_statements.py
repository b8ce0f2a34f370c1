"""Plain statements: the memories that rules make of a turn, without a model.

A rule must match a whole clause in the user's own words. Questions, conditions, hearsay, code,
quotations and pasted text give no memory, nor does a clause that points elsewhere ("I like that
one"). A memory is put in the third person ("The user prefers tea over coffee.", 用户对花生过敏。).
If a word of the first or second person remains, the words are quoted (`The user says: "I prefer my
tea black."`), because changing them would be guesswork. A model that reads the turn later replaces
these memories, so their confidence is lower than a model's.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from memoria.model.memory import Trust
from memoria.model.memory_types import MemoryType
from memoria.model.turn import Role
from memoria.policy.orders import instruction_shaped
from memoria.policy.own_words import Sentence, own_sentences
from memoria.policy.phrases import LANGUAGES, ParsedStatement

_STATED_CONFIDENCE = 0.5
_ASKED_CONFIDENCE = 0.6
_LONGEST = 300


@dataclass(frozen=True, slots=True)
class PlainStatement:
    """A statement that rules have understood."""

    type: MemoryType
    content: str
    """What the memory will say: a complete sentence in the language of the turn."""
    quote: str
    """The sentence of the turn, word for word."""
    start: int
    """The position of the quote in the turn."""
    subject: str
    predicate: str
    confidence: float


@dataclass(frozen=True, slots=True)
class PlainStatements:
    """The statements that rules have understood in a turn."""

    statements: tuple[PlainStatement, ...] = ()
    is_order: bool = False
    """Whether the turn tries to give orders to the memory; then there are no statements."""


def find_plain_statements(role: Role, text: str, *, tool_call: bool = False) -> PlainStatements:
    """Find the plain statements of a turn.

    Args:
        role: who produced the turn; only a user's words are taken literally.
        text: its words.
        tool_call: whether it carries a tool's call or result.
    """
    if role is not Role.USER or tool_call:
        return PlainStatements()
    if instruction_shaped(text, Trust.USER):
        return PlainStatements(is_order=True)
    found = (claim for sentence in own_sentences(text) for claim in _statements_in(sentence))
    return PlainStatements(tuple(found))


def _statements_in(sentence: Sentence) -> Iterator[PlainStatement]:
    if len(sentence.text) > _LONGEST:
        return
    for draft, confidence in _readings(sentence.text):
        if draft is not None and not (sentence.is_question or sentence.is_doubtful):
            yield PlainStatement(
                draft.type,
                draft.content,
                sentence.text,
                sentence.start,
                draft.subject,
                draft.predicate,
                confidence,
            )
            return


def _readings(text: str) -> Iterator[tuple[ParsedStatement | None, float]]:
    for language in LANGUAGES:
        yield language.parse_request(text), _ASKED_CONFIDENCE
        yield language.parse_statement(text), _STATED_CONFIDENCE
