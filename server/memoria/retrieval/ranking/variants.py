"""Variants: one ranking of the results for a query and its other wordings.

A question and its answer may share no word, and whoever asks knows other words. Each wording is
searched for by itself, with its own statistics and its own threshold; then a document counts by its
places in their rankings (reciprocal rank fusion: G. Cormack, C. Clarke, S. Büttcher, "Reciprocal
rank fusion outperforms Condorcet and individual rank learning methods", 2009). Scores of different
wordings are not of one measure, and added up they let a wording that leads astray push answers
down. So each wording has its places: what one alone finds first stands before what all have among
the tenth, and where several agree they come first. How good a document is beside the best is what
it is in the wording that it fits best.
"""

from collections.abc import Sequence
from itertools import accumulate, chain

from memoria.retrieval.ranking.score import ScoredCandidate

SEVERAL_DEPTH = 40
"""Number of the best of each that are joined where several things are searched for, however many
are shown; the others follow."""
_VARIANT_WEIGHT = 0.8
"""Weight of a place in a variant's ranking, beside one in the query's."""
_RANK_OFFSET = 2
"""Number added to a place, so that agreement counts beside the first ones. With 5, and half the
weight for a variant, of 40 wishes behind requests among 400 other turns 8 are among the first ten
at the second level, with these 20; with the usual 60, for lists of hundreds, recall is lower
everywhere."""


def join_searches(rankings: Sequence[Sequence[ScoredCandidate]]) -> Sequence[ScoredCandidate]:
    """Join the results of all searches of a plan to one ranking.

    Args:
        rankings: of the question, then of each variant, with their margins.
    """
    if len(rankings) == 1:
        return rankings[0]
    fused = fuse_searches([ranking[:SEVERAL_DEPTH] for ranking in rankings])
    once = {each.identity: each for each in fused}
    for each in chain.from_iterable(ranking[SEVERAL_DEPTH:] for ranking in rankings):
        once.setdefault(each.identity, each)
    return list(once.values())


def fuse_searches(rankings: Sequence[Sequence[ScoredCandidate]]) -> list[ScoredCandidate]:
    """Fuse rankings, best first; each candidate as the ranking has it that it fits best.

    Args:
        rankings: the query's first, then each variant's, with their margins.
    """
    if len(rankings) == 1:
        return list(rankings[0])
    best: dict[tuple[str, int], ScoredCandidate] = {}
    gains: dict[tuple[str, int], float] = {}
    for position, ranking in enumerate(rankings):
        weight = _VARIANT_WEIGHT if position else 1.0
        for place, each in enumerate(ranking):
            key = each.identity
            gains[key] = gains.get(key, 0.0) + weight / (_RANK_OFFSET + place)
            if key not in best or each.margin > best[key].margin:
                best[key] = each
    shares = _list_shares(rankings)
    order = sorted(best, key=lambda key: (-gains[key], best[key].candidate.n))
    # What follows may be better in one wording alone: none is called worse than what is behind it.
    rising = accumulate((shares[key] for key in reversed(order)), max)
    top = max((each.score for ranking in rankings for each in ranking), default=0.0)
    scores = reversed([top * share for share in rising])
    return [best[key]._replace(score=score) for key, score in zip(order, scores, strict=True)]


def _list_shares(rankings: Sequence[Sequence[ScoredCandidate]]) -> dict[tuple[str, int], float]:
    """Map each candidate to its highest share of the best score of a ranking."""
    shares: dict[tuple[str, int], float] = {}
    for ranking in rankings:
        own = max((each.score for each in ranking), default=0.0) or 1.0
        for each in ranking:
            shares[each.identity] = max(each.score / own, shares.get(each.identity, 0.0))
    return shares
