"""Memories told unasked: those that an agent may read in core memory without having asked.

Core files, the briefing, the instructions and the resources all take their lines from here. Their
readers believe that the rules and preferences there are the user's.
"""

from memoria.language.reading.pasted import find_pasted_spans
from memoria.language.statements.directions import directs, doubt_direction
from memoria.language.statements.lasting import REDACTED
from memoria.language.statements.orders import instruction_shaped
from memoria.memories.conditions import is_open
from memoria.model import MemoryVersion, SourceKind, StoredTurn, Trust
from memoria.model.channel import EXTRACTION_CHANNEL
from memoria.model.core import CoreMemory
from memoria.store.rows.transaction import Transaction


def may_be_told(tx: Transaction, memory: CoreMemory) -> bool:
    """Check whether a memory may stand in core memory.

    A memory told in confidence may not; one that the user has confirmed may. Text that speaks to
    the memory itself may not, nor a direction that rests on a tool's output, on what the user only
    pasted or on an assistant's word.
    """
    known = tx.memories.get(memory.id)
    if known is None or not is_open(tx, known):
        return False
    if memory.verified:
        return True
    if instruction_shaped(memory.content, Trust.REPORTED):
        return False
    if not directs(memory.type, memory.content):
        return True
    is_concluded = memory.channel == EXTRACTION_CHANNEL
    is_theirs = not is_concluded or _is_the_users_word(tx, memory, known.current)
    return is_theirs and memory.trust is not Trust.TOOL


def may_be_quoted(turn: StoredTurn) -> bool:
    """Check whether a turn of the user's may stand beside a memory in core memory.

    A text of others may not, nor one that held a secret or speaks to the memory itself.
    """
    said = turn.content
    is_held_back = REDACTED in said or instruction_shaped(said, Trust.REPORTED)
    return not is_held_back and not find_pasted_spans(said)


def _is_the_users_word(tx: Transaction, memory: CoreMemory, now: MemoryVersion) -> bool:
    """Check whether the user said themselves what was concluded from a conversation."""
    turn = tx.conversations.turn(now.provenance.turn_id) if now.provenance.turn_id else None
    if turn is None:
        return now.provenance.source_kind is SourceKind.USER_SAID
    quote = now.provenance.quote or ""
    return doubt_direction(memory.type, now.content, memory.subject, turn, quote) is None
