"""Nearest neighbours by cosine, exactly, in two ways.

The truth is the `embeddings` table. `vec0` keeps a copy of it in the file, laid out for scanning:
nothing to load, but a scan costs 1 ms for every thousand vectors. `matrix` is a copy in the
process's memory, eight times as fast and loaded first. `index` chooses.
"""

from memoria.store.sqlite.vectors.index import VectorIndex
from memoria.store.sqlite.vectors.matrices import Matrices
from memoria.store.sqlite.vectors.models import (
    Drift,
    KnownModel,
    Neighbourhood,
    known_model,
    known_models,
)
from memoria.store.sqlite.vectors.vec0 import Vec0Index

__all__ = [
    "Drift",
    "KnownModel",
    "Matrices",
    "Neighbourhood",
    "Vec0Index",
    "VectorIndex",
    "known_model",
    "known_models",
]
