"""Statements: texts that say the same in the same words, and long texts that state any of several.

The comparison is narrow on purpose. It ignores letter case, spacing and the punctuation around
words. A paraphrase is another statement, and so is a text with other signs inside a word: C++ is
not C, 1.5 is not 15. A forgotten statement must be recognised reliably, and no other with it.
"""

import hashlib
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import chain, zip_longest
from typing import NamedTuple

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.lazy import remember_results
from memoria.language.reading.recognition import (
    Place,
    Reading,
    fold,
    is_read_as_written,
    place_of,
    read_statement,
)
from memoria.language.words.analyser import tokens

_IDEOGRAM = "\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = lazy_regex(rf"[{_IDEOGRAM}]|[^\s{_IDEOGRAM}]+")
_AROUND_WORDS = ".,!?;:…\"'()[]{}<>«»“”‘’`*_~、。「」『』【】《》〈〉"
_DASHES = "-–—•·"  # on their own: of a list, or between clauses
_SENTENCE = lazy_regex(r"(?<![.!?…])[.!?…]++(?=\s|$)|[。！？；;\n\r]+")
_CLAUSE = lazy_regex(r"[,:](?=\s)|[，：、]|\s[-–—]\s")
_MAX_CLAUSES = 8
_FILLER_WORDS = frozenset("a an the that really very please 的 啊 呀 呢 哦 嘛 很 也".split())
_ENDING = lazy_regex(r"了(?=[\s。.!！~]*$)")
"""Matches a Chinese ending that says "by now"; the statement is the same without it."""
_SIGNS = ("Sc", "Sm", "So")  # -5 is not 5, nor $5 €5
_NEGATIONS = frozenset(  # as the analyser leaves them
    """
    not no never nobodi noth without cannot aren couldn didn doesn don hadn hasn haven isn shouldn
    wasn weren won wouldn 不 没 没有 别 未 无 非
    """.split()
)
_DISTINCTIVE_LETTERS = 12
_IDEOGRAM_WEIGHT = 3
_FIRST_IDEOGRAM = "\u2e80"


def canonical_form(text: str) -> str:
    """Return the words of the text, case-folded, between spaces; a CJK character is a word.

    The canonical form of mere punctuation is the text itself.

    >>> canonical_form("I live in Leeds!"), canonical_form("我住在利兹。")
    ('i live in leeds', '我 住 在 利 兹')
    """
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    words = (word.strip(_AROUND_WORDS) for word in _WORD.findall(folded))
    return " ".join(word for word in words if word.strip(_DASHES)) or folded.strip()


def fingerprint(text: str) -> bytes:
    """Return a digest of 32 bytes that ignores letter case and spacing."""
    return hashlib.sha256(" ".join(text.casefold().split()).encode()).digest()


def is_distinctive(text: str) -> bool:
    """Check whether a text is long enough to be recognised inside of other text; "yes" is not.

    It needs twelve letters; a Chinese, Japanese or Korean character counts as three.
    """
    letters = filter(str.isalnum, canonical_form(text))
    return (
        sum(_IDEOGRAM_WEIGHT if char >= _FIRST_IDEOGRAM else 1 for char in letters)
        >= _DISTINCTIVE_LETTERS
    )


def says_the_same(one: str, other: str) -> bool:
    """Check whether two sentences have the same words in the same order, fillers apart.

    Only the same statement is evidence for another: one that has a word more or less may take
    something back ("stopped taking aspirin") or add to it ("to shellfish and penicillin").
    """
    pairs = zip_longest(_meaningful_keys(one), _meaningful_keys(other))
    first = next(pairs, (None, None))
    if None in first:  # one of them has no words
        return wording_key(one) == wording_key(other)
    return all(key == other_key for key, other_key in chain((first,), pairs))


@remember_results(1024)
def wording_key(text: str) -> str:
    """Return a key that is equal for statements in the same words, fillers apart.

    Cached: a new statement is compared with several memories, and these with the next one again.
    """
    return "\n".join(_meaningful_keys(text)) or canonical_form(text)


