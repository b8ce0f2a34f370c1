"""Vectors of texts and passages, without importing NumPy, which would double a start-up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector: TypeAlias = NDArray[np.float32]
    """Shape (dims,), float32, of length 1."""
else:
    Vector = Any


@dataclass(frozen=True, slots=True)
class TextVectors:
    """Vectors of one model by text; none without an embedder."""

    model: str = ""
    vectors: Mapping[str, Vector] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PassageVector:
    """A part of a turn's text, from `start` to `end` in characters, and its vector."""

    start: int
    end: int
    vector: Vector


NO_PASSAGES: Mapping[int, Sequence[PassageVector]] = {}
NO_TEXT_VECTORS = TextVectors()
