"""Classifiers of statements: linear models over runs of words, trained before.

A run is up to four words side by side (of Chinese, characters), or two with any one between them. A
text's score is the sum of the weights of its runs. `training/statements` and `training/standing`
make the weights, which are read when they are first asked for.
"""

import json
import unicodedata
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from math import sqrt
from typing import NamedTuple
from zlib import crc32

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.budget import estimate_tokens
from memoria.language.reading.own_words import BLOT, blot_foreign_text
from memoria.language.statements.orders import is_worded_as_order
from memoria.language.words.characters import reads_chinese
from memoria.model.memory_types import MemoryType

BITS = 16
"""Bits of a run's number."""
ZERO = 128
"""The byte of a weight of nothing."""
_LONGEST = 4
_WORD = lazy_regex(r"[^\W\d_\u3400-\u9fff]+(?:['’][^\W\d_]+)?|\d+|[^\s\d]")


def list_runs(text: str, salt: str = "") -> list[int]:
    """List a number for each run of words of a text; another salt gives other numbers."""
    plain = unicodedata.normalize("NFKC", text).replace("’", "'").lower()
    words = ["^", *(_name_word(word) for word in _WORD.findall(plain)), "$"]
    found = {
        crc32((salt + " ".join(words[start : start + length])).encode("utf-8", "replace"))
        for length in range(1, _LONGEST + 1)
        for start in range(len(words) - length + 1)
    }
    around = zip(words, words[2:], strict=False)
    found.update(crc32(f"{salt}{one} * {two}".encode("utf-8", "replace")) for one, two in around)
    return sorted({one & (1 << BITS) - 1 for one in found})


def _name_word(word: str) -> str:
    return "0" if word.isdigit() else word


TYPES = (
    MemoryType.FACT,
    MemoryType.RULE,
    MemoryType.PREFERENCE,
    MemoryType.RELATIONSHIP,
    MemoryType.GOAL,
)
"""Types that a text may have, in the order of their weights in the file."""
TYPE_BITS = 15
"""Bits of a weight's place."""


class _TypeWeights(NamedTuple):
    """Weights of runs for each type, as bytes, and each type's score before any."""

    rows: Sequence[bytes]
    scale: float
    base: Sequence[float]


def classify_text(text: str) -> MemoryType:
    """Return the type of what a text states; a fact where it states nothing."""
    weights, places = _load_types(), list_places(text)
    factor = weights.scale / sqrt(len(places))
    totals = (sum(row[one] for one in places) - ZERO * len(places) for row in weights.rows)
    scores = [factor * total + base for total, base in zip(totals, weights.base, strict=True)]
    return TYPES[scores.index(max(scores))]


def list_places(text: str) -> list[int]:
    """List the places of the weights of a text's runs of words, ascending and once each."""
    return sorted({one & (1 << TYPE_BITS) - 1 for one in list_runs(text)})


@cache
def _load_types() -> _TypeWeights:
    packed = (files("memoria.language.statements") / "types.weights").read_bytes()
    head, _, weights = packed.partition(b"\n")
    rows = [
        weights[start : start + (1 << TYPE_BITS)]
        for start in range(0, len(weights), 1 << TYPE_BITS)
    ]
    return _TypeWeights(rows, **json.loads(head))


MOST_TOKENS = 60
"""A longer message is told to nobody who has not asked."""
_MOST_NEXT = 120
"""Characters read of the next message; whoever takes a wish back does so at once."""


class _Weights(NamedTuple):
    """A weight for each run of words, as bytes."""

    runs: bytes
    scale: float
    base: float
    bounds: dict[str, float]
    """Least score of a wish, by language."""
    taken_back: float
    """Score below which the next message takes a wish back."""


def is_standing_wish(text: str) -> bool:
    """Check whether a message is a standing wish; a message with pasted text or code is none."""
    if estimate_tokens(text) > MOST_TOKENS or BLOT in blot_foreign_text(text):
        return False
    weights = _load_wishes()
    language = "chinese" if reads_chinese(text) else "english"
    return weights.base + _weigh(weights, list_runs(text)) >= weights.bounds[language]


def takes_back(said_next: str) -> bool:
    """Check whether the next message takes back what its speaker has just asked for."""
    weights = _load_wishes()
    return _weigh(weights, list_runs_of_next(said_next)) < weights.taken_back


def list_runs_of_next(text: str) -> list[int]:
    """List a number for each run of words of the next message; the salt sets them apart."""
    return list_runs(text[:_MOST_NEXT], "next ")


def _weigh(weights: _Weights, runs: Sequence[int]) -> float:
    total = sum(weights.runs[one] for one in runs) - ZERO * len(runs)
    return weights.scale * total / sqrt(len(runs))


@cache
def _load_wishes() -> _Weights:
    packed = (files("memoria.language.statements") / "standing.weights").read_bytes()
    head, _, runs = packed.partition(b"\n")
    return _Weights(runs, **json.loads(head))


def guess_type(content: str) -> MemoryType:
    """Return the type of a statement by its wording: an order is a rule, what is unclear a fact."""
    if is_standing_wish(content) or is_worded_as_order(content):
        return MemoryType.RULE
    return classify_text(content)
