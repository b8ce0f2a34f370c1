"""Dismiss: what sums up others goes when a part of what it sums up is forgotten."""

from collections.abc import Collection, Sequence

from memoria.store.base import Transaction


def delete_episodes(tx: Transaction, turn_ns: Sequence[int]) -> list[str]:
    """Erase the episodes over these turns, before the turns themselves are barred or erased.

    A summary may say what was forgotten in any words, so it goes whole. Its stretch is put back
    into the queue, and a model sums up what is left of it.

    Returns:
        The ids of what was erased.
    """
    over = tx.episodes.list_over_turns(turn_ns)
    tx.episodes.requeue_summaries(turn_ns)
    for memory_id in over:
        tx.memories.erase(memory_id)
    return over


def delete_derived(
    tx: Transaction,
    memory_ids: Sequence[str],
    turn_ns: Sequence[int],
    spared: Collection[str] = (),
) -> list[str]:
    """Erase what nights drew from these memories and turns, before these are barred or erased.

    It may say what was forgotten in any words, so it goes whole, and with it whatever a night that
    was broken off is about to write of them. What is left may be drawn upon again.

    Args:
        tx: the transaction that forgets.
        memory_ids: of what is being forgotten, in one of its wordings or all.
        turn_ns: the turns that nothing may be concluded from any more.
        spared: ids of what the caller erases.

    Returns:
        The ids of what was erased.
    """
    over = [one for one in tx.derivations.list_resting_on(memory_ids, turn_ns) if one not in spared]
    tx.nightly_runs.drop_items([*memory_ids, *over])
    for memory_id in over:
        tx.memories.erase(memory_id)
    return over