def _meaningful_keys(text: str) -> Iterator[str]:
    """Yield the keys of a text's words in their order, without fillers."""
    plain = _ENDING.sub("", text)
    for found in _WORD.finditer(plain):
        key = _meaningful_key(found[0], within=found.start() > 0)
        if key:
            yield key


@remember_results(50_000)
def _meaningful_key(text: str, *, within: bool) -> str:
    """Return the key of a word; empty for a filler. Nightly maintenance sees few words often."""
    key = canonical_form(text)
    return key if is_meaningful_word(text, key, within=within) else ""


def is_meaningful_word(text: str, key: str, *, within: bool) -> bool:
    """Check whether a word is neither punctuation nor a filler.

    Args:
        text: the word as it is written.
        key: its canonical form.
        within: whether other words precede it; a capital letter then makes it a name ("vitamin A").
    """
    has_content = any(char.isalnum() or unicodedata.category(char) in _SIGNS for char in key)
    return has_content and (key not in _FILLER_WORDS or (within and text[0].isupper()))


def differs_in_number_or_negation(one: str, other: str) -> bool:
    """Check whether one sentence has a number or a negation that the other lacks."""
    return _has_number_or_negation(_distinct_tokens(one) ^ frozenset(tokens(other)))


def differs_in_negation(one: str, other: str) -> bool:
    """Check whether one sentence has a negation that the other lacks."""
    return bool(_NEGATIONS & (_distinct_tokens(one) ^ frozenset(tokens(other))))


def _has_number_or_negation(more: Iterable[str]) -> bool:
    return any(word.isdigit() or word in _NEGATIONS for word in more)


@remember_results(4)
def _distinct_tokens(text: str) -> frozenset[str]:
    """Return a text's search tokens, remembered as one claim is compared with many memories."""
    return frozenset(tokens(text))


def occurs_in(statement: str, text: str) -> bool:
    """Check whether a text has a statement word for word; a short statement must be the whole text.

    Both are read as `language/reading/recognition` reads them, however they are written.
    """
    return _is_stated(statement, text, "text")


def is_stated_in(statement: str, text: str) -> bool:
    """Check whether a text states something word for word; a short statement must end a clause."""
    return _is_stated(statement, text, place_of(read_statement(statement).words))


def _is_stated(statement: str, text: str, place: Place) -> bool:
    where: Place = "anywhere" if is_distinctive(statement) else place
    return read_statement(text).states(read_statement(statement), where)


def split_sentences(text: str) -> list[str]:
    """Split a text into sentences."""
    return [one for one in map(str.strip, _SENTENCE.split(text)) if one]


def sentences_in(text: str) -> Iterator[str]:
    """Yield the whole text, and its sentences that are long enough to be distinctive."""
    yield text
    yield from filter(is_distinctive, map(str.strip, _SENTENCE.split(text)))


def statements_in(text: str) -> Iterator[str]:
    """Yield the statements in a text: the whole, its sentences, and runs of their clauses.

    "Remember: my PIN is 4711." holds the statement "my PIN is 4711". Apart from the whole, pieces
    that are not distinctive are left out.
    """
    yield text
    for sentence in _SENTENCE.split(text):
        clauses = _CLAUSE.split(sentence)
        if len(clauses) > _MAX_CLAUSES:
            runs = [sentence, *clauses]
        else:
            ends = range(1, len(clauses) + 1)
            runs = ["".join(clauses[start:end]) for end in ends for start in range(end)]
        yield from filter(is_distinctive, runs)


_FRAGMENT = lazy_regex(r"\w+")


class _ReadPhrase(NamedTuple):
    """A statement, analysed once."""

    reading: Reading
    is_distinctive: bool
    fragments: tuple[str, ...]
    """Strings that every text with the statement contains, longest first."""


