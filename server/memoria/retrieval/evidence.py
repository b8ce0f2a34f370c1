"""Evidence: from two lists of scores to one, with the conversation taken into account.

A turn rarely says everything in its own words. The answer stands next to the question, and a
session is about something. So a turn shares the BM25 scores of its neighbours in the session
(0.3 at distance one, 0.15 at two), and gains a little from how well its session answers as a
whole (0.2 of the sum of the session's best three). On LoCoMo this lifts recall@10 from .64 to
.76 without any vector.

Text and meaning are then combined as independent evidence, by noisy-or (J. Pearl, Probabilistic
Reasoning in Intelligent Systems, 1988): either can make a hit, both make it surer. Cosine counts
squared and as it is, not stretched over its list, so that a list of nothing but distant
neighbours stays weak. Rank fusion was measured too and is worse here: it forgets how sure BM25 is.

The constants were chosen on the five shared LoCoMo conversations; docs/benchmarks.md has the
figures with and without each part.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memoria.retrieval.candidates import Candidates
from memoria.store.base import Transaction
from memoria.store.values import Filters, Place

_NEIGHBOUR_SHARES = {1: 0.3, 2: 0.15}
_REACH = max(_NEIGHBOUR_SHARES)
_SESSION_SHARE = 0.2
_SESSION_BEST = 3
_LEXICAL_CEILING = 0.6
_WITH_CONTEXT = 100
"""How many of the best of either list are ranked with what surrounds them. LoCoMo's figures are
the same with 200 and a quarter of a point lower with 50."""
_UNRELATED = 0.1
_SURE = 0.65


@dataclass(frozen=True, slots=True)
class Ranked:
    """A document with its score and what the score is made of."""

    n: int
    score: float
    lexical: float
    """0 to 1, context included, relative to the best of this search."""
    cosine: float
    """0 where the document is not among the nearest."""


def rank(tx: Transaction, candidates: Candidates, filters: Filters, most: int) -> list[Ranked]:
    """The best candidates, `most` at most, best first; ties by age, oldest first.

    Near neighbours of candidates are ranked with them, unless the search is narrow: a neighbour
    need not pass the filters.
    """
    lexical = _in_context(tx, candidates, settled=filters.settled)
    cosine = {**candidates.cosine, **_supposed(candidates, lexical)}
    found = candidates.bm25.keys() | cosine.keys()
    ranked = found if filters.narrow else found | lexical.keys()
    scores = {n: _combined(lexical.get(n, 0.0), cosine.get(n, 0.0)) for n in ranked}
    best = _best(scores, most)
    return [Ranked(n, scores[n], lexical.get(n, 0.0), cosine.get(n, 0.0)) for n in best]


def conclusive(lexical: float, coverage: float, cosine: float) -> float:
    """The score of a conclusion, 0 to 1: a short text, judged by itself.

    Among a handful of memories BM25's best may share nothing but a particle with the question,
    so it counts by the share of the question's terms it covers. A sentence's cosine says more
    than a turn's: it is stretched from where unrelated sentences end to where answers lie.
    """
    meaning = (cosine - _UNRELATED) / (_SURE - _UNRELATED)
    return 1 - (1 - _LEXICAL_CEILING * lexical * coverage) * (1 - min(max(meaning, 0.0), 0.95))


def _combined(lexical: float, cosine: float) -> float:
    meaning = cosine * cosine if cosine > 0 else 0.0
    return 1 - (1 - _LEXICAL_CEILING * lexical) * (1 - meaning)


def _supposed(candidates: Candidates, lexical: Mapping[int, float]) -> dict[int, float]:
    """Cosines for documents too new to have a vector, in proportion to how well their words fit.

    Not knowing is not zero: what was said a second ago must not rank behind older copies of it.
    """
    best = max(candidates.cosine.values(), default=0.0)
    return {n: best * lexical.get(n, 0.0) for n in candidates.awaiting}


def _in_context(tx: Transaction, candidates: Candidates, *, settled: bool) -> dict[int, float]:
    """BM25 scores, 0 to 1, with what turns gain from their neighbours and sessions."""
    own = _scaled(candidates.bm25)
    places = _places(tx, own, candidates.cosine, settled=settled)
    matching = [(place, own[place.n]) for place in places if place.n in own]
    beside, session = _neighbour_gains(matching), _session_gains(matching)
    shared = {
        n: own.get(n, 0.0) + beside.get((session_n, index), 0.0) + session.get(session_n, 0.0)
        for n, session_n, index in places
    }
    return _scaled({**own, **shared})


def _places(
    tx: Transaction, own: Mapping[int, float], cosine: Mapping[int, float], *, settled: bool
) -> list[Place]:
    """Where the best candidates stand, and the turns beside those that share words to give."""
    near = tx.conversations.places(_best(own, _WITH_CONTEXT), _REACH, settled=settled)
    known = {place.n for place in near}
    meant = [n for n in _best(cosine, _WITH_CONTEXT) if n not in known]
    return near + tx.conversations.places(meant, 0, settled=settled)


def _best(scores: Mapping[int, float], most: int) -> list[int]:
    """The documents with the highest scores, best first; of equals, the oldest first."""
    return sorted(sorted(scores), key=scores.__getitem__, reverse=True)[:most]


def _neighbour_gains(matching: Sequence[tuple[Place, float]]) -> dict[tuple[int, int], float]:
    """What each place in a session gains from the scores beside it."""
    at: dict[tuple[int, int], float] = defaultdict(float)
    for (_, session_n, index), score in matching:  # versions of a message share a place
        at[session_n, index] = max(at[session_n, index], score)
    gains: dict[tuple[int, int], float] = defaultdict(float)
    for (session_n, index), score in at.items():
        for distance, share in _NEIGHBOUR_SHARES.items():
            gains[session_n, index - distance] += share * score
            gains[session_n, index + distance] += share * score
    return gains


def _session_gains(matching: Sequence[tuple[Place, float]]) -> dict[int, float]:
    """What each session's turns gain from how well it answers: a share of its best scores."""
    scores: dict[int, list[float]] = defaultdict(list)
    for (_, session_n, _), score in matching:
        scores[session_n].append(score)
    return {
        session_n: _SESSION_SHARE * sum(sorted(own, reverse=True)[:_SESSION_BEST])
        for session_n, own in scores.items()
    }


def _scaled(scores: Mapping[int, float]) -> dict[int, float]:
    """The scores divided by the greatest."""
    top = max(scores.values(), default=0.0)
    return {n: score / top for n, score in scores.items()} if top > 0 else dict(scores)
