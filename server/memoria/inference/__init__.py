"""MODELS: what turns text into vectors (and, later, text into text)."""

from memoria.inference.base import Calibration, Embedder
from memoria.inference.bundled import DEFAULT_CALIBRATION
from memoria.inference.choose import choose_embedder
from memoria.inference.lazy import LazyEmbedder, calibration_of

__all__ = [
    "DEFAULT_CALIBRATION",
    "Calibration",
    "Embedder",
    "LazyEmbedder",
    "calibration_of",
    "choose_embedder",
]
