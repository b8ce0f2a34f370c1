"""Questions that are asked together: one pass over a matrix scores all of them.

A pass reads all of the matrix, which takes longer than the products do, so one pass for several
questions is faster than one for each.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memoria.model import Vector
from memoria.store.vectors.matrix import Matrix


class QuestionsTogether:
    """Vectors that will be searched for on one snapshot, with their scores once one of them is."""

    def __init__(self, vectors: Sequence[Vector]) -> None:
        """Take the questions' vectors.

        Args:
            vectors: one at least, all of the same length.
        """
        self._vectors = np.stack(vectors)
        self._rows = {vector.tobytes(): row for row, vector in enumerate(vectors)}
        self._scored: dict[tuple[Matrix, int], NDArray[np.float32]] = {}
        """Scores of shape (questions, rows), by matrix and its number of changes."""

    def score(self, matrix: Matrix, vector: Vector) -> NDArray[np.float32]:
        """Return the product of each row of a matrix with a vector, which may be none of these."""
        row = self._rows.get(vector.tobytes())
        if row is None:
            return matrix.score(vector)
        state = matrix, matrix.changes
        if state not in self._scored:
            self._scored[state] = matrix.score_all(self._vectors)
        scores: NDArray[np.float32] = self._scored[state][row]
        return scores
