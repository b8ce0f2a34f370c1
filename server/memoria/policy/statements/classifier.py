"""The classifier: what kind of statement a text makes, by weights that were trained in advance.

It is linear over hashed features: a sentence's score for a label is the sum of the weights of its
features. `training/statements/train.py` makes the weights, which are read when they are first
asked for.
"""

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from memoria.model.memory_types import MemoryType
from memoria.policy.own_words import Sentence, own_sentences
from memoria.policy.statements.features import read_features
from memoria.text.script import reads_chinese


class Label(StrEnum):
    """What a sentence of the user is."""

    NONE = "none"
    INSTRUCTION = "instruction"
    PREFERENCE = "preference"
    FACT = "fact"
    RELATIONSHIP = "relationship"
    GOAL = "goal"


LABELS = tuple(Label)
_TYPES = {
    Label.INSTRUCTION: MemoryType.RULE,
    Label.PREFERENCE: MemoryType.PREFERENCE,
    Label.FACT: MemoryType.FACT,
    Label.RELATIONSHIP: MemoryType.RELATIONSHIP,
    Label.GOAL: MemoryType.GOAL,
}
_ZERO = 128
"""The byte of a weight of nothing."""
_LEAST_FEATURES = 2


class _Verdict(NamedTuple):
    """What the classifier says of a sentence."""

    certainty: float
    """How likely it is that it states anything that lasts, from 0 to 1."""
    label: Label
    """The likeliest label other than none."""


@dataclass(frozen=True, slots=True)
class _LabelWeights:
    """The weights of one language."""

    columns: Sequence[bytes]
    """For each label a byte for each hash."""
    scale: float
    bias: tuple[float, ...]
    threshold: float

    def score(self, features: Iterable[int]) -> list[float]:
        """The probability of each label."""
        hashes = {*features}
        if len(hashes) < _LEAST_FEATURES:
            return [1.0, *[0.0] * (len(LABELS) - 1)]
        factor = self.scale / math.sqrt(len(hashes))
        sums = [sum(column[one] - _ZERO for one in hashes) for column in self.columns]
        return _softmax([factor * each + bias for each, bias in zip(sums, self.bias, strict=True)])


def classify_text(text: str) -> MemoryType | None:
    """The type of what a text states whose writer meant it to be kept; None where it is not clear.

    An order decides, wherever it stands; else the surest of the sentences does.
    """
    found = map(_classify_sentence, own_sentences(text))
    verdicts = [verdict for verdict in found if verdict is not None]
    if any(label is Label.INSTRUCTION for _, label in verdicts):
        return MemoryType.RULE
    return _TYPES[max(verdicts)[1]] if verdicts else None


def _classify_sentence(sentence: Sentence) -> _Verdict | None:
    """What kind of statement a sentence makes; None where that is not sure enough."""
    weights = _load_weights("chinese" if reads_chinese(sentence.text) else "english")
    none, *others = weights.score(read_features(sentence.text, sentence.end))
    best = max(range(len(others)), key=others.__getitem__)
    return _Verdict(1 - none, LABELS[best + 1]) if 1 - none >= weights.threshold else None


@cache
def _load_weights(language: str) -> _LabelWeights:
    """The weights of a language; they are read once."""
    packed = (files("memoria.policy.statements") / f"{language}.weights").read_bytes()
    head, _, rows = packed.partition(b"\n")
    told = json.loads(head)
    size = 1 << told["bits"]
    columns = [rows[start : start + size] for start in range(0, len(rows), size)]
    return _LabelWeights(columns, told["scale"], tuple(told["bias"]), told["threshold"])


def _softmax(scores: list[float]) -> list[float]:
    highest = max(scores)
    exponents = [math.exp(score - highest) for score in scores]
    total = sum(exponents)
    return [exponent / total for exponent in exponents]
