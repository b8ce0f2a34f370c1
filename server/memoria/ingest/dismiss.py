"""Dismiss: what sums up a conversation goes when a part of it is forgotten."""

from collections.abc import Sequence

from memoria.store.base import Transaction


def dismiss_episodes(tx: Transaction, turn_ns: Sequence[int]) -> list[str]:
    """Erase the episodes over these turns, before the turns themselves are barred or erased.

    A summary may say what was forgotten in any words, so it goes whole. Its stretch is put back
    into the queue, and a model sums up what is left of it.

    Returns:
        The ids of what was erased.
    """
    over = tx.episodes.over(turn_ns)
    tx.episodes.write_anew(turn_ns)
    for memory_id in over:
        tx.memories.erase(memory_id)
    return over
