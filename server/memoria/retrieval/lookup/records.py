"""Records whole: a memory, a turn or a session by its id."""

from memoria.errors import NextStep, NotFoundError, shorten
from memoria.model import Memory, SessionRecord, StoredTurn, TurnRecord
from memoria.store.base import Transaction
from memoria.store.not_found import not_found


def read_record(tx: Transaction, record_id: str, context: int) -> Memory | TurnRecord:
    """Whatever has the id: a memory or a turn.

    Raises:
        NotFoundError: the tenant has neither.
    """
    memory = tx.memories.get(record_id)
    if memory is not None:
        return memory
    turn = tx.conversations.turn(record_id)
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
    """A memory with all its wordings.

    Raises:
        NotFoundError: the tenant has no such memory.
    """
    memory = tx.memories.get(memory_id)
    if memory is None:
        raise not_found(tx, "memory", memory_id)
    return memory


def read_turn(tx: Transaction, turn_id: str, context: int) -> TurnRecord:
    """A turn with its versions and up to `context` turns on each side.

    Raises:
        NotFoundError: the tenant has no such turn.
    """
    turn = tx.conversations.turn(turn_id)
    if turn is None:
        raise not_found(tx, "turn", turn_id)
    return _with_surroundings(tx, turn, context)


def _with_surroundings(tx: Transaction, turn: StoredTurn, context: int) -> TurnRecord:
    beside = tx.conversations.neighbours(turn.session_n, turn.turn_index, context)
    return TurnRecord(
        turn=turn,
        versions=tuple(tx.conversations.turn_versions(turn)),
        before=tuple(other for other in beside if other.turn_index < turn.turn_index),
        after=tuple(other for other in beside if other.turn_index > turn.turn_index),
    )


def read_session(tx: Transaction, session_id: str, offset: int, limit: int) -> SessionRecord:
    """A page of a session.

    Raises:
        NotFoundError: the tenant has no such session.
    """
    total = tx.conversations.session_size(session_id)
    if not total:
        raise NotFoundError(
            f"There is no session {shorten(session_id)}. Find its id with "
            "search_conversation_traces: every hit names its session."
        )
    return SessionRecord(
        session_id=session_id,
        total=total,
        turns=tuple(tx.conversations.session_turns(session_id, offset, limit)),
        segments=tuple(tx.conversations.list_segments(session_id)),
    )
