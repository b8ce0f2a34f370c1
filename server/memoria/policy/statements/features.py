"""Features: what the classifiers see of a text.

They are words and characters in their order, and the pattern that remains when every open word is
replaced by its kind (a name, a number, a person's kin, an adverb) or by its group of words of like
meaning, so that a sentence is recognised by its build and not by what it is about. Each feature is
a number: a hash of its words, which depends on nothing but them.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import pairwise
from operator import mul
from zlib import crc32

from memoria.policy.kinship import chinese_words, english_words
from memoria.policy.statements.words import CLOSED, CLOSED_ZH, KINDS
from memoria.text.pattern import LazyPattern
from memoria.text.remembered import remember_results
from memoria.text.script import reads_chinese

_WORD = LazyPattern(r"[A-Za-zÀ-ÿ]+(?:['’][A-Za-z]+)?|\d[\d.,:]*|[^\sA-Za-zÀ-ÿ\d]")
_MOST_WORDS = 60
_MOST_SIGNS = 80
_WORDS_A_STEP = 4
_SIGNS_A_STEP = 5
_MANY_WORDS = 40
_MANY_SIGNS = 60
_FACTORS = (0x9E3779B1, 0x85EBCA6B, 0xC2B2AE35)
"""By the place in which a hash counts."""
_SALT = 0x27D4EB2F
_SHIFT, BITS = 7, 15
"""Bits that are dropped, because those below are the least mixed; and those that are kept."""
_MASK = (1 << BITS) - 1
_PAIRS = (1 << _SHIFT + BITS) - 1
"""No higher bit of a pair ever comes into one that is kept."""


def read_features(text: str, end: str = "") -> set[int]:
    """The features of a text.

    Args:
        text: a sentence or a part of one.
        end: the punctuation that ends the sentence.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).replace("’", "'")
    found = _chinese(text) if reads_chinese(text) else _english(text)
    return {*found, _hash(f"end {end[:2]}") & _MASK}


def _english(text: str) -> Iterator[int]:
    words = _WORD.regex.findall(text)[:_MOST_WORDS]
    low = [word.lower() for word in words]  # one by one: "İ" becomes two signs
    kinds = [_kind(one, words[n][0].isupper() and n > 0) for n, one in enumerate(low)]
    groups = [_word_groups().get(*pair) for pair in zip(low, kinds, strict=True)]
    meant = [k if k[0] != "*" or k in _TELLING else g for k, g in zip(kinds, groups, strict=True)]
    own, meaning, build, told = (list(map(_hash, row)) for row in (low, groups, kinds, meant))
    closed = [_hash(kind) for kind in kinds if kind[0] != "*"]
    yield _hash(f"length {min(len(words), _MANY_WORDS) // _WORDS_A_STEP}") & _MASK
    for kind, row, length in (
        *((1, own, 1), (2, own, 2), (6, own[-1:], 1), (22, meaning, 1), (23, meaning, 2)),
        *((7, build, 1), (8, _frame(build), 2), (9, _frame(build), 3)),
        *((14, closed, 2), (15, closed, 3)),
        *((16, told, 1), (17, _frame(told), 2), (18, _frame(told), 3)),
    ):
        yield from _runs(kind, row, length)
    for kind, row, most in ((3, own, 3), (10, build, 4), (19, told, 3)):
        yield from _edges(kind, row[:most])


def _chinese(text: str) -> Iterator[int]:
    plain = _FOREIGN.regex.sub("A", _NUMBER.regex.sub("0", text))
    plain = "".join(plain.split())[:_MOST_SIGNS]
    kinds = _build_zh(plain)
    signs, frame = list(map(ord, plain)), _frame(list(map(_hash, kinds)))
    closed = [_START, *(_hash(kind) for kind in kinds if kind != "*"), _END]
    yield _hash(f"length {min(len(plain), _MANY_SIGNS) // _SIGNS_A_STEP}") & _MASK
    for kind, row, length in (
        *((31, signs, 1), (32, signs, 2), (33, signs, 3)),
        *((41, frame, 2), (42, frame, 3), (50, closed, 2), (51, closed, 3)),
    ):
        yield from _runs(kind, row, length)
    for kind, row in ((34, signs[:4]), (38, signs[:-4:-1]), (44, frame[:6])):
        yield from _edges(kind, row)
    pairs = [_sum_up(pair) >> _SHIFT & _PAIRS for pair in pairwise(frame)]
    yield from (_mix(43, pair) for pair in zip(pairs, pairs[2:], strict=False))


