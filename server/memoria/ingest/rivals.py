"""Rivals: the memories that a model's addition is compared with before it is written."""

from memoria.language.names.keys import USER, names_property
from memoria.language.reading.statement import says_the_same
from memoria.memories.related import RelatedMemories
from memoria.memories.validator import OperationValidator
from memoria.model import Add, InferredBy, Memory, StoredTurn, TextVectors

_MOST = 3


def list_rivals(
    validator: OperationValidator,
    add: Add,
    claimed: tuple[str, str, str],
    turn: StoredTurn,
    recall: RelatedMemories,
    meanings: TextVectors,
) -> tuple[Memory, ...]:
    """List few memories that an addition may repeat, replace or contradict; none if it is known.

    They tell the same property, mean nearly the same, or speak of the same subject and name the
    property in other words.

    Args:
        validator: reads the memories.
        add: the addition.
        claimed: its content, subject and property, as they would be written.
        turn: what it rests on.
        recall: finds what means nearly the same.
        meanings: the vectors of the contents.
    """
    content, subject, predicate = claimed
    told = validator.tx.memories.list_of_property(subject, predicate, turn.workspace)
    same = [memory for memory in told if predicate and memory.predicate == predicate]
    if any(says_the_same(content, memory.content) for memory in same):
        return ()
    near = recall.find_near(validator.tx, meanings, content, turn.workspace)
    about = validator.tx.memories.list_about(subject, turn.workspace)
    is_plan = add.modality == "planned" and subject != USER and not add.type.is_guide
    kin = [
        memory
        for memory in about
        if not memory.type.is_derived
        and (
            names_property(predicate, memory.content)
            or names_property(memory.predicate or "", content)
            or (is_plan and _is_of_time_to_come(memory))
        )
    ]
    others = [one for one in (*near, *kin) if not _was_read_off(one, turn)]
    rivals = {m.id: m for m in (*same, *others) if not says_the_same(content, m.content)}
    return tuple(rivals.values())[:_MOST]


def _is_of_time_to_come(memory: Memory) -> bool:
    """Check whether a memory, other than a rule, told of a time to come when it was said."""
    planned = memory.current.event_at
    is_plan = planned is not None and planned > memory.current.valid_from
    return is_plan and not memory.type.is_guide


def _was_read_off(memory: Memory, turn: StoredTurn) -> bool:
    """Check whether rules made a memory of the very turn that the model has read now."""
    by_rules = memory.current.inferred_by is InferredBy.RULES
    return by_rules and memory.current.provenance.turn_id == turn.id
