"""Superseded turns: marks on those whose words a memory has replaced."""

from collections.abc import Mapping, Sequence

from memoria.model import Hit, Validity
from memoria.retrieval.ranking.score import ScoredCandidate


def mark_superseded(
    hits: Sequence[Hit], shown: Sequence[ScoredCandidate], superseded: Mapping[int, str | None]
) -> tuple[Hit, ...]:
    """Mark the hits that no longer hold.

    Args:
        hits: what is shown.
        shown: the candidates they were made of, in the same order.
        superseded: the documents that no longer hold, each with the sentence of it where that is
            not all it says.
    """

    def mark(hit: Hit, n: int) -> Hit:
        if n not in superseded:
            return hit
        part = superseded[n]
        if part is None:
            return hit.model_copy(update={"validity": Validity.SUPERSEDED})
        return hit.model_copy(update={"superseded_part": part})

    return tuple(mark(hit, each.candidate.n) for hit, each in zip(hits, shown, strict=False))
