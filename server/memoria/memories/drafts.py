"""Drafts: memories as values before they are written, for a policy that is asked about them."""

from collections.abc import Callable
from dataclasses import replace

from memoria.memories.wordings import NewWording, interpretation_by_rules
from memoria.model import InferredBy, Memory
from memoria.model.memory import MemoryVersion
from memoria.model.metadata import parse_metadata
from memoria.policy.questions import HomePolicy, SentenceReading
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
        metadata=parse_metadata(memory.metadata),
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


def read_by_policy(
    policy: HomePolicy, draft: Memory, wording: NewWording, may_keep: Callable[[str], bool]
) -> NewWording:
    """Return a wording with whom, what and when a program reads in it.

    Args:
        policy: the policy that is asked.
        draft: the memory as it would be written.
        wording: its wording, with what a model or an agent has read in it, if either has.
        may_keep: returns False for a name that was forgotten.
    """
    when = wording.event_at, wording.event_expression
    read = wording.interpretation or interpretation_by_rules(wording.content, when[1], when[0])
    ours = SentenceReading(
        entities=read.mentions,
        subject=read.subject,
        negated=read.negated,
        modality=read.modality,
        event_at=when[0],
        event_expression=when[1],
    )
    theirs = policy.decide_reading(draft, ours)
    if theirs == ours:
        return wording
    mentions = tuple(one for one in theirs.entities if all(map(may_keep, one.names)))
    subject = theirs.subject if theirs.subject and may_keep(theirs.subject) else None
    at, said = theirs.event_at, theirs.event_expression
    expression = said if said and said in wording.content else None
    interpretation = replace(
        read,
        mentions=mentions,
        subject=subject,
        negated=theirs.negated,
        modality=theirs.modality,
        event_at=at,
        event_expression=expression,
        confidence=draft.confidence,
        inferred_by=InferredBy.MODEL,  # and not by our rules, which yield to it
    )
    return replace(wording, interpretation=interpretation, event_at=at, event_expression=expression)
