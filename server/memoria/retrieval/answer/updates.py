"""Updates: what is stated anew or contradicted says so where it is shown."""

from collections.abc import Mapping, Sequence

from memoria.model import Hit, Validity
from memoria.retrieval.ranking.score import ScoredCandidate
from memoria.retrieval.ranking.successors import Successors
from memoria.retrieval.ranking.updates import Updates


def mark_updates(
    hits: Sequence[Hit], shown: Sequence[ScoredCandidate], updates: Updates, successors: Successors
) -> tuple[Hit, ...]:
    """The hits, with those marked that another one states anew or can't be true together with.

    Args:
        hits: what is shown.
        shown: the candidates they were made of, in the same order.
        updates: what the candidates state anew and deny.
        successors: what has taken their place, in a search of memories.
    """
    ids = {each.candidate.n: each.id for each in shown}
    return tuple(
        _mark_hit(
            hit,
            _find_newer(each.candidate.n, ids, updates, successors),
            tuple(ids[n] for n in updates.denied.get(each.candidate.n, ()) if n in ids),
        )
        for hit, each in zip(hits, shown, strict=False)
    )


def _find_newer(
    n: int, ids: Mapping[int, str], updates: Updates, successors: Successors
) -> str | None:
    """The id of what states anew what a hit states."""
    if n in updates.restated:
        return updates.restated[n]
    successor = successors.find(n) if successors.is_superseded(n) else None
    return None if successor is None else ids.get(successor)


def _mark_hit(hit: Hit, newer: str | None, others: tuple[str, ...]) -> Hit:
    if newer is not None and newer != hit.id:  # a former wording is superseded, and says so
        hit = hit.model_copy(update={"restated_by": newer})
    if not others:
        return hit
    both = tuple(dict.fromkeys((*hit.contradicts, *others)))
    return hit.model_copy(update={"validity": Validity.CONTRADICTED, "contradicts": both})
