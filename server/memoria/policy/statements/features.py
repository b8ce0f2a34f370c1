"""Features: what the classifiers see of a text.

They are words and characters in their order, and the pattern that remains when every open word is
replaced by its kind (a name, a number, a person's kin, an adverb) or by its group of words of like
meaning, so that a sentence is recognised by its build and not by what it is about. Each feature is
a number: a hash of its words, which depends on nothing but them.
"""

import unicodedata
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from itertools import chain, compress, pairwise
from typing import NamedTuple
from zlib import crc32

from memoria.policy.kinship import chinese_words, english_words
from memoria.policy.statements.words import CLOSED, CLOSED_ZH, KINDS
from memoria.text.pattern import LazyPattern
from memoria.text.remembered import remember_results
from memoria.text.script import is_cjk

_WORD = LazyPattern(r"[A-Za-zÀ-ÿ]+(?:['’][A-Za-z]+)?|\d[\d.,:]*|[^\sA-Za-zÀ-ÿ\d]")
_SIGN_ZH = LazyPattern("[\u3400-\u9fff]")
_ENOUGH_ZH = 4
_MOST_WORDS = 60
_MOST_SIGNS = 80
_WORDS_A_STEP = 4
_SIGNS_A_STEP = 5
_MANY_WORDS = 40
_MANY_SIGNS = 60
_FIRST, _SECOND, _THIRD, _FOURTH = 0x9E3779B1, 0x85EBCA6B, 0xC2B2AE35, 0x27D4EB2F
_SHIFT, BITS = 7, 15
"""Bits that are dropped, because those below are the least mixed; and those that are kept."""
_MASK = (1 << BITS) - 1
_COUNTS = (1 << 2 * _SHIFT + BITS) - 1
"""No higher bit of a number ever comes into one that is kept, so all are cut to these."""


def reads_chinese(text: str) -> bool:
    """Whether a text is to be read as Chinese, whatever long addresses and names it holds."""
    if text.isascii():
        return False
    return is_cjk(text) or len(_SIGN_ZH.regex.findall(text)) >= _ENOUGH_ZH


