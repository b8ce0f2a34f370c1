"""Derived memories: conclusions from other memories, with their sources.

A derived memory is seen where its sources are and rests on their turns. It is believed no more than
the least of them, for a reading of somebody's word is not that word.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from memoria.memories.wordings import Derivation, NewWording
from memoria.memories.writer import MemoryWriter
from memoria.model import InferredBy, Memory, MemoryType, Provenance, SourceKind, Trust, new_id
from memoria.model.provenance import NIGHTLY_CHANNEL
from memoria.policy.merging import authority
from memoria.store.values import NewMemory

END = "end"
"""Action in the audit log for a derived memory that no longer holds."""


@dataclass(frozen=True, slots=True)
class DerivedDraft:
    """A derived memory to be written."""

    type: MemoryType
    content: str
    inferred_by: InferredBy
    confidence: float
    turns: int
    """Most turns of each source to rest on, beside that of the source's wording."""
    client: str | None = None
    """Model that drew the conclusion."""
    shown: tuple[Memory, ...] = ()
    """Memories that the model was shown beside the sources."""


def least_trust(memories: Sequence[Memory]) -> Trust:
    """Return the trust in a conclusion from memories: the least of theirs, never the user's."""
    least = authority([memory.model_copy(update={"verified": False}) for memory in memories]).trust
    return Trust.TOOL if least is Trust.TOOL else Trust.REPORTED


def is_known(
    writer: MemoryWriter, draft: DerivedDraft, workspace: str | None, but: str | None
) -> bool:
    """Return whether another memory than `but` says the same in the same words, active or not."""
    known = writer.find_same(draft.content, workspace)
    return known is not None and known.id != but


def common_task(sources: Sequence[Memory]) -> str | None:
    """Return the task at which all of some memories were learnt, None without a common one."""
    tasks = {one.task for one in sources}
    return tasks.pop() if len(tasks) == 1 else None


def add_derived(
    writer: MemoryWriter, draft: DerivedDraft, sources: Sequence[Memory], at: int
) -> str:
    """Write a new derived memory and return its id."""
    memory = NewMemory(
        id=new_id(),
        type=draft.type,
        importance=sum(one.importance for one in sources) / len(sources),
        confidence=draft.confidence,
        workspace=sources[0].project,
        task=common_task(sources),
        scope="project",
    )
    writer.add(memory, _wording(draft, sources, at), "draw", _source_list(sources))
    return memory.id


def revise_derived(
    writer: MemoryWriter, memory: Memory, draft: DerivedDraft, sources: Sequence[Memory], at: int
) -> None:
    """Give a derived memory another wording from now on."""
    writer.revise(memory.id, _wording(draft, sources, at), "draw anew", _source_list(sources))


def end_derived(writer: MemoryWriter, memory: Memory, why: str) -> None:
    """Supersede a derived memory, which may be derived again."""
    writer.supersede(memory.id, why, END)


def _wording(draft: DerivedDraft, sources: Sequence[Memory], at: int) -> NewWording:
    provenance = Provenance(
        source_kind=SourceKind.CONSOLIDATED,
        trust=least_trust([*sources, *draft.shown]),
        channel=NIGHTLY_CHANNEL,
        client=draft.client,
    )
    return NewWording(
        content=draft.content,
        valid_from=at,
        provenance=provenance,
        inferred_by=draft.inferred_by,
        derivation=Derivation(
            sources=tuple(sources),
            shown=draft.shown,
            confidence=draft.confidence,
            turns_per_source=draft.turns,
        ),
    )


def _source_list(sources: Sequence[Memory]) -> str:
    return f"from {', '.join(source.id for source in sources)}"
