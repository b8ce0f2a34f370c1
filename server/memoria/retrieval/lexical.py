"""Lexical: BM25 in which a turn's neighbours lend it their words.

A turn rarely says everything in its own words: the answer stands next to the question. So a turn
holds the words of its neighbours as well, as fields of less weight (0.2 of a word at distance
one, 0.1 at two; S. Robertson, H. Zaragoza, M. Taylor, "Simple BM25 extension to multiple weighted
fields", 2004). Words are lent and not scores, because a word that both turns hold says little
twice, while two words of the question in two turns say much.

k1 and b are 0.9 and 0.4, the usual choice for short texts (Anserini; A. Trotman, A. Puurula,
B. Burgess, "Improvements to BM25 and language models examined", 2014): the 1.2 and 0.75 of the
index prefer "thanks, sounds great" to whoever explains.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memoria.retrieval.counts import Counts, Floats
from memoria.store.values import Frequencies, Place

REACH = 2
_LENT = {1: 0.2, 2: 0.1}
_FRAME = 0.6
"""A word of who said it and when, beside one of what was said."""
_K1 = 0.9
_B = 0.4
_SESSION = 1 << 32
"""Places of a session, at most: a place is one number."""
_NOWHERE = -(1 << 32)


def idf(terms: Sequence[str], frequencies: Frequencies) -> Floats:
    """What each term tells: Lucene's inverse document frequency, which is never negative."""
    total = frequencies.total
    found = (min(frequencies.holding[term], total) for term in terms)
    return np.array([math.log(1 + (total - df + 0.5) / (df + 0.5)) for df in found], np.float64)


def bm25(
    counts: Counts, places: Sequence[Place], telling: Floats, *, lend: bool
) -> dict[int, float]:
    """The score of every document counted and of every place beside one that has words to lend.

    Args:
        counts: of the documents found.
        places: where turns stand, those found and those around them.
        telling: each term's idf.
        lend: whether neighbours lend their words.
    """
    mean = float(counts.lengths.mean()) if len(counts.ns) else 1.0
    rows = {n: row for row, n in enumerate(counts.ns)}
    spots = {n: session_n * _SESSION + index for n, session_n, index in places} if lend else {}
    ns = list(dict.fromkeys([*counts.ns, *spots]))
    own = np.array([rows.get(n, -1) for n in ns], np.intp)  # -1 is the row of those not counted
    said = _padded(counts.said)
    weights = said[own] + _FRAME * _padded(counts.framed)[own]
    weights += _lent(said, own, np.array([spots.get(n, _NOWHERE) for n in ns], np.int64))
    lengths = np.append(counts.lengths, mean)[own]
    saturated = weights * (_K1 + 1) / (weights + _K1 * (1 - _B + _B * lengths / mean)[:, None])
    return dict(zip(ns, (saturated @ telling).tolist(), strict=True))


def _lent(said: Floats, own: NDArray[np.intp], spots: NDArray[np.int64]) -> Floats:
    """What their neighbours lend to documents.

    Args:
        said: rows of what each document says.
        own: the row of each.
        spots: where each stands; a version of a message stands there for the others.
    """
    givers = np.flatnonzero((own >= 0) & (spots >= 0))
    taken, first = np.unique(spots[givers], return_index=True)
    rows = np.append(own[givers][first], -1)
    lent = np.zeros((len(own), said.shape[1]))
    for distance, share in _LENT.items():
        for wanted in (spots - distance, spots + distance):
            at = np.searchsorted(taken, wanted)
            there = np.isin(wanted, taken)
            lent += share * said[rows[np.where(there, at, -1)]]
    return lent


def _padded(table: Floats) -> Floats:
    """The table with a last row of nothing."""
    return np.vstack([table, np.zeros((1, table.shape[1]))])
