"""Models of language: embedders, rerankers and chat models."""

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
