"""Features: what the classifier sees of a clause.

They are words and characters in their order, and the pattern that remains when every open word is
replaced by its kind (a name, a number, a person's kin, an adverb), so that a sentence is recognised
by its build and not by what it is about.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files

from memoria.policy.people.kinship import chinese_words, english_words
from memoria.policy.statements.clauses import StatingClause
from memoria.policy.statements.words import CLOSED, CLOSED_ZH, KINDS
from memoria.text.pattern import LazyPattern
from memoria.text.script import is_cjk

_WORD = LazyPattern(r"[A-Za-zÀ-ÿ]+(?:['’][A-Za-z]+)?|\d[\d.,:]*|[^\sA-Za-zÀ-ÿ\d]")
_MOST_WORDS = 60
_MOST_SIGNS = 80


def read_features(clause: StatingClause, end: str = "") -> tuple[str, ...]:
    """The features of a clause.

    Args:
        clause: part of a sentence.
        end: the punctuation that ends the sentence.
    """
    text = unicodedata.normalize("NFKC", clause.text).replace("’", "'")
    found = _chinese(text) if is_cjk(text) else _english(text)
    around = _around(clause, end)
    return tuple(dict.fromkeys((*found, *around)))


def _around(clause: StatingClause, end: str) -> Iterator[str]:
    """What surrounds the clause: marks of irony, an exclamation, a question that follows."""
    yield f"end {end[:2]}"
    if clause.before:
        yield "before"
    if clause.after:
        yield "after"


def _english(text: str) -> Iterator[str]:
    words = _WORD.regex.findall(text)[:_MOST_WORDS]
    lower = [word.lower() for word in words]
    kinds = [
        _kind(word, low, is_first=not i)
        for i, (word, low) in enumerate(zip(words, lower, strict=True))
    ]
    groups = _word_groups()
    meanings = [groups.get(low, kind) for low, kind in zip(lower, kinds, strict=True)]
    mixed = [
        meaning if kind[0] == "*" and kind not in _TELLING else kind
        for meaning, kind in zip(meanings, kinds, strict=True)
    ]
    yield from (f"w {word}" for word in lower)
    yield from _grams("b", lower, 2)
    yield from _edges("f", lower, (1, 2, 3))
    yield f"l {lower[-1]}" if lower else "empty"
    for n in (1, 2, 3):
        yield from _grams("k", ["^", *kinds, "$"], n)
    yield from _edges("kf", kinds, (3, 4, 5))
    yield from _pair_closed(kinds)
    for n in (1, 2, 3):
        yield from _grams("m", ["^", *mixed, "$"], n)
    yield from _edges("mf", mixed, (2, 3))
    yield from _grams("g", meanings, 1)
    yield from _grams("g", meanings, 2)
    yield f"length {min(len(words), 40) // 4}"


def _edges(name: str, items: Sequence[str], lengths: Iterable[int]) -> Iterator[str]:
    """The first few items."""
    return (f"{name}{n} {' '.join(items[:n])}" for n in lengths if len(items) >= n)


@cache
def _word_groups() -> dict[str, str]:
    """The words of like meaning: `#17` for each word of the group in line 17."""
    lines = (files("memoria.policy.statements") / "word_groups.txt").read_text("utf-8").splitlines()
    return {word: f"#{n}" for n, line in enumerate(lines) for word in line.split()}


def _pair_closed(kinds: Sequence[str]) -> Iterator[str]:
    """The closed words of a clause with the one after the next: `always … when`."""
    closed = [kind for kind in kinds if kind[0] != "*"]
    yield from _grams("s", closed, 2)
    yield from _grams("s", closed, 3)


def _kind(word: str, low: str, *, is_first: bool) -> str:
    if low in CLOSED or not word[0].isalnum():
        return low
    if low in KINDS or low in english_words():
        return KINDS.get(low, "*kin")
    if word[0].isdigit():
        return "*0"
    if word[0].isupper() and not is_first:
        return "*Name"
    return next(
        (f"*{end}" for end in _ENDINGS if low.endswith(end) and len(low) > len(end) + 2), "*w"
    )


_TELLING = ("*Name", "*0", "*kin", "*day", "*month", "*tell")
"""Kinds that tell more than the group of words of like meaning does."""
_ENDINGS = ("ing", "ed", "ly", "ist", "er", "ion", "s")


def _chinese(text: str) -> Iterator[str]:
    signs = _signs(text)[:_MOST_SIGNS]
    text = "".join(signs)
    for n in (1, 2, 3):
        yield from (f"c{n} {text[i : i + n]}" for i in range(len(text) - n + 1))
    yield from (f"cf{n} {text[:n]}" for n in (1, 2, 3, 4))
    yield from (f"cl{n} {text[-n:]}" for n in (1, 2, 3))
    build = ["^", *_build_zh(text), "$"]
    for n in (2, 3, 4):
        yield from _grams("k", build, n)
    yield from (f"kf{n} {' '.join(build[:n])}" for n in (4, 5, 6))
    closed = [one for one in build if one != "*"]
    yield from _grams("s", closed, 2)
    yield from _grams("s", closed, 3)
    yield f"length {min(len(text), 60) // 5}"


def _signs(text: str) -> list[str]:
    """Its characters, with one sign for a number and one for a foreign word."""
    text = _NUMBER.regex.sub("0", text)
    text = _FOREIGN.regex.sub("A", text)
    return [sign for sign in text if not sign.isspace()]


_NUMBER = LazyPattern(
    r"\d[\d.,:%/-]*|[一二三四五六七八九十百千万两半]+(?=[岁个年月日号点斤公米厘只本条天小次周])"
)
_FOREIGN = LazyPattern(r"[A-Za-zÀ-ÿ][\w.@+#'-]*(?:\s[A-Za-z][\w.@+#'-]*)*")


def _build_zh(text: str) -> Iterator[str]:
    """The closed words of a Chinese text, and `*` for what stands between them."""
    open_before = False
    i = 0
    table = _read_closed_zh()
    while i < len(text):
        found = next((text[i : i + n] for n in (4, 3, 2, 1) if text[i : i + n] in table), None)
        if found is not None:
            yield table[found]
            i += len(found)
            open_before = False
            continue
        if not open_before:
            yield "*"
        open_before = True
        i += 1


@cache
def _read_closed_zh() -> dict[str, str]:
    kin = {
        word: "K"
        for word, found in chinese_words().items()
        if len(word) > 1 or not found.needs_owner
    }
    return {**kin, **CLOSED_ZH}


def _grams(name: str, items: Sequence[str], n: int) -> Iterable[str]:
    return (f"{name}{n} {' '.join(items[i : i + n])}" for i in range(len(items) - n + 1))
