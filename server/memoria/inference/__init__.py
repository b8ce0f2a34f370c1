"""MODELS: what turns text into vectors (and, later, text into text)."""

from memoria.inference.base import Embedder
from memoria.inference.choose import choose_embedder
from memoria.inference.lazy import LazyEmbedder

__all__ = ["Embedder", "LazyEmbedder", "choose_embedder"]
