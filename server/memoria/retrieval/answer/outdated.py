"""Outdated concepts and episodes: marks where something that they rest on has changed."""

from collections import defaultdict
from collections.abc import Sequence

from memoria.model import Hit, Memory
from memoria.model.memory_types import DERIVED_TYPES
from memoria.retrieval.query.plan import SearchPlan
from memoria.store.rows.transaction import Transaction


def mark_outdated(tx: Transaction, plan: SearchPlan, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Mark the hits whose sources have changed; of a past moment none is marked.

    Args:
        tx: the snapshot they were found in.
        plan: the search.
        hits: those that are shown.
    """
    if plan.as_of is not None:
        return tuple(hits)
    changed = _find_changes(tx, [hit.id for hit in hits if hit.type in DERIVED_TYPES])
    return tuple(
        hit.model_copy(update={"status": "outdated", "outdated_by": changed[hit.id]})
        if hit.id in changed
        else hit
        for hit in hits
    )


def mark_outdated_memories(tx: Transaction, memories: Sequence[Memory]) -> list[Memory]:
    """Mark the memories whose sources have changed."""
    changed = _find_changes(tx, [memory.id for memory in memories if memory.type.is_derived])
    return [
        memory.model_copy(update={"outdated_by": changed[memory.id]})
        if memory.id in changed
        else memory
        for memory in memories
    ]


def _find_changes(tx: Transaction, derived: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Map derived memories to the ids of what tells by now what they rest on."""
    changed: dict[str, dict[str, None]] = defaultdict(dict)
    for change in tx.derivations.list_changed(derived) if derived else ():
        changed[change.derived_id][change.id] = None
    return {memory_id: tuple(ids) for memory_id, ids in changed.items()}
