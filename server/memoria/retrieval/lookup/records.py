"""Records whole: a memory, a turn or a session by its id."""

from collections.abc import Iterable

from memoria.errors import NextStep, NotFoundError, shorten
from memoria.memories.conditions import (
    answerable_turns,
    condition_of_memory,
    condition_of_turn,
    is_withheld,
)
from memoria.model import Memory, SessionRecord, StoredTurn, TurnRecord
from memoria.model.condition import Condition
from memoria.store.not_found import not_found
from memoria.store.rows.transaction import Transaction


def read_record(tx: Transaction, record_id: str, context: int) -> Memory | TurnRecord:
    """Read whatever has the id: a memory or a turn.

    Raises:
        NotFoundError: the tenant has neither.
    """
    memory = find_memory(tx, record_id)
    if memory is not None:
        return memory
    turn = _find_turn(tx, record_id)
    if turn is not None:
        return _with_surroundings(tx, turn, context)
    if tx.tombstones.get(record_id) is not None:
        raise not_found(tx, "memory", record_id)
    raise NotFoundError(
        f"There is no memory or turn {shorten(record_id)}.",
        step=NextStep(
            "Find its id",
            "search_memory or search_conversation_traces",
            "memoria search, or memoria traces",
        ),
    )


def read_memory(tx: Transaction, memory_id: str) -> Memory:
    """Read a memory with all its wordings.

    Raises:
        NotFoundError: the tenant has no such memory.
    """
    memory = find_memory(tx, memory_id)
    if memory is None:
        raise not_found(tx, "memory", memory_id)
    return memory


def find_memory(tx: Transaction, memory_id: str) -> Memory | None:
    """Return a memory with the condition under which it was told; None if it may not be shown."""
    memory = tx.memories.get(memory_id)
    return None if memory is None else next(iter(mark_conditions(tx, [memory])), None)


def mark_conditions(tx: Transaction, memories: Iterable[Memory]) -> list[Memory]:
    """List the memories that may be in an answer, with their conditions."""
    pairs = ((memory, condition_of_memory(tx, memory)) for memory in memories)
    return [
        memory.model_copy(update={"condition": condition}) if condition else memory
        for memory, condition in pairs
        if condition is not Condition.WITHHELD
    ]


def _find_turn(tx: Transaction, turn_id: str) -> StoredTurn | None:
    turn = tx.conversations.turn(turn_id)
    return None if turn is None or is_withheld(tx, turn) else turn


def read_turn(tx: Transaction, turn_id: str, context: int) -> TurnRecord:
    """Read a turn with its versions and up to `context` turns on each side.

    Raises:
        NotFoundError: the tenant has no such turn.
    """
    turn = _find_turn(tx, turn_id)
    if turn is None:
        raise not_found(tx, "turn", turn_id)
    return _with_surroundings(tx, turn, context)


def _with_surroundings(tx: Transaction, turn: StoredTurn, context: int) -> TurnRecord:
    near = tx.conversations.neighbours(turn.session_n, turn.turn_index, context)
    beside = [one for one in near if condition_of_turn(tx, one) is None]
    return TurnRecord(
        turn=turn,
        condition=condition_of_turn(tx, turn),
        versions=tuple(tx.conversations.turn_versions(turn)),
        before=tuple(other for other in beside if other.turn_index < turn.turn_index),
        after=tuple(other for other in beside if other.turn_index > turn.turn_index),
    )


def read_session(tx: Transaction, session_id: str, offset: int, limit: int) -> SessionRecord:
    """Read a page of a session.

    Raises:
        NotFoundError: the tenant has no such session.
    """
    total = tx.conversations.session_size(session_id)
    if not total:
        raise NotFoundError(
            f"There is no session {shorten(session_id)}. Find its id with "
            "search_conversation_traces: every hit names its session."
        )
    turns = answerable_turns(tx, tx.conversations.session_turns(session_id, offset, limit))
    return SessionRecord(
        session_id=session_id,
        total=total,
        turns=tuple(turns),
        confided=frozenset(turn.id for turn in turns if condition_of_turn(tx, turn)),
        segments=tuple(tx.conversations.list_segments(session_id)),
    )
