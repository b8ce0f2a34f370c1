"""Variants: one ranking of what a query and its other wordings have found.

A question and its answer may share no word, and whoever asks knows other words. Each wording is
searched for by itself, with its own statistics and its own threshold; then the scores of a document
are added up (CombSUM of E. Fox and J. Shaw, "Combination of multiple searches", 1994), those of the
query counting in full and those of its variants for a part, so that a wording that leads astray
can't push an answer far down.
"""

from collections.abc import Sequence
from dataclasses import replace

from memoria.retrieval.ranking.score import ScoredCandidate

_VARIANT_WEIGHT = 0.5
"""Of the score in a variant's ranking, beside one in the query's."""


def fuse_searches(rankings: Sequence[Sequence[ScoredCandidate]]) -> list[ScoredCandidate]:
    """The candidates of all rankings, best first; each as the ranking has it that it fits best.

    Args:
        rankings: the query's first, then each variant's, with their margins.
    """
    if len(rankings) == 1:
        return list(rankings[0])
    best: dict[tuple[str, int], ScoredCandidate] = {}
    scores: dict[tuple[str, int], float] = {}
    for place, ranking in enumerate(rankings):
        weight = _VARIANT_WEIGHT if place else 1.0
        for each in ranking:
            key = each.identity
            scores[key] = scores.get(key, 0.0) + weight * each.score
            if key not in best or each.margin > best[key].margin:
                best[key] = each
    whole = 1 + _VARIANT_WEIGHT * (len(rankings) - 1)
    fused = [replace(each, score=scores[key] / whole) for key, each in best.items()]
    return sorted(fused, key=lambda each: (-each.score, each.candidate.n))
