"""Skills: those on record in a project, and the withdrawal of one that has failed."""

from collections.abc import Sequence

from memoria.memories.derived import END
from memoria.memories.writer import MemoryWriter
from memoria.model import Memory, MemoryType, Validity
from memoria.model.skills import FAILURES, skill_of
from memoria.store.rows.listings import ListedMemories, ListedSpan
from memoria.store.rows.transaction import Transaction

_MOST = 500


def list_skills(
    tx: Transaction, project: str | None, *, everywhere: bool = False
) -> Sequence[Memory]:
    """List the skills of a project, whatever became of them, newest first."""
    wanted = ListedMemories(types=(MemoryType.SKILL,))
    span = ListedSpan(0, _MOST, workspace=project, everywhere=everywhere)
    ns = tx.listings.list_memories(wanted, span).items
    found = tx.memories.by_version_numbers(ns)
    return [found[n] for n in ns if skill_of(found[n]) is not None]


def withdraw_if_failed(writer: MemoryWriter, memory_id: str) -> bool:
    """Supersede a kept skill that was said to have failed twice; return True if it was."""
    memory = writer.require(memory_id)
    is_kept = memory.validity is Validity.ACTIVE and skill_of(memory) is not None
    if not is_kept or memory.downvotes < FAILURES:
        return False
    writer.supersede(memory_id, f"it failed {memory.downvotes} times", END)
    return True
