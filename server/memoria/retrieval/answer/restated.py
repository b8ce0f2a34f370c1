"""Restated: what has been replaced says by what, where it is shown."""

from collections.abc import Sequence

from memoria.model import Hit
from memoria.retrieval.ranking.score import ScoredCandidate
from memoria.retrieval.ranking.successors import Successors


def mark_restated(
    hits: Sequence[Hit], shown: Sequence[ScoredCandidate], successors: Successors
) -> tuple[Hit, ...]:
    """The hits, with those marked whose place another one has taken.

    Args:
        hits: what is shown.
        shown: the candidates they were made of, in the same order.
        successors: what has taken their place, in a search of memories.
    """
    ids = {each.candidate.n: each.id for each in shown}
    newer = (_find_newer(each.candidate.n, successors) for each in shown)
    return tuple(
        _mark_hit(hit, None if n is None else ids.get(n))
        for hit, n in zip(hits, newer, strict=False)
    )


def _find_newer(n: int, successors: Successors) -> int | None:
    """What has taken the place of a document."""
    return successors.find(n) if successors.is_superseded(n) else None


def _mark_hit(hit: Hit, newer: str | None) -> Hit:
    if newer is None or newer == hit.id:  # a former wording is superseded, and says so
        return hit
    return hit.model_copy(update={"restated_by": newer})
