"""Described: the turn that tells whom a question means without naming them."""

from collections.abc import Sequence

from memoria.retrieval.query.described import Description
from memoria.retrieval.ranking.score import ScoredCandidate
from memoria.retrieval.ranking.statistics import QueryStatistics
from memoria.retrieval.ranking.threshold import DECIDING_HITS, TermWeights

_LOOKED_AT = 20
"""Of the best: the description is a good part of the question."""
_LEAST_COVERAGE = 0.5
"""Of what the candidates hold of the description: who is said to do it in other words, too."""


def find_described(
    description: Description, scored: Sequence[ScoredCandidate], statistics: QueryStatistics
) -> ScoredCandidate | None:
    """The candidate that says most of a description; None where all say little of it.

    Rare words tell most by far: many have a birthday, and few have it on the 27th.
    """
    best = scored[:_LOOKED_AT]
    known = frozenset[str]().union(*(each.words for each in best))
    terms = [term for term in description.terms if term in known]
    weights = TermWeights({term: statistics.weights.get(term, 0.0) ** 2 for term in terms})
    covered = [(weights.coverage(each.words), each) for each in best]
    most, first = max(covered, key=lambda pair: pair[0], default=(0.0, None))
    return first if most >= _LEAST_COVERAGE else None


def limit_margins(
    named: Sequence[ScoredCandidate], asked: Sequence[ScoredCandidate]
) -> list[ScoredCandidate]:
    """What is found under a name, fitting no better than the best that the description has found.

    The words of the turn that gave the name are in the question by then, so it fits for its own
    sake; and what is told of somebody is an answer only if they are who was meant.
    """
    most = max((each.margin for each in asked[:DECIDING_HITS]), default=0.0)
    return [each._replace(margin=min(each.margin, most)) for each in named]
