"""Features: what the classifier sees of a clause.

They are words and characters in their order, and the pattern that remains when every open word is
replaced by its kind (a name, a number, a person's kin, an adverb) or by its group of words of like
meaning, so that a sentence is recognised by its build and not by what it is about. Each feature is
a number: the hash of its words, which depends on nothing but them.
"""

import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from zlib import crc32

from memoria.policy.people.kinship import chinese_words, english_words
from memoria.policy.statements.clauses import StatingClause, reads_chinese
from memoria.policy.statements.words import CLOSED, CLOSED_ZH, KINDS
from memoria.text.pattern import LazyPattern

_WORD = LazyPattern(r"[A-Za-zÀ-ÿ]+(?:['’][A-Za-z]+)?|\d[\d.,:]*|[^\sA-Za-zÀ-ÿ\d]")
_MOST_WORDS = 60
_MOST_SIGNS = 80
_WORDS_A_STEP = 4
_SIGNS_A_STEP = 5
_MANY_WORDS = 40
_MANY_SIGNS = 60
_FIRST, _SECOND, _THIRD, _FOURTH = 0x9E3779B1, 0x85EBCA6B, 0xC2B2AE35, 0x27D4EB2F
_SHIFT = 7
"""Bits that are dropped, because those below are the least mixed."""


def read_features(clause: StatingClause, end: str = "") -> list[int]:
    """The features of a clause, some of them more than once.

    Args:
        clause: part of a sentence.
        end: the punctuation that ends the sentence.
    """
    text = clause.text
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).replace("’", "'")
    found = _chinese(text) if reads_chinese(text) else _english(text)
    found.append(_hash(f"end {end[:2]}"))
    if clause.before:
        found.append(_hash("something before"))
    if clause.after:
        found.append(_hash("something behind"))
    return found


def _english(text: str) -> list[int]:
    words = _WORD.regex.findall(text)[:_MOST_WORDS]
    plain = [word.lower() for word in words]  # one by one: "İ" becomes two signs
    kinds = [
        _kind(low, word[0].isupper() and n > 0)
        for n, (low, word) in enumerate(zip(plain, words, strict=True))
    ]
    groups = _word_groups()
    meanings = [groups.get(low, kind) for low, kind in zip(plain, kinds, strict=True)]
    mixed = [
        meaning if kind[0] == "*" and kind not in _TELLING else kind
        for meaning, kind in zip(meanings, kinds, strict=True)
    ]
    closed = [kind for kind in kinds if kind[0] != "*"]
    own, build, meant, spare = (list(map(_hash, one)) for one in (plain, kinds, mixed, meanings))
    joined = list(map(_hash, closed))
    framed, framed_meant = [_START, *build, _END], [_START, *meant, _END]
    found = [_hash(f"length {min(len(words), _MANY_WORDS) // _WORDS_A_STEP}")]
    _add_single(found, 1, own)
    _add_pairs(found, 2, own)
    _add_edges(found, 3, own, 3)
    _add_single(found, 6, own[-1:])
    _add_single(found, 7, build)
    _add_pairs(found, 8, framed)
    _add_triples(found, 9, framed)
    _add_edges(found, 10, build, 4)
    _add_pairs(found, 14, joined)
    _add_triples(found, 15, joined)
    _add_single(found, 16, meant)
    _add_pairs(found, 17, framed_meant)
    _add_triples(found, 18, framed_meant)
    _add_edges(found, 19, meant, 3)
    _add_single(found, 22, spare)
    _add_pairs(found, 23, spare)
    return found


def _chinese(text: str) -> list[int]:
    plain = _FOREIGN.regex.sub("A", _NUMBER.regex.sub("0", text))
    plain = "".join(plain.split())[:_MOST_SIGNS]
    signs = list(map(ord, plain))
    kinds = [_START_KIND, *_build_zh(plain), _END_KIND]
    build = list(map(_hash, kinds))
    closed = [one for one, kind in zip(build, kinds, strict=True) if kind != "*"]
    found = [_hash(f"length {min(len(plain), _MANY_SIGNS) // _SIGNS_A_STEP}")]
    _add_single(found, 31, signs)
    _add_pairs(found, 32, signs)
    _add_triples(found, 33, signs)
    _add_edges(found, 34, signs, 4)
    _add_edges(found, 38, signs[::-1], 3)
    _add_pairs(found, 41, build)
    _add_triples(found, 42, build)
    _add_fours(found, 43, build)
    _add_edges(found, 44, build, 6)
    _add_pairs(found, 50, closed)
    _add_triples(found, 51, closed)
    return found


def _add_single(found: list[int], kind: int, items: Sequence[int]) -> None:
    salt = kind * _FOURTH
    found += [(a * _FIRST + salt) >> _SHIFT for a in items]


def _add_pairs(found: list[int], kind: int, items: Sequence[int]) -> None:
    salt = kind * _FOURTH
    found += [(a * _FIRST + b * _SECOND + salt) >> _SHIFT for a, b in pairwise(items)]


def _add_triples(found: list[int], kind: int, items: Sequence[int]) -> None:
    salt = kind * _FOURTH
    found += [
        (a * _FIRST + b * _SECOND + c * _THIRD + salt) >> _SHIFT
        for a, b, c in zip(items, items[1:], items[2:], strict=False)
    ]


def _add_fours(found: list[int], kind: int, items: Sequence[int]) -> None:
    pairs = [(a * _FIRST + b * _SECOND) >> _SHIFT for a, b in pairwise(items)]
    _add_pairs_apart(found, kind, pairs)


def _add_pairs_apart(found: list[int], kind: int, pairs: Sequence[int]) -> None:
    salt = kind * _FOURTH
    found += [
        (a * _FIRST + b * _SECOND + salt) >> _SHIFT for a, b in zip(pairs, pairs[2:], strict=False)
    ]


def _add_edges(found: list[int], kind: int, items: Sequence[int], most: int) -> None:
    """The first item, the first two, and so on."""
    so_far = 0
    for n, item in enumerate(items[:most]):
        so_far = (so_far * _SECOND + item * _FIRST + (kind + n) * _FOURTH) & _WHOLE
        found.append(so_far >> _SHIFT)


_WHOLE = (1 << 40) - 1


@lru_cache(maxsize=8192)
def _hash(word: str) -> int:
    return crc32(word.encode())


_START_KIND, _END_KIND = "^", "$"
_START, _END = crc32(b"^"), crc32(b"$")


@cache
def _word_groups() -> dict[str, str]:
    """The words of like meaning: `#17` for each word of the group in line 17."""
    lines = (files("memoria.policy.statements") / "word_groups.txt").read_text("utf-8").splitlines()
    return {word: f"#{n}" for n, line in enumerate(lines) for word in line.split()}


@lru_cache(maxsize=8192)
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
    endings = (end for end in _ENDINGS if low.endswith(end) and len(low) > len(end) + 2)
    return f"*{next(endings, 'w')}"


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
