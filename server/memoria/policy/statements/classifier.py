"""The classifier: what kind of statement a clause makes, by weights that were trained in advance.

It is linear over hashed features: a clause's score for a label is the sum of the weights of its
features. `training/statements/train.py` makes the weights, which are read when they are first
asked for.
"""

import json
import math
import zlib
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files

from memoria.policy.statements.clauses import StatingClause
from memoria.policy.statements.features import read_features
from memoria.text.script import is_cjk


class Label(StrEnum):
    """What a clause of the user is."""

    NONE = "none"
    INSTRUCTION = "instruction"
    PREFERENCE = "preference"
    FACT = "fact"
    RELATIONSHIP = "relationship"
    GOAL = "goal"


LABELS = tuple(Label)


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

    rows: bytes
    """A signed byte for each label, for each hash."""
    bits: int
    scale: float
    bias: tuple[float, ...]
    threshold: float

    def score(self, features: tuple[str, ...]) -> list[float]:
        """The probability of each label."""
        count = len(LABELS)
        mask = (1 << self.bits) - 1
        rows = memoryview(self.rows).cast("b")
        hashes = {zlib.crc32(name.encode()) & mask for name in features}
        found = [rows[at * count : at * count + count] for at in hashes]
        factor = self.scale / math.sqrt(max(len(hashes), 1))
        sums = [factor * sum(column) for column in zip(*found, strict=True)] or [0.0] * count
        return _softmax([one + bias for one, bias in zip(sums, self.bias, strict=True)])


def classify_clause(clause: StatingClause, end: str = "") -> Verdict:
    """Tell what kind of statement a clause makes.

    Args:
        clause: part of a sentence.
        end: the punctuation that ends the sentence.
    """
    weights = load_weights("chinese" if is_cjk(clause.text) else "english")
    none, *others = weights.score(read_features(clause, end))
    best = max(range(len(others)), key=others.__getitem__)
    return Verdict(LABELS[best + 1], 1 - none, 1 - none >= weights.threshold)


@cache
def load_weights(language: str) -> Weights:
    """The weights of a language; they are read once."""
    packed = (files("memoria.policy.statements") / f"{language}.weights").read_bytes()
    head, _, rows = packed.partition(b"\n")
    told = json.loads(head)
    return Weights(rows, told["bits"], told["scale"], tuple(told["bias"]), told["threshold"])


def _softmax(scores: list[float]) -> list[float]:
    highest = max(scores)
    exponents = [math.exp(score - highest) for score in scores]
    total = sum(exponents)
    return [exponent / total for exponent in exponents]
