"""Models of language: embedders, rerankers and chat models."""

from memoria.inference.base import Calibration, Embedder
from memoria.inference.embedder import (
    DEFAULT_CALIBRATION,
    LazyEmbedder,
    calibration_of,
    choose_embedder,
)

__all__ = [
    "DEFAULT_CALIBRATION",
    "Calibration",
    "Embedder",
    "LazyEmbedder",
    "calibration_of",
    "choose_embedder",
]