def read_features(text: str, end: str = "") -> list[int]:
    """The features of a text, some of them more than once.

    Args:
        text: a sentence or a part of one.
        end: the punctuation that ends the sentence.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).replace("’", "'")
    found = _chinese(text) if reads_chinese(text) else _english(text)
    found.append(_hash(f"end {end[:2]}") & _MASK)
    return found


def _english(text: str) -> list[int]:
    words = _WORD.regex.findall(text)[:_MOST_WORDS]
    read = [
        _read_word(word.lower(), word[0].isupper() and n > 0)  # one by one: "İ" becomes two signs
        for n, word in enumerate(words)
    ]
    single, is_closed, *columns = list(zip(*read, strict=True)) or [()] * _COLUMNS
    own, meaning, build, meant = (_Row(*columns[start:end]) for start, end in pairwise(_OF_ROWS))
    closed = _Row(*(list(compress(column, is_closed)) for column in build))
    found = [_hash(f"length {min(len(words), _MANY_WORDS) // _WORDS_A_STEP}") & _MASK]
    found += chain.from_iterable(single)
    _add_pairs(found, ((2, own), (23, meaning)))
    _add_runs(found, ((8, _frame(build)), (14, closed), (17, _frame(meant))))
    _add_edges(found, 3, own, 3)
    _add_edges(found, 10, build, 4)
    _add_edges(found, 19, meant, 3)
    _add_single(found, 6, own.first[-1:])
    return found


def _chinese(text: str) -> list[int]:
    plain = _FOREIGN.regex.sub("A", _NUMBER.regex.sub("0", text))
    plain = "".join(plain.split())[:_MOST_SIGNS]
    kinds = [_START_KIND, *_build_zh(plain), _END_KIND]
    signs = [_multiply(ord(sign)) for sign in plain]
    build = [_multiply(_hash(kind)) for kind in kinds]
    closed = [one for one, kind in zip(build, kinds, strict=True) if kind != "*"]
    row, frame = _line_up(signs), _line_up(build)
    found = [_hash(f"length {min(len(plain), _MANY_SIGNS) // _SIGNS_A_STEP}") & _MASK]
    _add_single(found, 31, row.first)
    _add_runs(found, ((32, row), (41, frame), (50, _line_up(closed))))
    _add_edges(found, 34, row, 4)
    _add_edges(found, 38, _line_up(signs[::-1]), 3)
    _add_fours(found, 43, frame)
    _add_edges(found, 44, frame, 6)
    return found


class _Products(NamedTuple):
    """A hash as it counts in the first, the second and the third place of a feature."""

    first: int
    second: int
    third: int


class _Row(NamedTuple):
    """Hashes in their order, as they count in each place."""

    first: Sequence[int] = ()
    second: Sequence[int] = ()
    third: Sequence[int] = ()


_Rows = Sequence[tuple[int, _Row]]
"""Rows, each with the kind of features that are made of it."""


def _multiply(hashed: int) -> _Products:
    return _Products(
        hashed * _FIRST & _COUNTS, hashed * _SECOND & _COUNTS, hashed * _THIRD & _COUNTS
    )


def _line_up(items: Sequence[_Products]) -> _Row:
    return _Row(*zip(*items, strict=True))


def _frame(row: _Row) -> _Row:
    """A row between signs for its beginning and its end."""
    return _Row(
        (_START.first, *row.first, _END.first),
        (_START.second, *row.second, _END.second),
        (_START.third, *row.third, _END.third),
    )


def _add_single(found: list[int], kind: int, first: Sequence[int]) -> None:
    salt = _salt(kind)
    found += [(a + salt) >> _SHIFT & _MASK for a in first]


def _add_pairs(found: list[int], rows: _Rows) -> None:
    found += [
        (a + b + salt) >> _SHIFT & _MASK
        for kind, row in rows
        for salt in (_salt(kind),)
        for a, b in zip(row.first, row.second[1:], strict=False)
    ]


def _add_runs(found: list[int], rows: _Rows) -> None:
    """Pairs, and triples under the next kind."""
    _add_pairs(found, rows)
    found += [
        (a + b + c + salt) >> _SHIFT & _MASK
        for kind, row in rows
        for salt in (_salt(kind + 1),)
        for a, b, c in zip(row.first, row.second[1:], row.third[2:], strict=False)
    ]


def _add_fours(found: list[int], kind: int, row: _Row) -> None:
    both = zip(row.first, row.second[1:], strict=False)
    pairs = _line_up([_multiply((a + b) >> _SHIFT) for a, b in both])
    salt = _salt(kind)
    far = zip(pairs.first, pairs.second[2:], strict=False)
    found += [(a + b + salt) >> _SHIFT & _MASK for a, b in far]


def _add_edges(found: list[int], kind: int, row: _Row, most: int) -> None:
    """The first item, the first two, and so on."""
    so_far = 0
    for n, first in enumerate(row.first[:most]):
        so_far = (so_far * _SECOND + first + _salt(kind + n)) & _COUNTS
        found.append(so_far >> _SHIFT & _MASK)


@cache
def _salt(kind: int) -> int:
    return kind * _FOURTH & _COUNTS


def _hash(word: str) -> int:
    return crc32(word.encode())


_START_KIND, _END_KIND = "^", "$"
_START, _END = _multiply(_hash(_START_KIND)), _multiply(_hash(_END_KIND))


@cache
def _word_groups() -> dict[str, str]:
    """The words of like meaning: `#17` for each word of the group in line 17."""
    lines = (files("memoria.policy.statements") / "word_groups.txt").read_text("utf-8").splitlines()
    return {word: f"#{n}" for n, line in enumerate(lines) for word in line.split()}


_ClauseWord = tuple[tuple[int, ...], bool, int, int, int, int, int, int, int, int, int, int]
"""What the classifier sees of an English word: the features that it is by itself, whether it keeps
its form, and numbers by the places that they count in: of the word and of its meaning in two, of
its kind, and of its kind where that tells more than its meaning, else of the latter, in three."""
_COLUMNS = 12
_OF_ROWS = (0, 2, 4, 7, 10)
"""Where its numbers begin and end."""


@remember_results(8192)
def _read_word(low: str, is_name: bool) -> _ClauseWord:
    kind = _kind(low, is_name)
    meaning, is_closed = _word_groups().get(low, kind), kind[0] != "*"
    own, spare, build = _multiply(_hash(low)), _products(meaning), _products(kind)
    meant = build if is_closed or kind in _TELLING else spare
    single = (
        (build.first + _salt(7)) >> _SHIFT & _MASK,
        (meant.first + _salt(16)) >> _SHIFT & _MASK,
        (own.first + _salt(1)) >> _SHIFT & _MASK,
        (spare.first + _salt(22)) >> _SHIFT & _MASK,
    )
    return (single, is_closed, *own[:2], *spare[:2], *build, *meant)


@remember_results(2048)
def _products(one: str) -> _Products:
    """Of a kind or a group of words: there are few."""
    return _multiply(_hash(one))


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
