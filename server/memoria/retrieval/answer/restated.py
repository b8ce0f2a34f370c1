"""Restated hits: marks that name what has taken their place."""

from collections.abc import Sequence

from memoria.model import Hit
from memoria.retrieval.ranking.score import ScoredCandidate
from memoria.retrieval.ranking.successors import Successors


def mark_restated(
    hits: Sequence[Hit], shown: Sequence[ScoredCandidate], successors: Successors
) -> tuple[Hit, ...]:
    """Mark the hits of which the store knows what has taken their place.

    Args:
        hits: what is shown.
        shown: the candidates they were made of, in the same order.
        successors: what has taken the place of what, in a search of memories.
    """
    ids = {each.candidate.n: each.id for each in shown}

    def mark(hit: Hit, n: int) -> Hit:
        successor = successors.find(n) if successors.is_superseded(n) else None
        newer = None if successor is None else ids.get(successor)
        if newer is None or newer == hit.id:  # a former wording is superseded, and says so
            return hit
        return hit.model_copy(update={"restated_by": newer})

    return tuple(mark(hit, each.candidate.n) for hit, each in zip(hits, shown, strict=False))
