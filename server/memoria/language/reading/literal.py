"""Literal conclusions: those that say what stands in their source, and need no check by a model.

`is_said_literally` is strict: not a word may be added. `is_borne_out` tells whether a turn may be
shown as the source of a statement at all, and lets its writer word it as they like.
"""

from collections.abc import Sequence

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.pattern import LazyPattern
from memoria.language.reading.own_words import own_sentences
from memoria.language.reading.statement import (
    differs_in_negation,
    differs_in_number_or_negation,
    statements_in,
)
from memoria.language.words.analyser import query_terms
from memoria.language.words.script import is_cjk

_FRAME = frozenset(query_terms("user says said 用户说"))
_FRAME_ZH = frozenset("用户说的我")
_NAME = lazy_regex(r"(?<=\S\s)[A-Z][A-Za-z]+")
_CODE = lazy_regex(r"(?=[a-z]*\d)(?=\d*[a-z])[a-z0-9]{5,}|\d{5,}")
_DAY_OR_YEAR = lazy_regex(r"\d{1,2}|(?:19|20)\d\d")
_OF_A_DATE = frozenset(
    query_terms(
        "January February March April May June July August September October November December"
        " Monday Tuesday Wednesday Thursday Friday Saturday Sunday 年 月 日 号 周 星期"
    )
)
_HALF = 0.5
_FEW, _FEW_ZH = 2, 4
"""Least number of shared words that is no chance; Chinese ones are counted in pairs, too."""


def is_said_literally(content: str, quote: str, said: str, speaker: str | None = None) -> bool:
    """Check whether a conclusion has only words of its sentence, apart from who says it.

    The sentence around the quote counts, in the speaker's own words: it must be no question, no
    hearsay, no condition, no joke and no irony, and have the numbers and denials of the conclusion.

    Args:
        content: the conclusion.
        quote: the words that it rests on.
        said: the turn.
        speaker: who says the turn, by name.
    """
    sentence = next(
        (one for one in own_sentences(said) if quote.strip(" .!。！") in one.text), None
    )
    if sentence is None or sentence.is_question or sentence.is_doubtful:
        return False
    if _IRONY.regex.search(sentence.text):
        return False
    if differs_in_number_or_negation(content, sentence.text):
        return False
    if is_cjk(content):
        added = {char for char in content if char.isalnum()} - set(sentence.text) - _FRAME_ZH
        return added <= set(speaker or "")
    names = frozenset(query_terms(speaker or ""))
    return frozenset(query_terms(content)) - _FRAME - names <= frozenset(query_terms(sentence.text))


def is_cut_of(part: str, whole: str, said: str) -> bool:
    """Check whether each word of a sentence stands in another sentence or in what was said."""
    known = f"{whole} {said}"
    if is_cjk(whole):
        return {char for char in part if char.isalnum()} <= set(known)
    return frozenset(query_terms(part)) <= frozenset(query_terms(known))


def is_borne_out(statement: str, text: str) -> bool:
    """Check whether a text says, in one of its sentences or as a whole, what a statement says.

    It need not be in the same words: more than half of those that tell something have to be there
    (half, where there are numbers or names), every number and name, and a negation in both or none.
    A code is unmistakable, whatever stands around it.
    """
    said = _telling_terms(statement)
    names = frozenset(query_terms(" ".join(_NAME.findall(statement)))) - _FRAME
    needed = {term for term in said if term.isdigit()} | (names & said)
    codes = frozenset(filter(_CODE.fullmatch, said))
    least = _HALF * len(said)
    for part in statements_in(text):
        terms = frozenset(query_terms(part))
        shared = len(said & terms)
        enough = shared > least or (needed and shared == least) or codes & terms or said <= terms
        if enough and needed <= terms and not differs_in_negation(statement, part):
            return True
    return False


def share_of_words(statement: str, text: str) -> float:
    """Return the share of a statement's content words that a text has, from 0 to 1."""
    said = _telling_terms(statement)
    return len(said & frozenset(query_terms(text))) / len(said) if said else 1.0


def borrows_words(statement: str, own: str, other: str) -> bool:
    """Check whether a statement about one text has content words from another text alone."""
    only_there = _telling_terms(other) - _telling_terms(own)
    borrowed = only_there & frozenset(query_terms(statement))
    return len(borrowed) >= (_FEW_ZH if is_cjk(statement) else _FEW)


def find_borrowed(statement: str, own: str, others: Sequence[str], most: int) -> list[int]:
    """Find few other texts that have what a statement says and its own text has not.

    A code, a name or a long number is borrowed by itself, other words as in `borrows_words`. Days
    and years are none, for they follow from the day on which something was said.

    Args:
        statement: what somebody concludes.
        own: the text that it rests on.
        others: further texts.
        most: so many at most.

    Returns:
        Their places among the others, in order.
    """
    added = _telling_terms(statement) - _telling_terms(own) - _OF_A_DATE
    missing = frozenset(term for term in added if not _DAY_OR_YEAR.fullmatch(term))
    sure = frozenset(query_terms(" ".join(_NAME.findall(statement)))) & missing
    sure |= {term for term in missing if any(map(str.isdigit, term))}
    least = _FEW_ZH if is_cjk(statement) else _FEW
    terms = [_telling_terms(text) for text in others]
    found: list[int] = []
    while len(found) < most:
        shared = [missing & one for one in terms]
        best = max(range(len(terms)), key=lambda n: len(shared[n]), default=None)
        if best is None or (len(shared[best]) < least and not shared[best] & sure):
            break
        found.append(best)
        missing -= terms[best]
    return sorted(found)


def _telling_terms(text: str) -> frozenset[str]:
    return frozenset(query_terms(text)) - _FRAME - _FRAME_ZH


_IRONY = LazyPattern(
    r"""(?xi)^\W*(?:oh|sure|yeah|right|wow|great|brilliant|fantastic|lovely|wonderful|thanks)\b
    |\b(?:just\s(?:love|adore)|can['’]?t\swait|as\sif|such\sfun|so\smuch\sfun|yeah\sright|totally)\b
    |可真|真是太|太棒|真行|真好啊|呵呵|好极了|谢谢你啊|求之不得"""
)
"""Words that irony likes. Whoever means them literally is asked about once more, no harm done."""
