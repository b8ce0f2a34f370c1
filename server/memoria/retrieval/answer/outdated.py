"""Outdated: a concept or an episode says so where something that it rests on has changed since."""

from collections import defaultdict
from collections.abc import Sequence

from memoria.model import Hit
from memoria.model.memory_types import DERIVED_TYPES
from memoria.retrieval.query.plan import SearchPlan
from memoria.store.base import Transaction


def mark_outdated(tx: Transaction, plan: SearchPlan, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """The hits, marked where what they rest on has changed; of a past moment none is.

    Args:
        tx: the snapshot they were found in.
        plan: the search.
        hits: those that are shown.
    """
    derived = [hit.id for hit in hits if hit.type in DERIVED_TYPES]
    if not derived or plan.as_of is not None:
        return tuple(hits)
    changed: dict[str, list[str]] = defaultdict(list)
    for change in tx.derivations.list_changed(derived):
        changed[change.derived_id].append(change.id)
    return tuple(
        hit.model_copy(
            update={"status": "outdated", "outdated_by": tuple(dict.fromkeys(changed[hit.id]))}
        )
        if hit.id in changed
        else hit
        for hit in hits
    )
