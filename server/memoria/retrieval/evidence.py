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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest

from memoria.retrieval.candidates import Candidates
from memoria.store.base import Transaction
from memoria.store.values import Filters, Place

_NEIGHBOUR_SHARES = {1: 0.3, 2: 0.15}
_REACH = max(_NEIGHBOUR_SHARES)
_SESSION_SHARE = 0.2
_SESSION_BEST = 3
_LEXICAL_CEILING = 0.6
_WITH_CONTEXT = 200
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


def rank(tx: Transaction, candidates: Candidates, filters: Filters) -> list[Ranked]:
    """The candidates, best first; ties by age, oldest first.

    Near neighbours of candidates are ranked with them, unless the search is narrow: a neighbour
    need not pass the filters.
    """
    lexical = _in_context(tx, candidates, barred=filters.barred)
    cosine = {**candidates.cosine, **_supposed(candidates, lexical)}
    found = candidates.bm25.keys() | cosine.keys()
    ranked = (
        _ranked(n, lexical.get(n, 0.0), cosine.get(n, 0.0))
        for n in (found if filters.narrow else found | lexical.keys())
    )
    return sorted(ranked, key=lambda hit: (-hit.score, hit.n))


def _ranked(n: int, lexical: float, cosine: float) -> Ranked:
    return Ranked(n, _combined(lexical, cosine), lexical, cosine)


def conclusive(lexical: float, coverage: float, cosine: float) -> float:
    """The score of a conclusion, 0 to 1: a short text, judged by itself.

    Among a handful of memories BM25's best may share nothing but a particle with the question,
    so it counts by the share of the question's terms it covers. A sentence's cosine says more
    than a turn's: it is stretched from where unrelated sentences end to where answers lie.
    """
    meaning = (cosine - _UNRELATED) / (_SURE - _UNRELATED)
    return 1 - (1 - _LEXICAL_CEILING * lexical * coverage) * (1 - min(max(meaning, 0.0), 0.95))


def _combined(lexical: float, cosine: float) -> float:
    return 1 - (1 - _LEXICAL_CEILING * lexical) * (1 - max(cosine, 0.0) ** 2)


def _supposed(candidates: Candidates, lexical: Mapping[int, float]) -> dict[int, float]:
    """Cosines for documents too new to have a vector, in proportion to how well their words fit.

    Not knowing is not zero: what was said a second ago must not rank behind older copies of it.
    """
    best = max(candidates.cosine.values(), default=0.0)
    return {n: best * lexical.get(n, 0.0) for n in candidates.awaiting}


def _in_context(tx: Transaction, candidates: Candidates, *, barred: bool) -> dict[int, float]:
    """BM25 scores, 0 to 1, with what turns gain from their neighbours and sessions."""
    own = _scaled(candidates.bm25)
    near = nlargest(_WITH_CONTEXT, own, key=lambda n: (own[n], -n))
    meant = nlargest(_WITH_CONTEXT, candidates.cosine, key=lambda n: (candidates.cosine[n], -n))
    places = tx.conversations.places(sorted({*near, *meant}), _REACH, barred=barred)
    shared = _with_neighbours(own, places)
    for place, gain in _session_gains(own, places):
        shared[place.n] += _SESSION_SHARE * gain
    return _scaled({**own, **shared})


def _with_neighbours(own: Mapping[int, float], places: Sequence[Place]) -> dict[int, float]:
    """Each turn's score with its share of the turns beside it."""
    at: dict[tuple[int, int], float] = defaultdict(float)
    for place in places:  # versions of a message share a place
        key = (place.session_n, place.turn_index)
        at[key] = max(at[key], own.get(place.n, 0.0))
    return {
        place.n: own.get(place.n, 0.0)
        + sum(
            share * at.get((place.session_n, place.turn_index + side * distance), 0.0)
            for distance, share in _NEIGHBOUR_SHARES.items()
            for side in (-1, 1)
        )
        for place in places
    }


def _session_gains(
    own: Mapping[int, float], places: Sequence[Place]
) -> Iterable[tuple[Place, float]]:
    """How well each place's session answers: the sum of its best scores."""
    sessions: dict[int, list[Place]] = defaultdict(list)
    for place in places:
        sessions[place.session_n].append(place)
    for members in sessions.values():
        gain = sum(nlargest(_SESSION_BEST, (own.get(place.n, 0.0) for place in members)))
        yield from ((place, gain) for place in members)


def _scaled(scores: Mapping[int, float]) -> dict[int, float]:
    """The scores divided by the greatest."""
    top = max(scores.values(), default=0.0)
    return {n: score / top for n, score in scores.items()} if top > 0 else dict(scores)
