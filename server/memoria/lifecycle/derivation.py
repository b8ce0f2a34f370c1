"""Drawing: what a night concludes from memories becomes a memory, bound to what it was drawn from.

It is of the scope of what it was drawn from, rests on the turns of these and is believed no more
than the least of them. What the user has said about it since is not changed by any night.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memoria.erasure.suppression import Digester
from memoria.graph.edges import initial_weight
from memoria.lifecycle.audit import log_action
from memoria.lifecycle.interface import Item, StepContext
from memoria.memories.links import interpretation_by_rules, link_memory, replace_interpretation
from memoria.memories.validator import OperationValidator, PromptContents
from memoria.model import (
    NO_TEXT_VECTORS,
    Edge,
    EdgeType,
    InferredBy,
    Memory,
    MemoryType,
    Node,
    Provenance,
    SourceKind,
    TextVectors,
    Trust,
    Validity,
    new_id,
)
from memoria.model.channel import NIGHTLY_CHANNEL
from memoria.policy.merging import authority
from memoria.store.base import DerivationSource, Transaction
from memoria.store.files import tombstone_key
from memoria.store.values import NewMemory, NewVersion
from memoria.text.statement import fingerprint

MOST_SOURCES = 20
"""Memories that one is drawn from at most."""
_PAGE = 500
_END = "end"


class DerivationItem(Item):
    """Something drawn from memories that are as they were when it was planned."""

    sources: tuple[tuple[str, int], ...] = ()
    """Their ids and present wordings, by number."""


@dataclass(frozen=True, slots=True)
class DerivedDraft:
    """What is to be said."""

    type: MemoryType
    content: str
    inferred_by: InferredBy
    confidence: float
    turns: int
    """How many turns of each source it rests on at most, beside that of its wording."""
    subject: str | None = None
    predicate: str | None = None
    client: str | None = None
    """The model that said it."""


@dataclass(frozen=True, slots=True)
class DerivedMemory:
    """A memory that a night drew, with what it was drawn from."""

    memory: Memory
    sources: tuple[DerivationSource, ...]
    is_decided: bool
    """Whether somebody else has decided about it: no night changes it."""

    @property
    def source_ids(self) -> frozenset[str]:
        """What it was drawn from; in all its wordings, where the present one is the user's."""
        return frozenset(one.id for one in self.sources if one.is_current or self.is_decided)

    @property
    def valid_sources(self) -> list[DerivationSource]:
        """What its present wording was drawn from and still says so."""
        return [one for one in self.sources if one.is_current and one.is_valid]


def read_derived(night: StepContext, kind: MemoryType) -> Iterator[DerivedMemory]:
    """What nights drew of a kind, whatever became of it, in the order it was drawn."""
    after = 0
    while True:
        with night.store.read(night.tenant) as tx:
            page = tx.derivations.list_derived(after, _PAGE)
            found = [tx.memories.get(memory_id) for _, memory_id in page]
            sources = tx.derivations.sources([memory_id for _, memory_id in page])
            kept = {one.id for one in found if one is not None and has_user_decision(tx, one)}
        if not page:
            return
        for memory in found:
            if memory is not None and memory.type is kind:
                own = (source for source in sources if source.derived_id == memory.id)
                yield DerivedMemory(memory, tuple(own), memory.id in kept)
        after = page[-1][0]


def has_user_decision(tx: Transaction, memory: Memory) -> bool:
    """Whether somebody else has decided about what a night drew.

    It was confirmed, pinned, reworded, put aside, or has made room for something that was said.
    """
    if memory.pinned or memory.verified or memory.current.provenance.channel != NIGHTLY_CHANNEL:
        return True
    if memory.validity is not Validity.SUPERSEDED:
        return memory.validity is not Validity.ACTIVE
    ended = (entry for entry in tx.audit.list_entries(memory.id) if entry.action == _END)
    return all(entry.at != memory.updated_at for entry in ended)


def sources_as_planned(tx: Transaction, item: DerivationItem) -> list[Memory] | None:
    """What something is drawn from; None where one of it was changed, put aside or forgotten."""
    found = []
    for memory_id, wording in item.sources:
        memory = tx.memories.get(memory_id)
        if memory is None or memory.current.n != wording or not _is_usable(memory):
            return None
        found.append(memory)
    return found if _have_one_scope(found) else None


def _is_usable(memory: Memory) -> bool:
    return memory.validity is Validity.ACTIVE and memory.flag is None


