"""Columns: documents, their scores and their places side by side in arrays, in order of numbers.

There are hundreds of documents in each search, and a step over a column takes as long as for a few.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from memoria.retrieval.ranking.candidates import MOST_CHARS
from memoria.retrieval.sources.gather import SourceScores
from memoria.store.features import SESSION_BITS, IndexTokens, Surroundings
from memoria.store.rows.transaction import Transaction

Bits = NDArray[np.bool_]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Scores(NamedTuple):
    """Columns of documents and of their scores."""

    ns: Integers
    """Numbers of the documents, once each, in order."""
    values: Floats

    @classmethod
    def of_mapping(cls, scores: Mapping[int, float]) -> Self:
        """Build the columns from scores by document number."""
        ns = np.fromiter(scores, np.int64, len(scores))
        values = np.fromiter(scores.values(), np.float64, len(scores))
        order = ns.argsort()
        return cls(ns[order], values[order])

    def list_best(self, most: int) -> list[int]:
        """List the documents with the highest scores, best first; of equals, the oldest first."""
        best: list[int] = self.ns[rank_rows(self.values, most)].tolist()
        return best

    def spread(self, ns: Integers, default: float) -> Floats:
        """Return a score for each of `ns`: for documents that have none, the default."""
        values = np.full(len(ns), default)
        values[ns.searchsorted(self.ns)] = self.values
        return values

    def select(self, ns: Integers) -> Self:
        """Return the scores of some of these documents."""
        return type(self)(ns, self.values[self.ns.searchsorted(ns)])

    def scale_to_best(self) -> Self:
        """Return the scores divided by the highest."""
        top = self.highest()
        return type(self)(self.ns, self.values / top) if top > 0 else self

    def highest(self) -> float:
        """Return the highest score; 0 for no documents."""
        return float(self.values.max(initial=0.0))


def rank_rows(values: Floats, most: int) -> Integers:
    """Return the row numbers of the highest values, best first; equal values in their order."""
    return (-values).argsort(kind="stable")[:most]


def join_numbers(*columns: Integers) -> Integers:
    """Return the numbers in any of the columns, sorted, once each."""
    ns = np.concatenate(columns)
    ns.sort()
    return ns[find_changes(ns)]


def find_changes(values: Integers) -> Bits:
    """Mark the first of equal values in a sorted column."""
    changes = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=changes[1:])
    return changes


def find_rows(ns: Integers, wanted: Integers) -> tuple[Integers, Bits]:
    """Return the row in sorted `ns` of each wanted number, and whether the number is there."""
    if not len(ns):
        return np.zeros(len(wanted), np.int64), np.zeros(len(wanted), np.bool_)
    rows = ns.searchsorted(wanted)
    rows[rows == len(ns)] = 0
    return rows, ns[rows] == wanted


@dataclass(frozen=True, slots=True)
class Places:
    """Turns and their places in conversations; versions of a message share a place."""

    ns: Integers
    """Numbers of the turns, once each, in order."""
    at: Integers
    """Index in `places` of each turn's place."""
    places: Integers
    """Places, once each, in order."""

    @classmethod
    def of_turns(cls, turns: Surroundings) -> Self:
        """Build the columns of turns given in the order of their places."""
        is_first = find_changes(turns.places)
        order = turns.ns.argsort()
        return cls(turns.ns[order], (is_first.cumsum() - 1)[order], turns.places[is_first])

    @property
    def sessions(self) -> Integers:
        """Session of each place."""
        return self.places >> SESSION_BITS

    def sessions_of(self, ns: Sequence[int]) -> dict[int, int]:
        """Map those of the documents that are among the turns to their sessions."""
        rows, is_there = find_rows(self.ns, np.array(ns, np.int64))
        sessions = self.sessions[self.at[rows[is_there]]]
        return dict(zip(self.ns[rows[is_there]].tolist(), sessions.tolist(), strict=True))

    def find_beside(self, step: int) -> tuple[Integers, Bits]:
        """Return, for each place, the row of the place `step` before, and whether that exists."""
        return find_rows(self.places, self.places - step)


_RECOUNT_DEPTH = 120
"""Number of documents found by BM25 whose words are counted anew."""
_NEIGHBOUR_DEPTH = 70
"""Number of the best by words, and by meaning, that are ranked with surrounding turns."""


@dataclass(frozen=True, slots=True)
class RankingInput:
    """Columns and tokens that are read before documents are scored."""

    bm25: Scores
    cosine: Scores
    places: Places
    """Places of the best candidates, and of turns around the best by words."""
    documents: Mapping[int, IndexTokens]
    """Tokens of the best documents by words, oldest first."""
    speakers: Set[str]
    """Speakers of the best documents by words, and of the turns around those."""

    @classmethod
    def read(cls, tx: Transaction, sources: SourceScores, *, include_processed: bool) -> Self:
        """Read the places and tokens of candidates and of the turns around them."""
        bm25, cosine = Scores.of_mapping(sources.bm25), Scores.of_mapping(sources.cosine)
        counted = bm25.list_best(_RECOUNT_DEPTH)
        others = counted[_NEIGHBOUR_DEPTH:] + cosine.list_best(_NEIGHBOUR_DEPTH)
        around = tx.turn_columns.surroundings(
            counted[:_NEIGHBOUR_DEPTH], others, include_processed=include_processed
        )
        documents = tx.documents.index_tokens(counted, MOST_CHARS)
        return cls(bm25, cosine, Places.of_turns(around), documents, around.speakers)
