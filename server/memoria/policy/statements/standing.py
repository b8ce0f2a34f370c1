"""Standing wishes: whether a whole message asks its assistant for something from now on.

A linear classifier sees the message as one, its sentences, and what the user says next, which may
take it back. `training/standing/train.py` makes the weights. Where it is in doubt, nothing is said
to be a wish: a search still finds the message.
"""

import json
import math
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from memoria.policy.own_words import BLOT, blot_foreign_text, sentences_of_blotted
from memoria.policy.statements.features import BITS, read_features, reads_chinese
from memoria.text.budget import estimate_tokens

MOST_TOKENS = 60
"""A longer message is told to nobody who has not asked."""
_NEXT = 0x2A5B
"""Sets the features of what is said next apart from those of the message."""
_IS_FOLLOWED = 7
_MOST_NEXT = 120
_THRESHOLDS = {"english": 0.7, "chinese": 0.85}
_ZERO = 128


class _Weights(NamedTuple):
    """A weight for each feature, as bytes."""

    row: bytes
    scale: float
    bias: float


def is_standing_wish(text: str, after: str | None = None) -> bool:
    """Whether a message is a wish for all times to come.

    Args:
        text: the message; one with pasted text, code or somebody else's words in it is none.
        after: what its author says next, where that is known.
    """
    if estimate_tokens(text) > MOST_TOKENS or BLOT in blot_foreign_text(text):
        return False
    language = "chinese" if reads_chinese(text) else "english"
    return _score(language, read_message(text, after)) >= _THRESHOLDS[language]


def read_message(text: str, after: str | None) -> list[int]:
    """The features of a message and of what its author says next."""
    found = read_features(text, text.strip()[-1:])
    for sentence in sentences_of_blotted(text):
        found.update(read_features(sentence.text, sentence.end))
    if after:
        said_next = read_features(after[:_MOST_NEXT])
        found.update((one ^ _NEXT) & (1 << BITS) - 1 for one in said_next)
        found.add(_IS_FOLLOWED)
    return sorted(found)


def _score(language: str, features: list[int]) -> float:
    weights = _load(language)
    total = sum(weights.row[one] for one in features) - _ZERO * len(features)
    return 1 / (1 + math.exp(-(weights.scale * total / math.sqrt(len(features)) + weights.bias)))


@cache
def _load(language: str) -> _Weights:
    packed = (files("memoria.policy.statements") / f"standing_{language}.weights").read_bytes()
    head, _, row = packed.partition(b"\n")
    return _Weights(row, **json.loads(head))
