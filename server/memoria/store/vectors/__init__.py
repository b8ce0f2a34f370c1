"""Vectors: nearest documents by cosine, exactly, from the file or from memory.

The truth is the `embeddings` table. `vec0` keeps a copy of the table in the file, laid out for
scanning: slower, but nothing has to be loaded. `matrix` is a copy in the process's memory, loaded
once and faster (decision 010). `index` chooses. Scores are the same to the last bit in both.
"""

from memoria.store.vectors.index import VectorCache, VectorIndex
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
