"""Similar memories: memories of nearly the same meaning are linked once they have vectors.

These links can be derived again from the vectors, so a process may die before it has written them.
"""

from collections.abc import Mapping

from memoria.memories.links import link_similar
from memoria.model import Memory, Validity, Vector
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters

_MOST_SIMILAR = 6
"""Most memories that one is linked with; a graph that links everything says nothing."""


def find_similar(
    tx: Transaction, model: str, vectors: Mapping[int, Vector], least: float
) -> dict[int, dict[str, float]]:
    """Find the memories that mean nearly the same as those with new vectors.

    Args:
        tx: the transaction to read in.
        model: the embedder that made the vectors.
        vectors: by document; only the present wordings of active memories count.
        least: the cosine that makes neighbours, as the model's calibration has it.

    Returns:
        By document, the ids of similar memories with their cosine.
    """
    found = tx.memories.by_version_numbers(list(vectors))
    current = {n: m for n, m in found.items() if n == m.current.n and m.validity is Validity.ACTIVE}
    near = {n: _most_similar(tx, model, vectors[n], memory, least) for n, memory in current.items()}
    return {n: others for n, others in near.items() if others}


def link_all_similar(tx: Transaction, near: Mapping[int, Mapping[str, float]], now: int) -> None:
    """Link similar memories, except those that were erased or revised since they were found.

    Args:
        tx: the transaction to write in.
        near: what `find_similar` found.
        now: UTC epoch milliseconds.
    """
    memories = tx.memories.by_version_numbers(list(near))
    for n, others in near.items():
        memory = memories.get(n)
        if memory is not None and memory.current.n == n:
            there = {i: cosine for i, cosine in others.items() if tx.memories.get(i) is not None}
            link_similar(tx, memory, there, now=now)


def _most_similar(
    tx: Transaction, model: str, vector: Vector, memory: Memory, least: float
) -> dict[str, float]:
    matches = tx.documents.nearest(
        "memory", model, vector, Filters(workspace=memory.workspace), _MOST_SIMILAR + 1
    )
    scores = {match.n: match.score for match in matches if match.score >= least}
    others = tx.memories.by_version_numbers(list(scores))
    return {other.id: scores[n] for n, other in others.items() if other.id != memory.id}
