"""Answering: a score, from two vectors, for how well a text answers a question.

A cosine weighs all numbers of a vector alike, so that a text about the same things comes near
whether it answers or not. Here each number has a weight of its own, learnt from questions that are
answered by what somebody told, and from others that only come near it; `training/fit` has them.
"""

from functools import cache
from pathlib import Path

from memoria.model import Vector

WEIGHTS = Path(__file__).with_name("answering.weights")
"""Weight of each number as half floats, where all of them count 1 in the cosine."""


@cache
def read_answering() -> Vector:
    """Read the weight of each number of a vector of the bundled embedder."""
    import numpy as np  # noqa: PLC0415  (who searches nothing does not wait for it)

    return np.frombuffer(WEIGHTS.read_bytes(), np.float16).astype(np.float32)