def _have_one_scope(memories: Sequence[Memory]) -> bool:
    return len({(memory.workspace, memory.task) for memory in memories}) == 1


def derivation_validator(
    tx: Transaction, night: StepContext, by: InferredBy, meanings: TextVectors = NO_TEXT_VECTORS
) -> OperationValidator:
    """What may be said of memories, in the tenant's own rules."""
    home = night.settings.home_path
    marks = Digester(night.tenant, lambda: tombstone_key(home))
    nothing = PromptContents({}, {})
    personal = night.settings.personal_data or {}
    return OperationValidator(tx, marks, nothing, by, NIGHTLY_CHANNEL, personal, meanings)


def least_trust(memories: Sequence[Memory]) -> Trust:
    """How far what is drawn from memories is vouched for: a reading of a word is not that word."""
    least = authority([memory.model_copy(update={"verified": False}) for memory in memories]).trust
    return Trust.TOOL if least is Trust.TOOL else Trust.REPORTED


def is_known(tx: Transaction, draft: DerivedDraft, workspace: str | None, but: str | None) -> bool:
    """Whether another memory says it in the same words, whatever became of that."""
    known = tx.memories.find_by_fingerprint(fingerprint(draft.content), workspace)
    return known is not None and known.id != but


def add_derived(tx: Transaction, draft: DerivedDraft, sources: Sequence[Memory], at: int) -> str:
    """Write a new memory. Gives its id."""
    memory = NewMemory(
        id=new_id(),
        type=draft.type,
        importance=sum(one.importance for one in sources) / len(sources),
        confidence=draft.confidence,
        workspace=sources[0].workspace,
        subject=draft.subject,
        predicate=draft.predicate,
        task=sources[0].task,
    )
    tx.memories.add(memory, _derived_version(draft, sources, at))
    link_memory(tx, _require_memory(tx, memory.id), now=at)
    _bind_sources(tx, memory.id, draft, sources, at)
    log_action(tx, at, "draw", memory.id, _source_list(sources))
    return memory.id


def revise_derived(
    tx: Transaction, memory: Memory, draft: DerivedDraft, sources: Sequence[Memory], at: int
) -> None:
    """Let a memory that was drawn before say this from now on. What it said stays its history."""
    tx.memories.add_version(memory.id, _derived_version(draft, sources, at))
    replace_interpretation(
        tx, _require_memory(tx, memory.id), interpretation_by_rules(draft.content), now=at
    )
    _bind_sources(tx, memory.id, draft, sources, at)
    log_action(tx, at, "draw anew", memory.id, _source_list(sources))


def end_derived(tx: Transaction, memory: Memory, at: int, why: str) -> None:
    """Let it be known as something that was so. It is drawn anew if it is so again."""
    tx.memories.set_validity(memory.id, Validity.SUPERSEDED, at)
    log_action(tx, at, _END, memory.id, why)


def _derived_version(draft: DerivedDraft, sources: Sequence[Memory], at: int) -> NewVersion:
    provenance = Provenance(
        source_kind=SourceKind.CONSOLIDATED,
        trust=least_trust(sources),
        channel=NIGHTLY_CHANNEL,
        client=draft.client,
    )
    return NewVersion(
        content=draft.content,
        fingerprint=fingerprint(draft.content),
        valid_from=at,
        ingested_at=at,
        provenance=provenance,
        turn_n=None,
        inferred_by=draft.inferred_by,
    )


def _bind_sources(
    tx: Transaction, memory_id: str, draft: DerivedDraft, sources: Sequence[Memory], at: int
) -> None:
    trust = least_trust(sources)
    for source in sources:
        edge = Edge(
            src=Node("memory", memory_id),
            type=EdgeType.DERIVED_FROM,
            dst=Node("memory", source.id),
            weight=initial_weight(draft.confidence, trust, at - source.current.valid_from),
            confidence=draft.confidence,
            inferred_by=draft.inferred_by,
            made_at=at,
        )
        tx.graph.upsert_edges([edge])
        tx.pairs.copy_evidence(memory_id, source.id, draft.turns)


def _require_memory(tx: Transaction, memory_id: str) -> Memory:
    memory = tx.memories.get(memory_id)
    assert memory is not None  # noqa: S101  (it was written just now)
    return memory


def _source_list(sources: Sequence[Memory]) -> str:
    return f"from {', '.join(source.id for source in sources)}"
