"""Nearest neighbours by cosine, exactly, in two ways.

The truth is the `embeddings` table. `vec0` keeps a copy of it in the file, laid out for scanning:
it needs no loading, but scans more slowly. `matrix` is a copy in the process's memory, loaded once
and faster (decision 010). `index` chooses. Either way the scores are those of `exact`, so
that nobody can tell which it was.
"""

from memoria.store.vectors.cache import VectorCache
from memoria.store.vectors.index import VectorIndex
from memoria.store.vectors.models import (
    Drift,
    EmbeddingModel,
    VectorQuery,
    current_model,
    find_model,
    list_models,
)

__all__ = [
    "Drift",
    "EmbeddingModel",
    "VectorCache",
    "VectorIndex",
    "VectorQuery",
    "current_model",
    "find_model",
    "list_models",
]
