"""Contradictions: marks on memories that cannot be true together."""

from collections.abc import Sequence

from memoria.model import Hit, Memory, RelatedStatement, Validity
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters


def mark_hits(tx: Transaction, hits: Sequence[Hit], seen: Filters) -> tuple[Hit, ...]:
    """Mark the hits that something seen from here contradicts."""
    ids = [hit.id for hit in hits if hit.kind == "memory" and hit.validity is Validity.ACTIVE]
    marks = tx.memories.list_contradictions(ids, seen) if ids else {}
    return tuple(_mark_hit(hit, marks[hit.id]) if hit.id in marks else hit for hit in hits)


def mark_memories(tx: Transaction, memories: Sequence[Memory], seen: Filters) -> list[Memory]:
    """Add to memories what contradicts them, as far as it is seen from here."""
    marks = tx.memories.list_contradictions([memory.id for memory in memories], seen)
    return [
        memory.model_copy(update={"contradicts": _statements(tx, marks.get(memory.id, ()))})
        for memory in memories
    ]


def _mark_hit(hit: Hit, others: tuple[str, ...]) -> Hit:
    return hit.model_copy(update={"validity": Validity.CONTRADICTED, "contradicts": others})


def _statements(tx: Transaction, memory_ids: Sequence[str]) -> tuple[RelatedStatement, ...]:
    found = map(tx.memories.get, memory_ids)
    return tuple(RelatedStatement(id=m.id, content=m.content) for m in found if m is not None)
