"""Lexical: BM25 in which a turn's neighbours lend it their words.

A turn rarely says everything in its own words: the answer stands next to the question. So a turn
holds the words of its neighbours as well, as fields of less weight (0.2 of a word at distance
one, 0.1 at two; S. Robertson, H. Zaragoza, M. Taylor, "Simple BM25 extension to multiple weighted
fields", 2004). Words are lent and not scores, because a word that both turns hold says little
twice, while two words of the question in two turns say much.

k1 is 0.9, the usual choice for short texts (Anserini; A. Trotman, A. Puurula, B. Burgess,
"Improvements to BM25 and language models examined", 2014): the 1.2 of the index prefers "thanks,
sounds great" to whoever explains. b is 0.6, and lengths are measured against a statement's, for in
the record of an assistant the mean is that of its answers, beside which no statement is short. From
b = 0.4 to 0.75 recall@10 is within a point on BEAM and half a point on LoCoMo.
"""

import math
from collections.abc import Sequence

import numpy as np

from memoria.retrieval.ranking.evidence.columns import Places, Scores, find_rows, join_numbers
from memoria.retrieval.ranking.evidence.words import Bits, Floats, TermCounts
from memoria.store.values import Frequencies

_NEIGHBOUR_WEIGHTS = {-2: 0.1, -1: 0.2, 1: 0.2, 2: 0.1}
"""Weights of lent words, by distance; the store reads surroundings as far."""
_FRAME_WEIGHT = 0.6
"""Weight of a word of who said it and when, beside one of what was said."""
_STATEMENT = 100
"""Tokens of a statement. Who says more beside one fact has said many things: a longer turn pays
for its length as beside turns of this length, and what it lends shrinks in proportion."""
_SHORTEST = 0.1
"""Share of what is found whose lengths tell whether there are statements among it. On 300
questions of encyclopaedia passages recall@1 is .967 without it and .983 with it; BEAM's figures are
the same, and lower from a quarter on, for a quarter of some chats' turns are long questions."""
_K1 = 0.9
_B = 0.6
_EXACT = 2
"""Most numbers whose sum is the same in any order."""


def idf(terms: Sequence[str], frequencies: Frequencies) -> list[float]:
    """Return what each term tells: Lucene's inverse document frequency, which is never negative."""
    total = frequencies.total
    found = [min(frequencies.by_term[term], total) for term in terms]
    return [math.log(1 + (total - df + 0.5) / (df + 0.5)) for df in found]


def bm25(counted: TermCounts, places: Places, tells: Sequence[float], *, lend: bool) -> Scores:
    """Score every document counted and every place with a neighbour that lends.

    Args:
        counted: the documents found.
        places: where turns stand, those found and those around them.
        tells: the idf of each term.
        lend: whether neighbours lend their words.
    """
    if lend:
        lent, is_lent = _lend_words(counted, places)
        lent, receivers = lent[places.at][is_lent[places.at]], places.ns[is_lent[places.at]]
    else:
        lent, receivers = counted.body[:0], counted.ns[:0]
    ns = join_numbers(counted.ns, receivers)
    weights, lengths = np.zeros((len(ns), len(tells))), np.ones(len(ns))
    weights[ns.searchsorted(receivers)] = lent
    own = ns.searchsorted(counted.ns)
    weights[own] = weights[own] + counted.body + _FRAME_WEIGHT * counted.frame
    lengths[own] = counted.lengths / _find_usual_length(counted.lengths.tolist())
    return Scores(ns, _score_documents(weights, lengths, np.array(tells)))


def _find_usual_length(lengths: Sequence[int]) -> float:
    """Return the length to measure against: the mean, or a statement's where that is less.

    Where even the shortest are longer, nobody states anything beside documents, and what is long
    among those is longer than they are.
    """
    if not lengths:
        return 1.0
    shortest = sorted(lengths)[int(_SHORTEST * len(lengths))]
    return min(sum(lengths) / len(lengths), max(_STATEMENT, shortest))


def _score_documents(weights: Floats, lengths: Floats, tells: Floats) -> Floats:
    norms = _K1 * (1 - _B + _B * lengths)
    gains = (_K1 + 1) * tells * weights / (weights + norms[:, None])
    totals: Floats = gains.sum(axis=1)
    (rows,) = (np.count_nonzero(gains, axis=1) > _EXACT).nonzero()
    totals[rows] = [*map(math.fsum, gains[rows].tolist())]
    return totals


def _lend_words(counted: TermCounts, places: Places) -> tuple[Floats, Bits]:
    """Return the words each place has of its neighbours, and which have any that lends.

    One version of a message, the oldest, stands for the rest. Of what comes from several
    neighbours, the oldest's is added first: sums of fractions depend on their order.
    """
    nobody = len(counted.ns)
    givers = np.full(len(places.places), nobody)
    rows, is_placed = find_rows(places.ns, counted.ns)
    givers[places.at[rows[is_placed]][::-1]] = is_placed.nonzero()[0][::-1]
    beside = np.full((len(_NEIGHBOUR_WEIGHTS), len(givers)), nobody)
    for row, step in zip(beside, _NEIGHBOUR_WEIGHTS, strict=True):
        neighbours, is_there = places.find_beside(step)
        row[is_there] = givers[neighbours[is_there]]
    order = beside.argsort(axis=0, kind="stable")
    shares = np.array(list(_NEIGHBOUR_WEIGHTS.values()))[order]
    body = np.append(counted.body, np.zeros_like(counted.body, shape=(1, counted.body.shape[1])), 0)
    parts = np.append(np.minimum(1.0, _STATEMENT / np.maximum(counted.lengths, 1)), 0.0)
    lent = np.zeros((len(givers), counted.body.shape[1]))
    for lenders, share in zip(np.take_along_axis(beside, order, 0), shares, strict=True):
        lent += (parts[lenders] * share)[:, None] * body[lenders]
    is_lent: Bits = beside.min(axis=0) < nobody
    return lent, is_lent
