"""Exact scores of documents from the vectors that are the truth, as a matrix scores them.

However a document was found, the last bit of its score is the same: an answer does not depend on
whether it was the first question of a process.
"""

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from memoria.errors import EmbedderError
from memoria.model import Vector
from memoria.store.connection import Connection
from memoria.store.sql.tenant_rows import list_numbers
from memoria.store.values import Match
from memoria.store.vectors.models import SQL

_FLOAT_BYTES = 4


def score_exactly(
    connection: Connection, model: int, ns: Collection[int], vector: Vector, limit: int
) -> list[Match]:
    """Return the nearest of these documents, best first; of equals, the oldest first."""
    found, vectors = read_vectors(connection, model, ns, len(vector))
    scores = np.vecdot(vectors, vector)
    best = np.lexsort((found, -scores))[:limit]
    return list(map(Match, found[best].tolist(), scores[best].tolist()))


def read_vectors(
    connection: Connection, model: int, ns: Collection[int], dims: int
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return the documents that have a vector, and a matrix with a row for each."""
    asked = {"model": model, "ns": list_numbers(ns)}
    return stack_vectors(connection.tuples(SQL["vectors"], asked), dims)


def stack_vectors(
    rows: Sequence[tuple[int, bytes]], dims: int
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return the documents of such rows, and a matrix with a row for each."""
    vectors = np.frombuffer(b"".join(check_vector(n, each, dims) for n, each in rows), np.float32)
    found = np.fromiter((n for n, _ in rows), np.int64, len(rows))
    return found, vectors.reshape(len(rows), dims)


def check_vector(n: int, vector: bytes, dims: int) -> bytes:
    """Check the length of a document's vector, and return it.

    Raises:
        EmbedderError: it is not as long as the others.
    """
    if len(vector) != dims * _FLOAT_BYTES:
        raise EmbedderError(f"the stored vector of document {n} is damaged")
    return vector
