"""The runs of words of texts in one matrix, for models that weigh runs of words."""

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from training.fitting import Floats


class RunMatrix(NamedTuple):
    """The runs of words of texts, one below the other; a text's runs weigh one in sum of squares.

    A point of weights has one for each run of words, and the base as its last.
    """

    length: int
    """So many texts."""
    kinds: int
    """So many runs of words are told apart."""
    of: NDArray[np.int64]
    """The text that a run is of."""
    columns: NDArray[np.int64]
    """Which run it is."""
    values: Floats

    @classmethod
    def of_texts(cls, runs: Sequence[Sequence[int]], kinds: int) -> Self:
        """The matrix of texts, given the runs of each; see `kinds`."""
        lengths = np.array([len(part) for part in runs])
        return cls(
            len(runs),
            kinds,
            np.repeat(np.arange(len(runs)), lengths),
            np.concatenate([np.array(part, np.int64) for part in runs]),
            np.repeat(1 / np.sqrt(np.maximum(lengths, 1)), lengths),
        )

    def score(self, point: Floats) -> Floats:
        """What each text scores."""
        return np.asarray(self.weigh(point) + point[-1])

    def weigh(self, point: Floats, kept: NDArray[np.bool_] | None = None) -> Floats:
        """What the runs of each text score, or of those runs alone that are kept."""
        runs = self.values * point[self.columns] * (1 if kept is None else kept)
        return np.asarray(np.bincount(self.of, runs, minlength=self.length), np.float64)

    def slope(self, wrong: Floats) -> Floats:
        """How the loss changes with each weight, for how wrong each text is."""
        runs = np.bincount(self.columns, self.values * wrong[self.of], minlength=self.kinds)
        return np.append(runs, wrong.sum())

    def choose(self, chosen: NDArray[np.bool_]) -> Self:
        """The texts that are chosen, in their order."""
        kept = chosen[self.of]
        of = (np.cumsum(chosen) - 1)[self.of[kept]]
        return type(self)(int(chosen.sum()), self.kinds, of, self.columns[kept], self.values[kept])
