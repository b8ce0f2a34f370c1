"""Choice: the candidates that are hits, and those that have replaced others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.ranking.derived import place_derived
from memoria.retrieval.ranking.score import ScoredCandidate
from memoria.retrieval.ranking.selection import (
    Selection,
    add_rest,
    limit_hits,
    select_hits,
)
from memoria.retrieval.ranking.successors import Successors, find_successors
from memoria.store.rows.transaction import Transaction


@dataclass(frozen=True, slots=True)
class ChosenHits:
    """The hits in their order, with what is to be said of them."""

    selection: Selection
    successors: Successors


def choose_hits(
    tx: Transaction,
    plan: SearchPlan,
    scored: Sequence[ScoredCandidate],
    rest: Sequence[ScoredCandidate],
    weights: Mapping[str, float],
) -> ChosenHits:
    """Choose the hits of a search, however many there are.

    Args:
        tx: where the candidates were found.
        plan: the search.
        scored: the candidates, best first, with their margins.
        rest: what a high limit wants besides. It follows behind the hits and moves none of them.
        weights: the terms asked for, and what each counts.
    """
    scored, successors = find_successors(tx, plan, scored, weights)
    selection = place_derived(tx, plan, select_hits(plan, scored, successors))
    if rest:
        selection = add_rest(plan, selection, rest)
        _, later = find_successors(tx, plan, rest, weights)
        successors = successors.join(later)
    return ChosenHits(limit_hits(plan, selection), successors)
