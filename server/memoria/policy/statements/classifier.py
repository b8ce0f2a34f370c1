"""The classifier: what kind of statement a clause makes, by weights that were trained in advance.

It is linear over hashed features: a clause's score for a label is the sum of the weights of its
features. `training/statements/train.py` makes the weights, which are read when they are first
asked for.
"""

import json
import math
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from operator import itemgetter

from memoria.policy.statements.clauses import StatingClause, reads_chinese
from memoria.policy.statements.features import read_features


class Label(StrEnum):
    """What a clause of the user is."""

    NONE = "none"
    INSTRUCTION = "instruction"
    PREFERENCE = "preference"
    FACT = "fact"
    RELATIONSHIP = "relationship"
    GOAL = "goal"


LABELS = tuple(Label)
_ZERO = 128
"""The byte of a weight of nothing."""
_LEAST_FEATURES = 2
_WIDTH = 20
"""Bits of a sum of weights: a clause has not a fourth of the features that would fill them."""
_FIELD = (1 << _WIDTH) - 1
_PACKED = 3
"""Labels whose sums one number of 64 bits holds."""
_PLACES = range(0, _WIDTH * _PACKED, _WIDTH)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the classifier says of a clause."""

    label: Label
    """The likeliest label other than none."""
    certainty: float
    """How likely it is that the clause states anything that lasts, from 0 to 1."""
    is_sure: bool
    """Whether that is likely enough for a memory."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of one language."""

    tables: Sequence[Sequence[int]]
    """For each three labels and each hash a number with the weights of them: 20 bits for a weight
    and 128, so that numbers of many hashes can be added."""
    scale: float
    bias: tuple[float, ...]
    threshold: float

    def score(self, features: Iterable[int]) -> list[float]:
        """The probability of each label."""
        hashes = {*features}
        if len(hashes) < _LEAST_FEATURES:
            return [1.0, *[0.0] * (len(LABELS) - 1)]
        count = len(hashes)
        factor = self.scale / math.sqrt(count)
        zero = _ZERO * count
        pick = itemgetter(*hashes)
        packed = [sum(pick(table)) for table in self.tables]
        sums = [sum_ >> place & _FIELD for sum_ in packed for place in _PLACES]
        return _softmax(
            [factor * (sum_ - zero) + bias for sum_, bias in zip(sums, self.bias, strict=True)]
        )


def classify_clause(clause: StatingClause, end: str = "") -> Verdict:
    """Tell what kind of statement a clause makes.

    Args:
        clause: part of a sentence.
        end: the punctuation that ends the sentence.
    """
    weights = load_weights("chinese" if reads_chinese(clause.text) else "english")
    none, *others = weights.score(read_features(clause, end))
    best = max(range(len(others)), key=others.__getitem__)
    return Verdict(LABELS[best + 1], 1 - none, 1 - none >= weights.threshold)


@cache
def load_weights(language: str) -> Weights:
    """The weights of a language; they are read once."""
    packed = (files("memoria.policy.statements") / f"{language}.weights").read_bytes()
    head, _, rows = packed.partition(b"\n")
    told = json.loads(head)
    size = 1 << told["bits"]
    columns = [rows[start : start + size] for start in range(0, len(rows), size)]
    tables = [_pack(columns[first : first + _PACKED]) for first in range(0, len(columns), _PACKED)]
    return Weights(tables, told["scale"], tuple(told["bias"]), told["threshold"])


def _pack(columns: Sequence[bytes]) -> Sequence[int]:
    """Three labels' weights as one number for each hash."""
    first, second, third = _PLACES
    rows = zip(*columns, strict=True)
    return array("Q", (a << first | b << second | c << third for a, b, c in rows))


def _softmax(scores: list[float]) -> list[float]:
    highest = max(scores)
    exponents = [math.exp(score - highest) for score in scores]
    total = sum(exponents)
    return [exponent / total for exponent in exponents]