class Phrases:
    """Statements to be searched for."""

    def __init__(self, statements: Iterable[str]) -> None:
        self.statements = tuple(dict.fromkeys(statements))
        self._sayings = tuple(map(_read_phrase, self.statements))

    @cached_property
    def distinctive(self) -> "Phrases":
        """Statements that are long enough to be recognised inside of other text."""
        return Phrases(filter(is_distinctive, self.statements))

    def may_occur_in(self, text: str) -> bool:
        """Check whether any statement may occur in a text, also one escaped in JSON or Markdown."""
        folded = fold(text)
        return any(all(f in folded for f in saying.fragments) for saying in self._sayings)

    def occur_in(self, text: str) -> bool:
        """Check whether a text has any of the statements word for word; a short one must be all."""
        if not self.may_occur_in(text):
            return False
        reading = read_statement(text)
        return any(_phrase_occurs(reading, saying) for saying in self._sayings)


def _read_phrase(statement: str) -> _ReadPhrase:
    reading = read_statement(statement)
    words = " ".join(filter(is_read_as_written, reading.words))
    fragments = sorted(set(_FRAGMENT.findall(words)), key=len, reverse=True)
    return _ReadPhrase(reading, is_distinctive(statement), tuple(fragments))


def _phrase_occurs(text: Reading, saying: _ReadPhrase) -> bool:
    return text.states(saying.reading, "anywhere" if saying.is_distinctive else "text")


_QUOTING = lazy_regex(
    r"""(?xis)^\s*(?:(?:the\s)?user\s(?:asks|asked|wants|says|said|states|stated|notes|reports)
    (?:\sto\sremember)?(?:\sthat\sfrom\snow\son)?\s*[:,]\s*
    |用户(?:要求|说|表示|提到|希望)(?:记住)?\s*[::,]\s*)
    ["“”「](?P<inner>.+?)["“”」]\s*[.。!]*\s*$"""
)
_LEAD = lazy_regex(
    r"""(?xi)^(?:(?:please|pls|and|also|but|btw|fyi|by\sthe\sway|for\sthe\srecord|personally|honestly)\b[\s,:;—-]*
    |(?:ok(?:ay)?|so|oh|hey|hi|well|yes|no|in\sgeneral|generally)\s?[,:;—-]\s*
    |as\si\s(?:said|mentioned|told\syou)\s?,\s*|(?:我说过|之前说过)[,:]\s*
    |(?:remember|note|keep\sin\smind)(?:\sthat\s|\s?[,:]\s*)
    |(?:请(?!假|客|求|教)|麻烦你?|顺便说一下|说实话|记住|记一下|别忘了)[,、:\s]*
    |(?:对了|还有|另外|嗯|哦|好的?|那么?|总之)[,、:\s]\s*)+"""
)
_CORRECTION = lazy_regex(
    r"""(?xi)^(?:(?:(?:a\s)?correction|corrected|erratum|i\swas\swrong|i\smisspoke|my\smistake|sorry|wait|oops)
    \s?[,:;.—-]+\s*(?:that\s)?
    |i\sme(?:ant|an)\b(?:\sto\ssay\b)?[\s,:;—-]*(?:that\s)?
    |(?:(?:纠正|更正|订正|修正|勘误)(?:一下)?|我?(?:记错|说错|搞错|弄错)了?|不对)[,、:;。]\s*)+"""
)
_ADVERB_OF_CHANGE = lazy_regex(
    r"""(?xi)^(?:(?:actually|in\sfact|as\sof\s(?:now|today))\b[\s,:;]*|update\s?[,:;]\s*
    |(?:其实|事实上|实际上)[,、:\s]*|更新[,、:]\s*)+"""
)


def peel(text: str) -> str:
    """Return a text without quotation, greeting and introduction, in the words in which it stands.

    >>> peel('The user says: "I live in Leeds."')
    'I live in Leeds.'
    """
    plain = unicodedata.normalize("NFKC", text).replace("’", "'").strip()
    quoting = _QUOTING.match(plain)
    if quoting:
        plain = quoting["inner"].strip()
    before = None
    while plain != before:
        before = plain
        for introduction in (_LEAD, _CORRECTION, _ADVERB_OF_CHANGE):
            plain = introduction.sub("", plain)
    return plain or text