def _frame(row: Sequence[int]) -> list[int]:
    """A row between signs for its beginning and its end."""
    return [_START, *row, _END]


def _runs(kind: int, row: Sequence[int], length: int) -> Iterator[int]:
    """A feature for each so many that stand side by side."""
    return (_mix(kind, row[n : n + length]) for n in range(len(row) - length + 1))


def _edges(kind: int, row: Sequence[int]) -> Iterator[int]:
    """A feature for the first, the first two, and so on."""
    so_far = 0
    for n, one in enumerate(row):
        so_far = so_far * _FACTORS[1] + one * _FACTORS[0] + (kind + n) * _SALT
        yield so_far >> _SHIFT & _MASK


def _mix(kind: int, hashes: Sequence[int]) -> int:
    return _sum_up(hashes) + kind * _SALT >> _SHIFT & _MASK


def _sum_up(hashes: Sequence[int]) -> int:
    return sum(map(mul, hashes, _FACTORS))


@remember_results(8192)
def _hash(word: str) -> int:
    return crc32(word.encode())


_START, _END = _hash("^"), _hash("$")


@cache
def _word_groups() -> dict[str, str]:
    """The words of like meaning: `#17` for each word of the group in line 17."""
    lines = (files("memoria.policy.statements") / "word_groups.txt").read_text("utf-8").splitlines()
    return {word: f"#{n}" for n, line in enumerate(lines) for word in line.split()}


def _kind(low: str, is_name: bool) -> str:
    """What a word counts as: itself, or the kind of word that it is."""
    if low in CLOSED or not low[0].isalnum():
        return low
    if low in KINDS or low in english_words():
        return KINDS.get(low, "*kin")
    if low[0].isdigit():
        return "*0"
    if is_name:
        return "*Name"
    if low.endswith(_ENDINGS):
        for end in _ENDINGS:
            if low.endswith(end) and len(low) > len(end) + 2:
                return f"*{end}"
    return "*w"


_TELLING = frozenset(("*Name", "*0", "*kin", "*day", "*month", "*tell"))
"""Kinds that tell more than the group of words of like meaning does."""
_ENDINGS = ("ing", "ed", "ly", "ist", "er", "ion", "s")
_NUMBER = LazyPattern(
    r"\d[\d.,:%/-]*|[一二三四五六七八九十百千万两半]+(?=[岁个年月日号点斤公米厘只本条天小次周])"
)
_FOREIGN = LazyPattern(r"[A-Za-zÀ-ÿ][\w.@+#'-]*(?:\s[A-Za-z][\w.@+#'-]*)*")


def _build_zh(text: str) -> list[str]:
    """The closed words of a Chinese text, and `*` for what stands between them."""
    table, firsts = _read_closed_zh()
    built, i = list[str](), 0
    while i < len(text):
        found = None
        if text[i] in firsts:
            found = next((text[i : i + n] for n in (4, 3, 2, 1) if text[i : i + n] in table), None)
        if found is not None:
            built.append(table[found])
            i += len(found)
        else:
            if not built or built[-1] != "*":
                built.append("*")
            i += 1
    return built


@cache
def _read_closed_zh() -> tuple[dict[str, str], frozenset[str]]:
    """The closed words with what they count as, and the characters that they begin with."""
    words = chinese_words().items()
    kin = {word: "K" for word, found in words if len(word) > 1 or not found.needs_owner}
    table = {**kin, **CLOSED_ZH}
    return table, frozenset(word[0] for word in table)
