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

from memoria.model.memory import MemoryType, Trust
from memoria.model.turn import Role
from memoria.policy.orders import instruction_shaped
from memoria.policy.phrases import LANGUAGES, Draft
from memoria.policy.spoken import Sentence, sentences

_STATED = 0.5
_ASKED_TO_REMEMBER = 0.6
_LONGEST = 300


@dataclass(frozen=True, slots=True)
class Claim:
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
class Claims:
    """What rules make of a turn."""

    found: tuple[Claim, ...] = ()
    flagged: bool = False
    """It tries to command the memory itself: nothing of it is taken."""


def claims(role: Role, text: str, *, tool_call: bool = False) -> Claims:
    """The memories that a turn states plainly.

    Args:
        role: who produced it. Only a user's words are taken at face value.
        text: its words; anything at all.
        tool_call: whether it carries a tool's call or result.
    """
    if role is not Role.USER or tool_call:
        return Claims()
    if instruction_shaped(text, Trust.USER):
        return Claims(flagged=True)
    found = (claim for sentence in sentences(text) for claim in _claims(sentence))
    return Claims(tuple(found))


def _claims(sentence: Sentence) -> Iterator[Claim]:
    if len(sentence.text) > _LONGEST:
        return
    for draft, confidence in _drafts(sentence.text):
        if draft is not None and not (sentence.asked or sentence.doubted):
            yield Claim(
                draft.type,
                draft.content,
                sentence.text,
                sentence.start,
                draft.subject,
                draft.predicate,
                confidence,
            )
            return


def _drafts(text: str) -> Iterator[tuple[Draft | None, float]]:
    for language in LANGUAGES:
        yield language.asked_to_remember(text), _ASKED_TO_REMEMBER
        yield language.stated(text), _STATED
