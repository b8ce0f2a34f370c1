"""Cascade: what falls with a forgotten record because it rests on it, and never by type.

- A conclusion stands while one of the turns it was drawn from, or that say it again, is left, and
  is cited from there. So does a former wording. What bears out one wording keeps no other.
- What was derived from memories, or sums up a span of a session, may say any part of it in any
  words. It goes whole as soon as one of its sources goes, and may be written anew from the others.
- A statement stands by itself. But one that waits for the user's word to correct what is forgotten,
  and rests on nothing else, goes with it: confirmed, it would bring the matter back.
- Two that a model has joined because a sentence gives them one name are two again without it.
- A queue entry goes with the last turn of its span, an item of a nightly plan with anything that it
  names, an edge with either of its ends.
"""

from collections.abc import Collection, Iterable, Sequence

from memoria.language.words.document import full_text
from memoria.language.words.name import name_key
from memoria.model import InferredBy
from memoria.store.rows.dependencies import Dependent, Relation
from memoria.store.rows.transaction import Transaction


def find_unsupported(tx: Transaction, turn_ns: Sequence[int]) -> list[str]:
    """Find the ids of the conclusions that would have no source left without these turns."""
    return [
        one.memory_id
        for one in tx.dependencies.list_dependents([], turn_ns)
        if is_conclusion(one) and not one.has_other_source
    ]


def is_conclusion(dependent: Dependent) -> bool:
    """Check whether a memory was concluded from turns, and nobody has stated it."""
    return dependent.relation == "evidence" and not dependent.is_stated


def find_dependents(
    tx: Transaction, memory_ids: Sequence[str], turn_ns: Sequence[int]
) -> dict[str, Relation]:
    """Map the memories that depend on these, in any number of steps, to what makes them dependent.

    They were derived from these memories, wait to correct them, or sum up these turns.
    """
    found: dict[str, Relation] = {}
    new = _list_whole(tx, memory_ids, turn_ns)
    while new:
        found |= new
        further = _list_whole(tx, [*memory_ids, *found], [])
        new = {one: relation for one, relation in further.items() if one not in found}
    return found


def _list_whole(
    tx: Transaction, memory_ids: Sequence[str], turn_ns: Sequence[int]
) -> dict[str, Relation]:
    dependents = tx.dependencies.list_dependents(memory_ids, turn_ns)
    return {one.memory_id: one.relation for one in dependents if one.relation != "evidence"}


def delete_dependents(
    tx: Transaction,
    memory_ids: Sequence[str],
    turn_ns: Sequence[int],
    spared: Collection[str] = (),
) -> list[str]:
    """Erase what was derived from these memories or sums up these turns.

    It is called before the memories and turns themselves are erased or suppressed. Spans of which a
    summary goes are put back into the queue, and a model sums up what is left of them. The steps of
    an unfinished nightly run that concern any of it are taken off its plan.

    Args:
        tx: the transaction that forgets.
        memory_ids: of what is being forgotten, in one of its wordings or all.
        turn_ns: the turns that nothing may be concluded from any more.
        spared: ids of what the caller erases.

    Returns:
        The ids of what was erased.
    """
    dependents = [one for one in find_dependents(tx, memory_ids, turn_ns) if one not in spared]
    tx.nightly_runs.drop_items([*memory_ids, *dependents])
    tx.episodes.requeue_summaries(turn_ns)
    for memory_id in dependents:
        tx.memories.erase(memory_id)
    return dependents


def delete_memory(tx: Transaction, memory_id: str, now: int) -> None:
    """Erase one memory in all its wordings. What it summed up is not summed up again.

    Args:
        tx: the transaction that forgets.
        memory_id: the memory; what depends on it is the caller's to delete.
        now: UTC epoch ms.
    """
    tx.episodes.stop_summarising(memory_id, now)
    tx.memories.erase(memory_id)


def drop_lost_subjects(tx: Transaction, survivors: Iterable[str], erased: Sequence[str]) -> None:
    """Take from conclusions the subjects that nothing names any more.

    To be called after the turns were erased. What somebody stated has the subject that they gave.

    Args:
        tx: the transaction that forgets.
        survivors: ids of the memories that rested on the turns and stay.
        erased: the texts of the turns.
    """
    for memory in filter(None, map(tx.memories.get, survivors)):
        is_stated = memory.current.inferred_by is InferredBy.STATEMENT
        subject = name_key(memory.subject or "")
        if is_stated or not any(subject and subject in name_key(text) for text in erased):
            continue
        turns = (tx.conversations.turn(one.turn_id) for one in tx.memories.list_evidence(memory.id))
        texts = [memory.content, *(full_text(turn) for turn in turns if turn is not None)]
        if not any(subject in name_key(text) for text in texts):
            tx.memories.set_subject(memory.id, None)


def part_unsupported(tx: Transaction) -> None:
    """Separate again what a model has joined by a name that was just erased."""
    for entity_id in tx.dependencies.list_unsupported_joins():
        tx.graph.split_entity(entity_id)


def drop_unsupported(tx: Transaction, survivors: Sequence[str], now: int) -> None:
    """Drop whatever lost its last source with turns that were just erased.

    Args:
        tx: the transaction that erased them.
        survivors: ids of the memories that rested on them and stay.
        now: UTC epoch ms.
    """
    tx.dependencies.drop_unsupported_entries(now)
    tx.dependencies.drop_unsupported_edges(survivors)
