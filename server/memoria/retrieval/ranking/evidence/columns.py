"""Columns: documents, their scores and their places side by side in arrays, in order of numbers.

There are hundreds of documents in each search, and a step over a column takes as long as for a few.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from memoria.retrieval.ranking.candidates import MOST_CHARS
from memoria.retrieval.ranking.evidence.words import Bits, Floats, Integers
from memoria.retrieval.sources.gather import SourceScores
from memoria.store.features import SESSION_BITS, IndexTokens, Surroundings
from memoria.store.rows.transaction import Transaction


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


@dataclass(frozen=True, slots=True)
class Places:
    """Turns and their places; versions of a message share one."""

    ns: Integers
    """Turns, once each, in order."""
    at: Integers
    """Place of each turn among the following."""
    places: Integers
    """Places, once each, in order."""

    @classmethod
    def of_turns(cls, turns: Surroundings) -> Self:
        """Build the places of turns, which are given in the order of their places."""
        is_first = find_changes(turns.places)
        order = turns.ns.argsort()
        return cls(turns.ns[order], (is_first.cumsum() - 1)[order], turns.places[is_first])

    @property
    def sessions(self) -> Integers:
        """Session of each place, in order."""
        return self.places >> SESSION_BITS

    def sessions_of(self, ns: Sequence[int]) -> dict[int, int]:
        """Map documents to their sessions, as far as they are among the turns."""
        rows, is_there = find_rows(self.ns, np.array(ns, np.int64))
        sessions = self.sessions[self.at[rows[is_there]]]
        return dict(zip(self.ns[rows[is_there]].tolist(), sessions.tolist(), strict=True))

    def find_beside(self, step: int) -> tuple[Integers, Bits]:
        """Find for each place the one `step` before it, and whether there is one."""
        return find_rows(self.places, self.places - step)


_RECOUNT_DEPTH = 120
"""Number of documents BM25 found that are counted anew. With 200, LoCoMo's figures over
categories 1 to 4 are within a fifth of a point."""
_NEIGHBOUR_DEPTH = 70
"""Number of the best of either list that are ranked with what surrounds them."""


@dataclass(frozen=True, slots=True)
class RankingInput:
    """Everything that is read before documents are scored."""

    bm25: Scores
    cosine: Scores
    places: Places
    """Places of the best candidates, and of the turns around those that have words to lend."""
    documents: Mapping[int, IndexTokens]
    """Tokens of the best of BM25, oldest first."""
    speakers: Set[str]
    """Speakers of the very best of BM25."""

    @classmethod
    def read(cls, tx: Transaction, sources: SourceScores, *, include_processed: bool) -> Self:
        """Read what surrounds the candidates of the sources."""
        bm25, cosine = Scores.of_mapping(sources.bm25), Scores.of_mapping(sources.cosine)
        counted = bm25.list_best(_RECOUNT_DEPTH)
        others = counted[_NEIGHBOUR_DEPTH:] + cosine.list_best(_NEIGHBOUR_DEPTH)
        around = tx.turn_columns.surroundings(
            counted[:_NEIGHBOUR_DEPTH], others, include_processed=include_processed
        )
        documents = tx.documents.index_tokens(counted, MOST_CHARS)
        return cls(bm25, cosine, Places.of_turns(around), documents, around.speakers)
