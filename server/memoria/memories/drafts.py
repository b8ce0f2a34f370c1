"""Drafts: memories as values before they are written, for a policy that is asked about them."""

from memoria.memories.wordings import NewWording
from memoria.model import Memory
from memoria.model.memory import MemoryVersion
from memoria.store.values import NewMemory


def describe_new(memory: NewMemory, wording: NewWording, now: int) -> Memory:
    """Return a memory that is about to be written as it would be, without a number yet."""
    return Memory(
        id=memory.id,
        type=memory.type,
        validity=memory.validity,
        importance=memory.importance,
        confidence=memory.confidence,
        pinned=False,
        verified=False,
        upvotes=0,
        downvotes=0,
        created_at=now,
        updated_at=now,
        workspace=memory.workspace,
        scope=memory.scope or "everywhere",
        subject=memory.subject,
        predicate=memory.predicate,
        task=memory.task,
        expires_at=wording.expires_at,
        flag=memory.flag,
        versions=(_describe_version(wording, 1, now),),
    )


def describe_revised(memory: Memory, wording: NewWording, now: int) -> Memory:
    """Return a memory as it would be with a new wording; the former ones stand behind it."""
    version = _describe_version(wording, memory.current.version + 1, now)
    given = {name: getattr(wording, name) for name in ("type", "subject", "predicate", "task")}
    changes = {name: value for name, value in given.items() if value is not None}
    return memory.model_copy(
        update={
            **changes,
            "importance": memory.importance if wording.importance is None else wording.importance,
            "expires_at": wording.expires_at,
            "updated_at": now,
            "versions": (version, *memory.versions),
        }
    )


def _describe_version(wording: NewWording, number: int, now: int) -> MemoryVersion:
    return MemoryVersion(
        n=0,
        version=number,
        content=wording.content,
        valid_from=wording.valid_from,
        valid_to=None,
        ingested_at=now,
        provenance=wording.provenance,
        inferred_by=wording.inferred_by,
        event_at=wording.event_at,
        event_expression=wording.event_expression,
    )
