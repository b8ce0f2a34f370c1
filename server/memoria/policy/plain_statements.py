"""Plain statements: the memories that rules make of a turn, without a model.

Phrases come first: one must match a whole clause in the user's own words, and puts the memory in
the third person ("The user prefers tea over coffee.", 用户对花生过敏。). If a word of the first or
second person remains, the words are quoted (`The user says: "I prefer my tea black."`), because
changing them would be guesswork. What no phrase reads is judged by a small classifier
(`policy/statements`), clause by clause, and quoted. Questions, conditions, hearsay, irony, code,
quotations, drafts and pasted text give no memory, nor does a clause that points elsewhere ("I like
that one"), nor a turn that asks not to be remembered. A model that reads the turn later replaces
these memories, so their confidence is lower than a model's.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise

from memoria.model.condition import Condition
from memoria.model.memory import Trust
from memoria.model.memory_types import MemoryType
from memoria.model.turn import Role
from memoria.policy.confided import read_condition
from memoria.policy.orders import instruction_shaped, is_standing_order
from memoria.policy.own_words import (
    BLOT,
    Sentence,
    blot_foreign_text,
    own_sentences,
    sentences_of_blotted,
)
from memoria.policy.pasted import find_pasted_spans, is_pasted
from memoria.policy.phrases import ParsedStatement, languages_for
from memoria.policy.phrases.base import of_many
from memoria.policy.statements import find_draft, is_meant_otherwise, read_clauses
from memoria.policy.withheld import asks_not_to_remember
from memoria.text.script import is_cjk

_STATED_CONFIDENCE = 0.5
_ASKED_CONFIDENCE = 0.6
_READ_CONFIDENCE = 0.45
_LONGEST = 300
_LONGEST_TEXT = 20_000
_LONGEST_SENTENCE = 2_000
"""Of longer ones no clause is read: nobody says them, and each clause is judged by the whole."""
_MOST_SENTENCES = 80
_MOST_PASTED = 3
"""Orders of one turn that the user is shown at most."""


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
    pasted_orders: tuple[PlainStatement, ...] = ()
    """What reads like a standing order in text that the user only pasted: it is to be shown to
    them, and obeyed by nobody."""


def find_plain_statements(role: Role, text: str, *, tool_call: bool = False) -> PlainStatements:
    """Find the plain statements of a turn.

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
    # Most turns state nothing anyway, so whether anything may be taken is asked last.
    is_empty = not (found.statements or found.pasted_orders)
    return found if is_empty or _may_be_taken(text, blotted) else PlainStatements()


def _may_be_taken(text: str, blotted: str) -> bool:
    """Not of a text that gives orders to the memory, nor of one that is not to be remembered."""
    if instruction_shaped(text, Trust.USER) or asks_not_to_remember(blotted):
        return False
    read = read_condition(text)
    return read is None or read.condition is not Condition.WITHHELD


def _find_in(text: str, blotted: str) -> PlainStatements:
    draft = find_draft(blotted)
    sentences = islice(sentences_of_blotted(blotted), _MOST_SENTENCES)
    found = (claim for each in sentences if each.start < draft for claim in _statements_in(each))
    return PlainStatements(tuple(found), tuple(_orders_pasted_in(text)))


def read_phrases(text: str) -> tuple[PlainStatement, ...]:
    """What phrases read in the sentences of a text whose writer meant all of it to be kept.

    Such a text needs no judge of whether it states anything, and may be no whole sentence.
    """
    return tuple(one for each in own_sentences(text) for one in _read_sentence(each))


def _orders_pasted_in(text: str) -> Iterator[PlainStatement]:
    """The first standing orders in the pasted parts of a text, as memories that have to wait."""
    spans = find_pasted_spans(text)
    if not spans:
        return
    edges = [0, *(place for span in spans for place in span), len(text)]
    kept = (text[a:b] if i % 2 else BLOT * (b - a) for i, (a, b) in enumerate(pairwise(edges)))
    sentences = islice(sentences_of_blotted("\n".join(kept)), _MOST_SENTENCES)
    orders = (
        one.text
        for one in sentences
        if is_standing_order(one.text) and len(one.text) <= _LONGEST and is_pasted(one.text, text)
    )
    for words in islice(orders, _MOST_PASTED):
        shown = (
            f"贴出的文字里写着：“{words}。”" if is_cjk(words) else f'A pasted text says: "{words}."'
        )
        parsed = ParsedStatement(MemoryType.RULE, shown, "assistant", of_many("pasted", words))
        yield _statement(parsed, words, text.find(words), _READ_CONFIDENCE)


def _statements_in(sentence: Sentence) -> Iterator[PlainStatement]:
    """What phrases read in a sentence, else what its clauses state by themselves."""
    if len(sentence.text) > _LONGEST_SENTENCE:
        return
    read = _read_sentence(sentence)
    if read and is_meant_otherwise(sentence.text):
        return
    yield from read
    for clause, parsed in () if read else read_clauses(sentence):
        yield _statement(parsed, clause.text, sentence.start + clause.start, _READ_CONFIDENCE)


def _read_sentence(sentence: Sentence) -> tuple[PlainStatement, ...]:
    """The statement that a phrase reads in a sentence, if one does."""
    if len(sentence.text) > _LONGEST or sentence.is_question or sentence.is_doubtful:
        return ()
    for parsed, confidence in _readings(sentence.text):
        if parsed is not None:
            return (_statement(parsed, sentence.text, sentence.start, confidence),)
    return ()


def _statement(
    parsed: ParsedStatement, quote: str, start: int, confidence: float
) -> PlainStatement:
    return PlainStatement(
        parsed.type, parsed.content, quote, start, parsed.subject, parsed.predicate, confidence
    )


def _readings(text: str) -> Iterator[tuple[ParsedStatement | None, float]]:
    for language in languages_for(text):
        yield language.parse_request(text), _ASKED_CONFIDENCE
        yield language.parse_statement(text), _STATED_CONFIDENCE
