"""Quotes and conclusions found in their source: the words that a model says it has read there.

`find_quote` finds a quote. `is_said_literally` is strict: a conclusion may not add a word.
`is_borne_out` tells whether a turn may be shown as the source of a statement at all, and lets the
statement's writer word it freely.
"""

import html
import re
from collections.abc import Callable, Iterator, Sequence

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.reading.fences import drop_invisible, visible_places
from memoria.language.reading.own_words import own_sentences
from memoria.language.reading.statement import (
    differs_in_negation,
    differs_in_number_or_negation,
    statements_in,
)
from memoria.language.words.analyser import query_terms
from memoria.language.words.characters import is_cjk
from memoria.language.words.spelling import simplify

_AROUND = " \t\n\r\"'「」『』《》…"
_LEAST = 2
_ELLIPSIS = lazy_regex(r"\s*[\[(<]?(?:…|\.{3,6}|。{3,6}|⋯)[\s…⋯.]*[\])>]?\s*")
_LONGEST_GAP = 200
"""Number of characters that a quote may leave out in the middle."""
_ALIKE = {
    ord(mark): plain
    for plain, marks in {'"': "“”„‟«»「」『』《》〈〉", "'": "‘’‚‛`´", "-": "–—‐‑−"}.items()
    for mark in marks
} | dict(zip(map(ord, "，。：；！？（）"), ",.:;!?()", strict=True))
"""Marks that are written for each other, one character for one."""
_SPACE = lazy_regex(r"\s+")
_LATIN = lazy_regex("[A-Za-z0-9]")
_REST_OF_WORD = lazy_regex("[A-Za-z0-9]*+")
_NARROW = {0xFF01 + place: 0x21 + place for place in range(94)} | {0x3000: 0x20}
_ANY_MARKS = (
    r"""(?:[\s.,;:!?'"()\[\]{}…⋯·、。*`【】⟨⟩]|-(?!\d)|(?<=[A-Za-z0-9])-(?=\d)|~(?!\d))++"""
)
"""Matches what parts words and means nothing by itself, unlike a sign before a number."""
_MARKS = lazy_regex(_ANY_MARKS)
_MARKS_IN_WORDS = lazy_regex(f"(?<=[A-Za-z0-9]){_ANY_MARKS}(?=[A-Za-z0-9])")
_PARTED = "\0"
_LEAST_PARTED = 2
"""Gaps between words from which capital letters may differ: us and US alone may not."""
_SMALL = {place: place + 32 for place in range(ord("A"), ord("Z") + 1)}
_REFERENCE = lazy_regex(r"\s{0,3}[\[(](?:turn\s?|第)?\d{1,6}轮?[\])]\s{0,3}$", re.IGNORECASE)
"""Matches the number of the turn that a quote is from, put behind it."""
_PLACEHOLDER = lazy_regex(r"\s*⟨[A-Za-z_ ]{1,20}⟩\s*")
"""Matches a prompt's mark in the place of words; other words may stand between its brackets."""
_SPEAKER = lazy_regex(
    r"""[\s"'\[(#]{0,5}(?:(?:turn|第)?\s?[\d一二三四五六七八九十]{0,6}\s?轮?[\])]?\s{0,3}[:,.-]?\s{0,3})"""
    r"""[\[(]?(?:user|assistant|human|ai|用户|助手|我)[\])]?\s{0,3}(?:[(]\w{1,20}[)])?\s{0,3}:"""
    r"""|[\s"']{0,5}[\[(](?:turn|第)?\s?[\d一二三四五六七八九十]{1,6}\s?轮?[\])]\s{0,3}:?"""
    r"""|[\s"']{0,5}(?:turn\s?|第\s?)[\d一二三四五六七八九十]{1,6}\s?轮?\s?:""",
    re.IGNORECASE,
)
"""Matches the speaker and the turn's number, as a reader is shown them before the words."""
Place = tuple[int, int]
_Find = Callable[[str, str], "Place | None"]


def find_quote(quote: str, text: str) -> str | None:
    """Return the part of `text` that `quote` repeats word for word, or None.

    Spaces, marks between words and the width of letters may differ, because models are careless
    about them, the two scripts of Chinese, and invisible characters, because they are not shown
    any. Who is said to speak, and when, does not belong to the quote. Of three words and more the
    capital letters may differ.
    Nothing else may differ, and it must not begin or end within a word. Where it leaves words out
    and says so, the whole passage is the quote.
    """
    seen = drop_invisible(text)
    plain = seen.translate(_ALIKE)
    found = _find_parts(drop_invisible(quote).translate(_ALIKE), plain, _find_seen)
    if found is None:
        found = _find_by_letters(drop_invisible(html.unescape(quote)), plain)
    if found is None or seen == text:
        return None if found is None else seen[slice(*found)]
    places = visible_places(text)
    return text[places[found[0]] : places[found[1] - 1] + 1]


