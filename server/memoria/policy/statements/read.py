"""Reads the clauses of a sentence: what each of them states, put into the words of a memory."""

from collections.abc import Iterator

from memoria.model.memory_types import MemoryType
from memoria.policy.own_words import Sentence
from memoria.policy.phrases import ParsedStatement, languages_for
from memoria.policy.phrases.base import of_many
from memoria.policy.statements.classifier import Label, classify_clause
from memoria.policy.statements.clauses import StatingClause, own_parts, reads_chinese, split_clauses
from memoria.policy.statements.forms import find_least_certainty
from memoria.policy.statements.in_passing import find_told_in_passing
from memoria.policy.statements.vetoes import is_vetoed
from memoria.text.pattern import LazyPattern

_SHORTEST, _SHORTEST_ZH = 6, 4
_LONGEST = 300
_LAST = 4
"""Characters by which it is told that a phrase has read a clause to its end."""
_LEAST_CERTAINTY = 0.35
"""What a phrase reads need not be surer than this."""
_POINTS_BACK = LazyPattern(
    r"(?i)i (?:really |also |generally )?prefer (?:it|them|this|that) (?:over|to|because|for|since|due|as)\b"  # noqa: E501
)
_TYPES = {
    Label.INSTRUCTION: MemoryType.RULE,
    Label.PREFERENCE: MemoryType.PREFERENCE,
    Label.FACT: MemoryType.FACT,
    Label.RELATIONSHIP: MemoryType.RELATIONSHIP,
    Label.GOAL: MemoryType.GOAL,
}


def read_clauses(sentence: Sentence) -> Iterator[tuple[StatingClause, ParsedStatement]]:
    """What the clauses of a sentence state, in the order in which they stand; else in passing."""
    read = list(_read_clauses(sentence))
    yield from read or _read_in_passing(sentence)


def _read_in_passing(sentence: Sentence) -> Iterator[tuple[StatingClause, ParsedStatement]]:
    for part, label in find_told_in_passing(sentence.text):
        if len(part.text) <= _LONGEST and not is_vetoed(part, label, sentence.text):
            yield part, _quote_english(part.text, label)


def _read_clauses(sentence: Sentence) -> Iterator[tuple[StatingClause, ParsedStatement]]:
    before: StatingClause | None = None
    for clause in split_clauses(sentence):
        if before is not None and _POINTS_BACK.regex.match(clause.text):
            yield from _read_with(before, clause, sentence)
        else:
            yield from _read_parts(clause, sentence)
        before = clause


def _read_parts(
    clause: StatingClause, sentence: Sentence
) -> Iterator[tuple[StatingClause, ParsedStatement]]:
    """What a clause states, else what its parts state that speak of their speaker."""
    whole = _read_clause(clause, sentence)
    if whole is not None:
        yield clause, whole
        return
    for part in own_parts(clause):
        parsed = _read_clause(part, sentence)
        if parsed is not None:
            yield part, parsed


def _read_with(
    before: StatingClause, clause: StatingClause, sentence: Sentence
) -> Iterator[tuple[StatingClause, ParsedStatement]]:
    """A preference for what the clause before it names: both are quoted."""
    end = clause.start + len(clause.text)
    both = StatingClause(before.start, sentence.text[before.start : end], before.before, "")
    if len(both.text) <= _LONGEST:
        yield both, _quote_english(both.text, Label.PREFERENCE)


def _read_clause(clause: StatingClause, sentence: Sentence) -> ParsedStatement | None:
    in_chinese = reads_chinese(clause.text)
    shortest = _SHORTEST_ZH if in_chinese else _SHORTEST
    if not shortest <= len(clause.text) <= _LONGEST:
        return None
    verdict = classify_clause(clause, sentence.end)
    label = verdict.label
    is_said = verdict.is_sure or verdict.certainty >= find_least_certainty(clause.text)
    is_likely = is_said or verdict.certainty >= _LEAST_CERTAINTY
    if not is_likely or is_vetoed(clause, label, sentence.text):
        return None
    exact = None if label is Label.INSTRUCTION else _read_phrase(clause)
    if exact is None and is_said:
        quote = _quote_chinese if in_chinese else _quote_english
        return quote(clause.text, label)
    return exact


def _read_phrase(clause: StatingClause) -> ParsedStatement | None:
    """What a phrase reads in a clause that is only part of a sentence; where it reads all of it."""
    if not (clause.before or clause.after):
        return None
    readings = (language.parse_statement(clause.text) for language in languages_for(clause.text))
    found = next((one for one in readings if one is not None), None)
    last = clause.text.split()[-1].strip(".,!，。！")[-_LAST:]
    return found if found is not None and last in found.content else None


def _quote_english(words: str, label: Label) -> ParsedStatement:
    if label is Label.INSTRUCTION:
        content = f'The user asks: "{words}."'
        return ParsedStatement(MemoryType.RULE, content, "assistant", of_many("rule", words))
    content = f'The user says: "{words}."'
    return ParsedStatement(_TYPES[label], content, "user", of_many(label.value, words))


def _quote_chinese(words: str, label: Label) -> ParsedStatement:
    if label is Label.INSTRUCTION:
        content = f"用户要求：“{words}。”"
        return ParsedStatement(MemoryType.RULE, content, "助手", of_many("规则", words))
    content = f"用户说：“{words}。”"
    return ParsedStatement(_TYPES[label], content, "用户", of_many(label.value, words))
