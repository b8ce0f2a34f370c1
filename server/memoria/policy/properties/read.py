"""Reads a statement, in English or Chinese."""

from dataclasses import replace
from functools import lru_cache

from memoria.policy.properties import chinese, english
from memoria.policy.properties import english_words as vocabulary
from memoria.policy.properties.base import WHOLE, Property
from memoria.policy.properties.keys import ASSISTANT
from memoria.policy.properties.rules import read_rule
from memoria.policy.properties.statement import Clause, Statement
from memoria.policy.properties.values import COUNTS, stem
from memoria.policy.properties.wording import Wording, unwrap
from memoria.text.pattern import LazyPattern, has_any, small_letters
from memoria.text.script import is_cjk

_WORD = LazyPattern(r"[^\s,;!?\"“”()]+")
_MARKERS = frozenset(
    """
    not never no longer any more anymore stopped stop quit instead again do does did has
    have been now actually currently is are was be always please from on you may can
    should must
    """.split()
)
_EMPTY = vocabulary.FILLERS | _MARKERS
_NEGATIVE = frozenset("not never no stopped quit without stop".split())
_INSTEAD = LazyPattern(r"(?i)\binstead(?!\sof)\b|一律|改用")
_NOT_THAT = LazyPattern(
    r"""(?xi),?\s(?:and\s)?(?:not|instead\sof|rather\sthan)\s(?:an?\s|the\s)?(?P<what>[^,;]{1,40}?)(?:\sone)?[.!]?$
    |[,]?(?:而)?不是(?P<what_zh>[^,;]{1,20})[。!]?$"""
)
_MOST_CLAUSES = 4
"""A text of more clauses is a report; rules do not compare it."""
_ORDER = LazyPattern(
    r"""(?xi)^(?:always|never|please|do\snot|from\snow\son|use|answer|reply|respond|write|call|address|keep|give
    |run|commit|push|format|explain|include|add|show|speak|avoid|make|be|put|prefer|indent|start|stop|deploy
    |ask|cite|the\sassistant|assistant|you)\b
    |^(?:以后|从现在|今后|请|不要|别|用(?!户)|都用|统一|一律|回答|回复|提交|写|叫|只用|助手|每次)"""
)
_ABOUT_ANSWERS = LazyPattern(r"(?i)\b(?:answers?|replies|responses?|addressed)\b|回答|回复")


@lru_cache(maxsize=2048)
def read_statement(text: str) -> Statement:
    """What a statement says, clause by clause."""
    wording = unwrap(text)
    in_chinese = is_cjk(wording.text)
    aside = _NOT_THAT.regex.search(wording.text) if _may_say_not(wording.text) else None
    language = chinese if in_chinese else english
    clauses: list[Clause] = []
    previous: tuple[Property, ...] = ()
    parts = language.split_clauses(wording.text)
    for part in parts if len(parts) <= _MOST_CLAUSES else ():
        clause = _read_part(part, wording, previous, in_chinese=in_chinese)
        previous = clause.properties or previous
        clauses.append(clause)
    denied = _words_of(aside["what"] or aside["what_zh"], in_chinese=in_chinese) if aside else ()
    return Statement(
        wording.text,
        tuple(clauses),
        wording.is_correction,
        denied,
        is_instead=_INSTEAD.regex.search(wording.text) is not None,
    )


def _words_of(text: str, *, in_chinese: bool) -> tuple[str, ...]:
    """Its words without fillers, without what denies or changes it, and without "not that"."""
    plain = _NOT_THAT.regex.sub("", text) if _may_say_not(text) else text
    return chinese.plain_words(plain) if in_chinese else _plain_words(plain)


def _may_say_not(text: str) -> bool:
    """Whether it has a word for "not that", which few have and a pattern is long in looking for."""
    return has_any(small_letters(text), ("not", "instead", "rather", "不是"))


def _read_part(
    part: str, wording: Wording, previous: tuple[Property, ...], *, in_chinese: bool
) -> Clause:
    is_rule = wording.is_order or bool(_ORDER.regex.match(part))
    found: tuple[Property, ...] = ()
    if is_rule or _ABOUT_ANSWERS.regex.search(part):
        found = read_rule(part)
    words = _words_of(part, in_chinese=in_chinese)
    if not found and not is_rule:
        found = (chinese if in_chinese else english).read_clause(part, previous)
    if not found:
        found = (_read_whole(part, words, is_rule=is_rule, in_chinese=in_chinese),)
    if wording.is_change:
        found = tuple(replace(one, is_change=True) for one in found)
    return Clause(found, words, is_rule, _is_affirmed(part, in_chinese=in_chinese))


def _is_affirmed(part: str, *, in_chinese: bool) -> bool:
    """Whether nothing in a clause denies it."""
    if in_chinese:
        return not chinese.is_denied(part)
    return not _NEGATIVE & {word.lower().strip(".,!") for word in part.split()}


def _read_whole(part: str, words: tuple[str, ...], *, is_rule: bool, in_chinese: bool) -> Property:
    """A clause that no rule reads, as one property that is stated or denied."""
    language = chinese if in_chinese else english
    change, past, tentative = language.times_of(part)
    key = " ".join(words)
    subject = ASSISTANT if is_rule else language.subject_of(part)
    affirmed = _is_affirmed(part, in_chinese=in_chinese)
    return Property(subject, f"{WHOLE}{key}", key, False, affirmed, change, past, tentative)


def _plain_words(text: str) -> tuple[str, ...]:
    words = (word.lower().strip(".:'") for word in _WORD.regex.findall(text))
    kept = (COUNTS.get(word, word) for word in words if word and word not in _EMPTY)
    return tuple(word if any(map(str.isdigit, word)) else stem(word) for word in kept)
