"""Rarity: weights of the question's words where an answer is cut to what it says of them."""

from collections.abc import Iterable, Mapping
from math import log

from memoria.retrieval.query.plan import SearchPlan
from memoria.store.values import Frequencies


def weigh_terms(plan: SearchPlan, frequencies: Frequencies) -> dict[str, float]:
    """Map the terms to their weights: the rarer on record, the more."""
    counts, total = frequencies.by_term, frequencies.total
    return {term: log(1 + (1 + total) / (1 + counts.get(term, 0))) for term in plan.terms}


def merge_weights(searches: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """Merge the terms of several wordings; each counts as where it counts most."""
    merged: dict[str, float] = {}
    for weights in searches:
        for term, weight in weights.items():
            merged[term] = max(weight, merged.get(term, 0.0))
    return merged
