"""Classifier of the type of a kept text, by weights that were trained before.

A linear model over runs of words: a text's score for a type is the sum of the weights of its runs.
`training/statements/train.py` makes the weights, which are read when they are first asked for.
"""

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from math import sqrt
from typing import NamedTuple

from memoria.language.statements.runs import ZERO, list_runs
from memoria.model.memory_types import MemoryType

TYPES = (
    MemoryType.FACT,
    MemoryType.RULE,
    MemoryType.PREFERENCE,
    MemoryType.RELATIONSHIP,
    MemoryType.GOAL,
)
"""Types that a text may have, in the order of their weights in the file."""
BITS = 15
"""Bits of a weight's place."""


class _TypeWeights(NamedTuple):
    """Weights of runs for each type, as bytes, and each type's score before any."""

    rows: Sequence[bytes]
    scale: float
    base: Sequence[float]


def classify_text(text: str) -> MemoryType:
    """Return the type of what a text states; a fact where it states nothing."""
    weights, places = _load(), list_places(text)
    factor = weights.scale / sqrt(len(places))
    totals = (sum(row[one] for one in places) - ZERO * len(places) for row in weights.rows)
    scores = [factor * total + base for total, base in zip(totals, weights.base, strict=True)]
    return TYPES[scores.index(max(scores))]


def list_places(text: str) -> list[int]:
    """List the places of the weights of a text's runs of words, ascending and once each."""
    return sorted({one & (1 << BITS) - 1 for one in list_runs(text)})


@cache
def _load() -> _TypeWeights:
    packed = (files("memoria.language.statements") / "types.weights").read_bytes()
    head, _, weights = packed.partition(b"\n")
    rows = [weights[start : start + (1 << BITS)] for start in range(0, len(weights), 1 << BITS)]
    return _TypeWeights(rows, **json.loads(head))
