"""Reads the clauses of a sentence: which of them state something, and of what type."""

from collections.abc import Iterator

from memoria.model.memory_types import MemoryType
from memoria.policy.own_words import Sentence, own_sentences
from memoria.policy.statements.classifier import Label, classify_clause
from memoria.policy.statements.clauses import StatingClause, own_parts, reads_chinese, split_clauses
from memoria.policy.statements.forms import find_least_certainty
from memoria.policy.statements.vetoes import is_vetoed

_SHORTEST, _SHORTEST_ZH = 6, 4
_LONGEST = 300
_TYPES = {
    Label.INSTRUCTION: MemoryType.RULE,
    Label.PREFERENCE: MemoryType.PREFERENCE,
    Label.FACT: MemoryType.FACT,
    Label.RELATIONSHIP: MemoryType.RELATIONSHIP,
    Label.GOAL: MemoryType.GOAL,
}
_Statement = tuple[StatingClause, MemoryType]


def read_clauses(sentence: Sentence) -> Iterator[_Statement]:
    """What the clauses of a sentence state, in the order in which they stand."""
    for clause in split_clauses(sentence):
        yield from _read_parts(clause, sentence)


def classify_text(text: str) -> MemoryType | None:
    """The type of what a text states whose writer meant it to be kept; None where it is not clear.

    An order decides, wherever it stands; else the surest of the clauses does.
    """
    verdicts = [
        classify_clause(clause, sentence.end)
        for sentence in own_sentences(text)
        for clause in split_clauses(sentence)
    ]
    sure = [verdict for verdict in verdicts if verdict.is_sure]
    orders = (verdict for verdict in sure if verdict.label is Label.INSTRUCTION)
    surest = max(sure, key=lambda verdict: verdict.certainty, default=None)
    decisive = next(orders, surest)
    return None if decisive is None else _TYPES[decisive.label]


def _read_parts(clause: StatingClause, sentence: Sentence) -> Iterator[_Statement]:
    """What a clause states, else what its parts state that speak of their speaker."""
    whole = _read_clause(clause, sentence)
    if whole is not None:
        yield clause, whole
        return
    for part in own_parts(clause):
        kind = _read_clause(part, sentence)
        if kind is not None:
            yield part, kind


def _read_clause(clause: StatingClause, sentence: Sentence) -> MemoryType | None:
    shortest = _SHORTEST_ZH if reads_chinese(clause.text) else _SHORTEST
    if not shortest <= len(clause.text) <= _LONGEST:
        return None
    verdict = classify_clause(clause, sentence.end)
    is_said = verdict.is_sure or verdict.certainty >= find_least_certainty(clause.text)
    if not is_said or is_vetoed(clause, verdict.label, sentence.text):
        return None
    return _TYPES[verdict.label]
