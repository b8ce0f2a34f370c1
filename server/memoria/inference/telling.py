"""Telling: a test, by its vector alone, whether a text tells something of its author's world.

A linear model over the vectors of the bundled embedder, made to miss little: it concludes nothing,
and only picks what is looked through. Where its direction is added to a vector, what tells comes
nearer to that. `training/telling` has the texts that it learnt from.
"""

from functools import cache
from pathlib import Path
from typing import NamedTuple

from memoria.model import Vector

WEIGHTS = Path(__file__).with_name("telling.weights")
"""Half floats: a weight for each number of a vector, and a constant that is added to their sum."""
_STRENGTH = 0.5
"""Length of the turn of a vector. It must not drown what is asked for."""


class Telling(NamedTuple):
    """Linear model that separates texts that tell something from others."""

    weights: Vector
    base: float

    def marks(self, vector: Vector, least: float = 0.0) -> bool:
        """Check whether the text with this vector tells something, by more than the least score."""
        return bool(vector @ self.weights + self.base > least)

    def turn(self, vector: Vector) -> Vector:
        """Return the vector turned so that what tells lies nearer."""
        import numpy as np  # noqa: PLC0415  (who searches nothing does not wait for it)

        turned = vector + _STRENGTH * self.weights / np.linalg.norm(self.weights)
        unit: Vector = (turned / np.linalg.norm(turned)).astype(np.float32)
        return unit


@cache
def read_telling() -> Telling:
    """Read the model for vectors of the bundled embedder."""
    import numpy as np  # noqa: PLC0415  (who searches nothing does not wait for it)

    stored = np.frombuffer(WEIGHTS.read_bytes(), np.float16).astype(np.float32)
    return Telling(stored[:-1], float(stored[-1]))
