"""Statements: when two texts say the same in the same words.

Deliberately narrow. Letter case, spacing and the punctuation around words don't tell statements
apart; a paraphrase does, and so does whatever stands inside a word: C++ is not C, 1.5 is not 15.
What is forgotten must be known again surely, and nothing else with it.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

from memoria.text.analyser import tokens

_IDEOGRAM = "\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_IDEOGRAM}]|[^\s{_IDEOGRAM}]+")
_AROUND_WORDS = ".,!?;:…\"'()[]{}<>«»“”‘’`*_~、。「」『』【】《》〈〉"
_DASHES = "-–—•·"  # on their own: of a list, or between clauses
_SENTENCE = re.compile(r"[.!?…]+(?=\s|$)|[。！？；;\n\r]+")
_CLAUSE = re.compile(r"[,:](?=\s)|[，：、]|\s[-–—]\s")
_MAX_CLAUSES = 8
_SAME_WORDS = 0.8
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
    """The text's words, case-folded, a space between; each CJK character is a word.

    A text of nothing but punctuation is itself.
    """
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    words = (word.strip(_AROUND_WORDS) for word in _WORD.findall(folded))
    return " ".join(word for word in words if word.strip(_DASHES)) or folded.strip()


def fingerprint(text: str) -> bytes:
    """The same for wordings that differ in letter case and spaces only. 32 bytes."""
    return hashlib.sha256(" ".join(text.casefold().split()).encode()).digest()


def is_distinctive(text: str) -> bool:
    """Whether a text says enough to be known again wherever it stands; "yes" does not.

    Twelve letters do; a Chinese, Japanese or Korean character counts three.
    """
    letters = filter(str.isalnum, canonical_form(text))
    return (
        sum(_IDEOGRAM_WEIGHT if char >= _FIRST_IDEOGRAM else 1 for char in letters)
        >= _DISTINCTIVE_LETTERS
    )


def says_the_same(one: str, other: str) -> bool:
    """Whether one sentence has the words of the other and next to no more.

    A word in another's place is another statement, and so are a number or a "not" more.
    """
    said, a = _analyse(one)
    if said == canonical_form(other):
        return True
    b = frozenset(tokens(other))
    if (a - b and b - a) or _has_number_or_negation(a ^ b):
        return False
    return len(a & b) >= _SAME_WORDS * len(a | b) > 0


def differs_in_number_or_negation(one: str, other: str) -> bool:
    """Whether one sentence has a number or a "not" more than the other, whatever else it says."""
    return _has_number_or_negation(_analyse(one)[1] ^ frozenset(tokens(other)))


def _has_number_or_negation(more: Iterable[str]) -> bool:
    return any(word.isdigit() or word in _NEGATIONS for word in more)


@lru_cache(maxsize=4)
def _analyse(text: str) -> tuple[str, frozenset[str]]:
    """Its canonical form and its words, kept for a moment: one claim meets many memories."""
    return canonical_form(text), frozenset(tokens(text))


def occurs_in(statement: str, text: str) -> bool:
    """Whether the statement stands word for word in a text, or is all of it if it is short."""
    said, whole = canonical_form(statement), canonical_form(text)
    return f" {said} " in f" {whole} " if is_distinctive(statement) else said == whole


def sentences_in(text: str) -> Iterator[str]:
    """A text and its sentences. Those too short to tell are left out, but for the whole."""
    yield text
    yield from filter(is_distinctive, map(str.strip, _SENTENCE.split(text)))


def statements_in(text: str) -> Iterator[str]:
    """What a text says, piece by piece: all of it, its sentences, and runs of their clauses.

    "Remember: my PIN is 4711." says "my PIN is 4711" as well. Pieces too short to tell are left
    out, but for the whole.
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
