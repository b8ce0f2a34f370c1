"""Columns: documents and their scores side by side in arrays, documents in order of their numbers.

There are hundreds of each search, and a step over a column takes as long as for a few of them.
"""

from collections.abc import Mapping
from typing import NamedTuple, Self

import numpy as np

from memoria.retrieval.ranking.evidence.words import Bits, Floats, Integers


class Scores(NamedTuple):
    """Documents, each with its score."""

    ns: Integers
    """Documents, once each, in order."""
    values: Floats

    @classmethod
    def of_mapping(cls, scores: Mapping[int, float]) -> Self:
        """Build the scores of a mapping."""
        ns = np.fromiter(scores, np.int64, len(scores))
        values = np.fromiter(scores.values(), np.float64, len(scores))
        order = ns.argsort()
        return cls(ns[order], values[order])

    def list_best(self, most: int) -> list[int]:
        """List the documents with the highest scores, best first; of equals, the oldest first."""
        best: list[int] = self.ns[rank_rows(self.values, most)].tolist()
        return best

    def spread(self, ns: Integers, default: float) -> Floats:
        """Map the scores to `ns`, which hold all of these documents; others get the default."""
        values = np.full(len(ns), default)
        values[ns.searchsorted(self.ns)] = self.values
        return values

    def select(self, ns: Integers) -> Self:
        """Select the scores of some documents, which are all among these."""
        return type(self)(ns, self.values[self.ns.searchsorted(ns)])

    def scaled_to_best(self) -> Self:
        """Divide the scores by the greatest."""
        top = self.highest()
        return type(self)(self.ns, self.values / top) if top > 0 else self

    def highest(self) -> float:
        """Return the highest score; 0 where there is none."""
        return float(self.values.max(initial=0.0))


def rank_rows(values: Floats, most: int) -> Integers:
    """Return the rows of the highest values, best first; of equals, the first first."""
    return (-values).argsort(kind="stable")[:most]


def join_numbers(*columns: Integers) -> Integers:
    """Join columns to the sorted numbers in any of them, once each."""
    ns = np.concatenate(columns)
    ns.sort()
    return ns[find_changes(ns)]


def find_changes(values: Integers) -> Bits:
    """Mark the first of each kind among values in order."""
    changes = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=changes[1:])
    return changes


def find_rows(ns: Integers, wanted: Integers) -> tuple[Integers, Bits]:
    """Find in `ns`, which are in order, the row of each wanted number, and whether it is there."""
    if not len(ns):
        return np.zeros(len(wanted), np.int64), np.zeros(len(wanted), np.bool_)
    rows = ns.searchsorted(wanted)
    rows[rows == len(ns)] = 0
    return rows, ns[rows] == wanted
