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
from collections import defaultdict
from collections.abc import Mapping, Sequence
from operator import itemgetter

from memoria.retrieval.ranking.evidence.counts import TermCounts
from memoria.store.values import Frequencies, TurnPosition

_NEIGHBOUR_WEIGHTS = {-2: 0.1, -1: 0.2, 1: 0.2, 2: 0.1}
"""By distance; `inputs` reads as far."""
_FRAME_WEIGHT = 0.6
"""A word of who said it and when, beside one of what was said."""
_STATEMENT = 100
"""Tokens. Who says more beside one fact has said many things: a longer turn pays for its length as
beside turns of this length, and what it lends shrinks in proportion."""
_SHORTEST = 0.1
"""Of what is found, the part whose lengths tell whether there are statements among it. On 300
questions of encyclopaedia passages recall@1 is .967 without it and .983 with it; BEAM's figures are
the same, and lower from a quarter on, for a quarter of some chats' turns are long questions."""
_K1 = 0.9
_B = 0.6


def idf(terms: Sequence[str], frequencies: Frequencies) -> dict[str, float]:
    """What each term tells: Lucene's inverse document frequency, which is never negative."""
    total = frequencies.total
    found = {term: min(frequencies.by_term[term], total) for term in terms}
    return {term: math.log(1 + (total - df + 0.5) / (df + 0.5)) for term, df in found.items()}


def bm25(
    counted: Mapping[int, TermCounts],
    places: Sequence[TurnPosition],
    idf_by_term: Mapping[str, float],
    *,
    lend: bool,
) -> dict[int, float]:
    """The score of every document counted and of every place with a neighbour that lends.

    Args:
        counted: the documents found.
        places: where turns stand, those found and those around them.
        idf_by_term: each term's idf.
        lend: whether neighbours lend their words.
    """
    mean = _find_usual_length([each.length for each in counted.values()])
    weights = _lend_words(counted, places) if lend else {}
    for n, each in counted.items():
        own = weights.setdefault(n, {})
        _add_counts(own, each.body, 1.0)
        _add_counts(own, each.frame, _FRAME_WEIGHT)
    relative = {n: each.length / mean for n, each in counted.items() if mean}
    gains = {term: (_K1 + 1) * value for term, value in idf_by_term.items()}
    return {n: _score_document(own, relative.get(n, 1.0), gains) for n, own in weights.items()}


def _find_usual_length(lengths: Sequence[int]) -> float:
    """What lengths are measured against: the mean, but a statement's where that is less.

    Where even the shortest are longer, nobody states anything beside documents, and what is long
    among those is longer than they are.
    """
    if not lengths:
        return 0.0
    shortest = sorted(lengths)[int(_SHORTEST * len(lengths))]
    return min(sum(lengths) / len(lengths), max(_STATEMENT, shortest))


def _add_counts(own: dict[str, float], times: Mapping[str, float], share: float) -> None:
    for term, many in times.items():
        own[term] = own.get(term, 0.0) + share * many


def _score_document(
    weights: Mapping[str, float], length: float, gains: Mapping[str, float]
) -> float:
    if not weights:
        return 0.0
    norm = _K1 * (1 - _B + _B * length)
    return math.fsum([gains[term] * w / (w + norm) for term, w in weights.items()])


def _lend_words(
    counted: Mapping[int, TermCounts], places: Sequence[TurnPosition]
) -> dict[int, dict[str, float]]:
    """What each document has of its neighbours; one version of a message stands for the rest."""
    documents_at: dict[tuple[int, int], list[int]] = defaultdict(list)
    givers: dict[tuple[int, int], int] = {}
    for n, session_n, index in places:
        place = session_n, index
        documents_at[place].append(n)
        if n in counted and n <= givers.get(place, n):
            givers[place] = n
    lent: dict[int, dict[str, float]] = {}
    for (session_n, index), giver in sorted(givers.items(), key=itemgetter(1)):
        body = counted[giver].body
        part = min(1.0, _STATEMENT / max(counted[giver].length, 1))
        for step, share in _NEIGHBOUR_WEIGHTS.items():
            for n in documents_at.get((session_n, index + step), ()):
                own = lent.setdefault(n, {})
                if body:
                    _add_counts(own, body, part * share)
    return lent
