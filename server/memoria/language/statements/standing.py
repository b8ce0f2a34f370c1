"""Standing wishes: messages that ask the assistant for something from now on.

A linear model over runs of up to four words (of Chinese, characters). `training/standing/train.py`
makes the weights. Where it is in doubt, nothing is said to be a wish: a search still finds the
message.
"""

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from math import sqrt
from typing import NamedTuple

from memoria.language.budget import estimate_tokens
from memoria.language.reading.own_words import BLOT, blot_foreign_text
from memoria.language.statements.runs import ZERO, list_runs
from memoria.language.words.script import reads_chinese

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
    """Check whether a message is a wish for all times; one with pasted text or code is none."""
    if estimate_tokens(text) > MOST_TOKENS or BLOT in blot_foreign_text(text):
        return False
    weights = _load()
    language = "chinese" if reads_chinese(text) else "english"
    return weights.base + _weigh(weights, list_runs(text)) >= weights.bounds[language]


def takes_back(said_next: str) -> bool:
    """Check whether the next message takes back what its speaker has just asked for."""
    weights = _load()
    return _weigh(weights, list_runs_of_next(said_next)) < weights.taken_back


def list_runs_of_next(text: str) -> list[int]:
    """List a number for each run of words of the next message; the salt sets them apart."""
    return list_runs(text[:_MOST_NEXT], "next ")


def _weigh(weights: _Weights, runs: Sequence[int]) -> float:
    total = sum(weights.runs[one] for one in runs) - ZERO * len(runs)
    return weights.scale * total / sqrt(len(runs))


@cache
def _load() -> _Weights:
    packed = (files("memoria.language.statements") / "standing.weights").read_bytes()
    head, _, runs = packed.partition(b"\n")
    return _Weights(runs, **json.loads(head))
