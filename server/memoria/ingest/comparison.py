"""Comparison of a model's proposal with the memories that it may repeat, replace or change."""

from memoria.language.names.keys import USER, names_property
from memoria.language.reading.statement import (
    canonical_form,
    differs_in_number_or_negation,
    fingerprint,
    says_the_same,
)
from memoria.memories.times import find_event_time
from memoria.memories.validator import OperationValidator
from memoria.memories.verdicts import RelatedMemories
from memoria.model import Add, InferredBy, Memory, StoredTurn, TextVectors, Update
from memoria.model.moments import Zone
from memoria.policy.conflict import start_of

_MOST = 3


def list_rivals(
    validator: OperationValidator,
    add: Add,
    claimed: tuple[str, str, str],
    turn: StoredTurn,
    recall: RelatedMemories,
    meanings: TextVectors,
) -> tuple[Memory, ...]:
    """List the few memories that an addition may repeat, replace or contradict.

    They tell the same property, mean nearly the same, or speak of the same subject and name the
    property in other words. The list is empty if the addition is known already.
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
    """Check whether a memory told of something to come when it was said, and is no rule."""
    planned = memory.current.event_at
    is_plan = planned is not None and planned > memory.current.valid_from
    return is_plan and not memory.type.is_guide


def _was_read_off(memory: Memory, turn: StoredTurn) -> bool:
    """Check whether rules made a memory of the very turn that the model has read now."""
    by_rules = memory.current.inferred_by is InferredBy.RULES
    return by_rules and memory.current.provenance.turn_id == turn.id


def says_what_is_known(content: str, known: str, update: Update) -> bool:
    """Check whether an update repeats a known text, but for case and punctuation.

    One word more or less is another statement, which the model has decided to write. A correction
    may be one of spelling alone.
    """
    if update.reason == "correction":
        return fingerprint(content) == fingerprint(known)
    return canonical_form(content) == canonical_form(known)


def adds_to(update: Update, memory: Memory) -> bool:
    """Check whether an update only adds to a memory, which still holds.

    A model calls many a change a detail; one that a number or a negation tells is not taken for it.
    """
    is_otherwise = differs_in_number_or_negation(update.content, memory.content)
    return update.reason == "detail" and not is_otherwise


def start_of_update(update: Update, turn: StoredTurn, memory: Memory, zone: Zone) -> int:
    """Return the moment from which an update holds; for a correction, when its memory began.

    A date in its wording may be what it tells ("the birthday is on 9 May"), so only a time that
    the model has named as the event's says when a change happened.
    """
    if update.reason == "correction":
        return memory.current.valid_from
    happened = find_event_time(update.event_time, "", turn, zone, "past")
    return start_of(happened.at, turn.at, memory)
