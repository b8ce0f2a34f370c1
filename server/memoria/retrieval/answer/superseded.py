"""Superseded turns: marks on those whose words a memory has replaced."""

from collections.abc import Collection, Sequence

from memoria.model import Hit, Validity
from memoria.retrieval.ranking.score import ScoredCandidate


def mark_superseded(
    hits: Sequence[Hit], shown: Sequence[ScoredCandidate], superseded: Collection[int]
) -> tuple[Hit, ...]:
    """Mark the hits that no longer hold.

    Args:
        hits: what is shown.
        shown: the candidates they were made of, in the same order.
        superseded: the documents that no longer hold.
    """
    return tuple(
        hit.model_copy(update={"validity": Validity.SUPERSEDED})
        if each.candidate.n in superseded
        else hit
        for hit, each in zip(hits, shown, strict=False)
    )
