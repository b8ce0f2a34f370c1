"""Memories by rules alone, for want of a model: only what a user states plainly, in so many words.

A claim is made where a rule matches a whole clause of the user's own. Questions, conditions,
hearsay, quotation, code and pasted text make none, nor does a word that points elsewhere ("I like
that one"). What reads well in the third person is put so ("The user prefers tea over coffee.",
用户对花生过敏。); where a word of the first or second person is left, the words stand as they were
said (`The user says: "I prefer my tea black."`), since turning them is guesswork. A model that sees
the turn later replaces what stands here, so confidence is below a model's.
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
    """A memory in the making."""

    type: MemoryType
    content: str
    """A sentence that stands by itself, in the language of its source."""
    quote: str
    """The words it rests on, exactly as they stand in the turn."""
    start: int
    """Where they stand there."""
    subject: str
    predicate: str
    confidence: float


@dataclass(frozen=True, slots=True)
class PlainStatements:
    """What rules make of a turn."""

    statements: tuple[PlainStatement, ...] = ()
    is_order: bool = False
    """It tries to command the memory itself: nothing of it is taken."""


def find_plain_statements(role: Role, text: str, *, tool_call: bool = False) -> PlainStatements:
    """The memories that a turn states plainly.

    Args:
        role: who produced it. Only a user's words are taken at face value.
        text: its words; anything at all.
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