def _find_parts(quote: str, text: str, find: _Find) -> Place | None:
    """Return where a quote begins and ends that may leave out words in the middle, or None."""
    whole = find(quote, text)
    if whole is not None:
        return whole
    parts = [part for part in _ELLIPSIS.split(quote.strip(_AROUND)) if part]
    if not parts or parts == [quote]:
        return None
    start = end = 0
    for number, part in enumerate(parts):
        found = find(part, text[end : end + len(part) + _LONGEST_GAP] if number else text)
        if found is None:
            return None
        start, end = (start, end + found[1]) if number else found
    return start, end


def _find_by_letters(quote: str, text: str) -> Place | None:
    """Find a quote that differs by marks, width or script, or that names its speaker."""
    wanted, plain = (simplify(one.translate(_NARROW)).translate(_ALIKE) for one in (quote, text))
    if _PLACEHOLDER.fullmatch(wanted):
        return None
    said = _REFERENCE.sub("", wanted)
    speaker = _SPEAKER.match(said)
    said = said[speaker.end() :] if speaker else said
    found = _find_parts(wanted, plain, _find_letters)
    return found or (None if said == wanted else _find_parts(said, plain, _find_letters))


def _find_letters(quote: str, text: str) -> Place | None:
    """Return where the words of a quote begin and end, whatever marks are between them, or None."""
    wanted, words = _drop_marks(f" {quote} "), _drop_marks(text)
    if len(wanted) < _LEAST:
        return None
    found = _find_as_written(wanted, words)
    if found is None and wanted.count(_PARTED) >= _LEAST_PARTED:
        found = _find_as_written(wanted.translate(_SMALL), words.translate(_SMALL))
    if found is None:
        return None
    places = list(_places_of_words(text))
    return places[found[0]], places[found[1] - 1] + 1


def _drop_marks(text: str) -> str:
    """Return a text without marks, but with one sign where marks part two words."""
    return _MARKS.sub("", _MARKS_IN_WORDS.sub(_PARTED, text))


def _places_of_words(text: str) -> Iterator[int]:
    """Yield the place in a text of each character that `_drop_marks` leaves."""
    end = 0
    for marks in _MARKS.finditer(text):
        is_parting = _MARKS_IN_WORDS.match(text, marks.start()) is not None
        yield from range(end, marks.start() + is_parting)
        end = marks.end()
    yield from range(end, len(text))


def _find_seen(quote: str, text: str) -> Place | None:
    """Return where a quote begins and ends, or None; white space may differ."""
    wanted = quote.strip(_AROUND)
    if len(wanted) < _LEAST:
        return None
    words = _SPACE.split(wanted)
    if _is_evenly_spaced(text):
        return _find_as_written(" ".join(words), text)
    before = r"(?<![A-Za-z0-9])" if _LATIN.match(wanted[0]) else ""
    after = r"(?![A-Za-z0-9])" if _LATIN.match(wanted[-1]) else ""
    found = re.search(before + r"\s+".join(map(re.escape, words)) + after, text)
    return None if found is None else found.span()


def _is_evenly_spaced(text: str) -> bool:
    """Check whether all words of a text are parted by single spaces."""
    return " ".join(text.split()) == text


def _find_as_written(wanted: str, text: str) -> Place | None:
    """Return the place of a quote as it is written, but not within a word; else None."""
    start = text.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        if not (_is_within(text, start) or _is_within(text, end)):
            return start, end
        rest = _REST_OF_WORD.match(text, start + 1)  # no quote begins in it
        start = text.find(wanted, rest.end() if rest and _LATIN.match(wanted) else start + 1)
    return None


def _is_within(text: str, place: int) -> bool:
    """Check whether a place parts two letters or digits of the same word."""
    around = text[max(place - 1, 0) : place + 1]
    return len(_LATIN.findall(around)) == 2  # noqa: PLR2004  (one on each side)


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
    if _IRONY.search(sentence.text):
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
    """Find the few other texts that have words of a statement which its own text lacks.

    One code, name or long number is enough, other words count as in `borrows_words`. Days and years
    don't count, for they follow from the day on which something was said.

    Args:
        statement: what somebody concludes.
        own: the text that it rests on.
        others: further texts.
        most: the greatest number of texts.

    Returns:
        The texts' places among the others, in order.
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


_IRONY = lazy_regex(
    r"""(?xi)^\W*(?:oh|sure|yeah|right|wow|great|brilliant|fantastic|lovely|wonderful|thanks)\b
    |\b(?:just\s(?:love|adore)|can['’]?t\swait|as\sif|such\sfun|so\smuch\sfun|yeah\sright|totally)\b
    |可真|真是太|太棒|真行|真好啊|呵呵|好极了|谢谢你啊|求之不得"""
)
"""Words that irony likes. Whoever means them literally is asked about once more, no harm done."""
