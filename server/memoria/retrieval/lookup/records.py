"""Records whole: a memory, a turn or a session by its id, or by the part of one that is cited."""

import base64
from collections.abc import Iterable, Sequence
from itertools import pairwise

from memoria.bare.lazy_regex import lazy_regex
from memoria.errors import InvalidInputError, NextStep, NotFoundError, shorten
from memoria.language.words.document import as_text
from memoria.memories.conditions import (
    answerable_turns,
    condition_of_turn,
    conditions_of_memories,
    conditions_of_turns,
    is_withheld,
)
from memoria.model import Memory, SessionRecord, StoredTurn, TurnRecord
from memoria.model.attachment import PARTLY_FORGOTTEN, AttachmentFile, AttachmentRecord
from memoria.model.base import choose_by_end, count_end_chars
from memoria.model.memory import Condition
from memoria.model.search import FULL_ID
from memoria.store.not_found import not_found
from memoria.store.rows.listings import INDEXED_CHARS
from memoria.store.rows.transaction import Transaction

_CITED = lazy_regex(r"""[\s\[("'`“]*(?:(?i:memory|turn)\s+)?([0-9a-fA-F-]+)[\s\])"'`”.,;:]*""")
"""An id or the end of an id, bare or with the signs around it in an answer."""
_NAMED = 4
"""Most sessions that an error names."""
_GROUPS = (-32, -24, -20, -16, -12, None)
"""Beginnings of the groups of an id, counted from its end."""


def read_id(cited: str) -> str:
    """Return the id, or the end of an id, in a text copied from an answer, spelt as stored.

    Brackets, `memory` and `turn`, capital letters, and missing or misplaced dashes do not matter. A
    text that holds no id is returned unchanged.
    """
    match = _CITED.fullmatch(cited)
    digits = match[1].replace("-", "").lower() if match else ""
    groups = (digits[start:end] for start, end in pairwise(_GROUPS))
    spelt = "-".join(filter(None, groups))
    return spelt if 0 < len(spelt) <= FULL_ID and len(digits) <= -_GROUPS[0] else cited


def is_short(record_id: str) -> bool:
    """Return whether a text may be the end of an id, and is no whole id."""
    return 0 < len(record_id) < FULL_ID and _CITED.fullmatch(record_id) is not None


def complete_id(tx: Transaction, cited: str) -> str:
    """Return the id of the memory or turn, forgotten ones included, that a cited end belongs to.

    An end that belongs to none is returned, spelt as ids are.

    Raises:
        InvalidInputError: several ids end so; the error names them.
        NotFoundError: the end is too short to look for.
    """
    end = read_id(cited)
    if not is_short(end):
        return end
    if len(end) < INDEXED_CHARS:
        raise NotFoundError(
            f"There is no memory or turn {end}. An id is given whole, or by its last "
            f"{INDEXED_CHARS} characters or more.",
            step=NextStep(
                "Find it",
                "search_memory or search_conversation_traces",
                "memoria search, or memoria traces",
            ),
        )
    known = choose_by_end(tx.short_ids.list_alike([end]), end)
    return known or choose_by_end(tx.short_ids.list_forgotten(end), end) or end


def count_id_chars(tx: Transaction, ids: Iterable[str]) -> int:
    """Return the number of last characters that tell ids apart from all others of the tenant."""
    wanted = frozenset(ids)
    alike = {*tx.short_ids.list_alike(wanted), *wanted}
    chars = INDEXED_CHARS
    while chars < FULL_ID and len({one[-chars:] for one in alike}) < len(alike):
        chars += 1
    return chars


def complete_session_id(tx: Transaction, cited: str) -> str:
    """Return the id of the session whose id is, or begins with, a cited text; else that text.

    Raises:
        InvalidInputError: several ids begin so; the error names them.
    """
    found = tx.short_ids.list_sessions(cited, _NAMED + 1) if cited else []
    if cited in found or not found:
        return cited
    if len(found) > 1:
        more = ", and more" if len(found) > _NAMED else ""
        named = ", ".join(_cut_beginnings(found))
        raise InvalidInputError(
            f"Several sessions begin with {shorten(cited)}: {named}{more}. "
            "Give more of the one that is meant."
        )
    return found[0]


def _cut_beginnings(ids: Sequence[str]) -> list[str]:
    """Return the beginnings of the first few ids of sessions, as long as tells them apart."""
    chars = max(count_end_chars(one[::-1] for one in ids), INDEXED_CHARS)
    return [one[:chars] for one in ids[:_NAMED]]


def count_session_chars(tx: Transaction, ids: Iterable[str]) -> int:
    """Return the number of first characters that tell ids of sessions apart from all others."""
    chars = INDEXED_CHARS
    for one in ids:
        while chars < len(one) and len(tx.short_ids.list_sessions(one[:chars], 2)) > 1:
            chars += 1
    return chars


def read_record(tx: Transaction, record_id: str, context: int) -> Memory | TurnRecord:
    """Read the memory or turn that has an id.

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
    """Return a memory with its condition; None if none exists or it is withheld."""
    memory = tx.memories.get(memory_id)
    return None if memory is None else next(iter(mark_conditions(tx, [memory])), None)


def mark_conditions(tx: Transaction, memories: Iterable[Memory]) -> list[Memory]:
    """Return the memories that may be in an answer, with their conditions."""
    read = list(memories)
    conditions = conditions_of_memories(tx, read)
    pairs = ((memory, conditions[memory.id]) for memory in read)
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
        attachments=_list_attachments(tx, turn),
        versions=tuple(tx.conversations.turn_versions(turn)),
        before=tuple(other for other in beside if other.turn_index < turn.turn_index),
        after=tuple(other for other in beside if other.turn_index > turn.turn_index),
    )


def read_attachment(tx: Transaction, turn_id: str) -> AttachmentFile:
    """Read a file by its turn, or by the turn of the message that brought it alone.

    Raises:
        NotFoundError: the turn is none of these, or the bytes are not kept.
        InvalidInputError: the message brought several files.
    """
    found = read_turn(tx, turn_id, 0).attachments
    if len(found) > 1:
        ids = ", ".join(one.id for one in found)
        raise InvalidInputError(f"{turn_id} came with several files. Name one of these: {ids}.")
    if not found:
        raise NotFoundError(f"No file came with {shorten(turn_id)}.")
    (one,) = found
    turn = tx.conversations.turn(one.id)
    data = None if turn is None or one.not_kept else tx.attachments.read_bytes(turn)
    if data is None and turn is not None and turn.tool_result is not None and one.is_its_text:
        data = as_text(turn.tool_result).encode()
    if data is None:
        raise NotFoundError(f"The file is not kept: {one.not_kept or PARTLY_FORGOTTEN}.")
    return AttachmentFile(data=base64.b64encode(data).decode(), **one.model_dump())


def _list_attachments(tx: Transaction, turn: StoredTurn) -> tuple[AttachmentRecord, ...]:
    """List the files of a message that may be shown; of an attachment, that file."""
    message_id, turns = tx.attachments.find_message(turn), [turn]
    if message_id is None:
        message_id, ns = turn.id, tx.attachments.list_of_messages([turn.n])
        turns = answerable_turns(tx, tx.conversations.turns([*ns]).values())
    return tuple(AttachmentRecord.of_turn(one.id, message_id, one.tool_args) for one in turns)


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
    conditions = conditions_of_turns(tx, turns)
    return SessionRecord(
        session_id=session_id,
        total=total,
        turns=tuple(turns),
        confided=frozenset(turn.id for turn in turns if conditions[turn.n]),
        segments=tuple(tx.conversations.list_segments(session_id)),
    )
