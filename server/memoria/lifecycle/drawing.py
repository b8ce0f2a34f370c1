"""Drawing: what a night concludes from memories becomes a memory, bound to what it was drawn from.

It is of the scope of what it was drawn from, rests on the turns of these and is believed no more
than the least of them. What the user has said about it since is not changed by any night.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memoria.graph.edges import birth_weight
from memoria.ingest.grounds import Grounds, Shown
from memoria.ingest.link import link, read_by_rules, relink
from memoria.ingest.tombstones import Marks
from memoria.lifecycle.audit import note
from memoria.lifecycle.face import Item, Night
from memoria.model import (
    NO_MEANINGS,
    Edge,
    EdgeType,
    InferredBy,
    Meanings,
    Memory,
    MemoryType,
    Node,
    Provenance,
    SourceKind,
    Trust,
    Validity,
    new_id,
)
from memoria.model.channel import NIGHT
from memoria.policy.merging import authority
from memoria.store.base import Source, Transaction
from memoria.store.files import tombstone_key
from memoria.store.values import NewMemory, NewVersion
from memoria.text.statement import fingerprint

MOST_SOURCES = 20
"""Memories that one is drawn from at most."""
_PAGE = 500
_END = "end"


class FromMemories(Item):
    """Something drawn from memories that are as they were when it was planned."""

    sources: tuple[tuple[str, int], ...] = ()
    """Their ids and present wordings, by number."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What is to be said."""

    type: MemoryType
    content: str
    by: InferredBy
    confidence: float
    turns: int
    """How many turns of each source it rests on at most, beside that of its wording."""
    subject: str | None = None
    predicate: str | None = None
    client: str | None = None
    """The model that said it."""


@dataclass(frozen=True, slots=True)
class Made:
    """A memory that a night drew, with what it was drawn from."""

    memory: Memory
    sources: tuple[Source, ...]
    kept: bool
    """Whether somebody else has decided about it: no night changes it."""

    @property
    def ids(self) -> frozenset[str]:
        """What it was drawn from; in all its wordings, where the present one is the user's."""
        return frozenset(one.id for one in self.sources if one.current or self.kept)

    @property
    def holding(self) -> list[Source]:
        """What its present wording was drawn from and still says so."""
        return [one for one in self.sources if one.current and one.standing]


def made(night: Night, kind: MemoryType) -> Iterator[Made]:
    """What nights drew of a kind, whatever became of it, in the order it was drawn."""
    after = 0
    while True:
        with night.store.read(night.tenant) as tx:
            page = tx.drawn.made(after, _PAGE)
            found = [tx.memories.get(memory_id) for _, memory_id in page]
            sources = tx.drawn.sources([memory_id for _, memory_id in page])
            kept = {one.id for one in found if one is not None and decided(tx, one)}
        if not page:
            return
        for memory in found:
            if memory is not None and memory.type is kind:
                own = (source for source in sources if source.drawn_id == memory.id)
                yield Made(memory, tuple(own), memory.id in kept)
        after = page[-1][0]


def decided(tx: Transaction, memory: Memory) -> bool:
    """Whether somebody else has decided about what a night drew.

    It was confirmed, pinned, reworded, put aside, or has made room for something that was said.
    """
    if memory.pinned or memory.verified or memory.current.provenance.channel != NIGHT:
        return True
    if memory.validity is not Validity.SUPERSEDED:
        return memory.validity is not Validity.ACTIVE
    ended = (entry for entry in tx.audit.of(memory.id) if entry.action == _END)
    return all(entry.at != memory.updated_at for entry in ended)


def as_planned(tx: Transaction, item: FromMemories) -> list[Memory] | None:
    """What something is drawn from; None where one of it was changed, put aside or forgotten."""
    found = []
    for memory_id, wording in item.sources:
        memory = tx.memories.get(memory_id)
        if memory is None or memory.current.n != wording or not _counts(memory):
            return None
        found.append(memory)
    return found if _of_one_scope(found) else None


def _counts(memory: Memory) -> bool:
    return memory.validity is Validity.ACTIVE and memory.flag is None


def _of_one_scope(memories: Sequence[Memory]) -> bool:
    return len({(memory.workspace, memory.task) for memory in memories}) == 1


def grounds(
    tx: Transaction, night: Night, by: InferredBy, meanings: Meanings = NO_MEANINGS
) -> Grounds:
    """What may be said of memories, in the tenant's own rules."""
    home = night.settings.home_path
    marks = Marks(night.tenant, lambda: tombstone_key(home))
    nothing = Shown({}, {})
    personal = night.settings.personal_data or {}
    return Grounds(tx, marks, nothing, by, NIGHT, personal, meanings)


def least_trust(memories: Sequence[Memory]) -> Trust:
    """How far what is drawn from memories is vouched for: a reading of a word is not that word."""
    least = authority([memory.model_copy(update={"verified": False}) for memory in memories]).trust
    return Trust.TOOL if least is Trust.TOOL else Trust.REPORTED


def known_already(tx: Transaction, draft: Draft, workspace: str | None, but: str | None) -> bool:
    """Whether another memory says it in the same words, whatever became of that."""
    known = tx.memories.with_fingerprint(fingerprint(draft.content), workspace)
    return known is not None and known.id != but


def write(tx: Transaction, draft: Draft, sources: Sequence[Memory], at: int) -> str:
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
    tx.memories.add(memory, _version(draft, sources, at))
    link(tx, _stored(tx, memory.id), now=at)
    _bind(tx, memory.id, draft, sources, at)
    note(tx, at, "draw", memory.id, _from(sources))
    return memory.id


def rewrite(
    tx: Transaction, memory: Memory, draft: Draft, sources: Sequence[Memory], at: int
) -> None:
    """Let a memory that was drawn before say this from now on. What it said stays its history."""
    tx.memories.add_version(memory.id, _version(draft, sources, at))
    relink(tx, _stored(tx, memory.id), read_by_rules(draft.content), now=at)
    _bind(tx, memory.id, draft, sources, at)
    note(tx, at, "draw anew", memory.id, _from(sources))


def end(tx: Transaction, memory: Memory, at: int, why: str) -> None:
    """Let it be known as something that was so. It is drawn anew if it is so again."""
    tx.memories.set_validity(memory.id, Validity.SUPERSEDED, at)
    note(tx, at, _END, memory.id, why)


def _version(draft: Draft, sources: Sequence[Memory], at: int) -> NewVersion:
    provenance = Provenance(
        source_kind=SourceKind.CONSOLIDATED,
        trust=least_trust(sources),
        channel=NIGHT,
        client=draft.client,
    )
    return NewVersion(
        content=draft.content,
        fingerprint=fingerprint(draft.content),
        valid_from=at,
        ingested_at=at,
        provenance=provenance,
        turn_n=None,
        inferred_by=draft.by,
    )


def _bind(
    tx: Transaction, memory_id: str, draft: Draft, sources: Sequence[Memory], at: int
) -> None:
    trust = least_trust(sources)
    for source in sources:
        edge = Edge(
            src=Node("memory", memory_id),
            type=EdgeType.DERIVED_FROM,
            dst=Node("memory", source.id),
            weight=birth_weight(draft.confidence, trust, at - source.current.valid_from),
            confidence=draft.confidence,
            inferred_by=draft.by,
            made_at=at,
        )
        tx.graph.put([edge])
        tx.pairs.gather(memory_id, source.id, draft.turns)


def _stored(tx: Transaction, memory_id: str) -> Memory:
    memory = tx.memories.get(memory_id)
    assert memory is not None  # noqa: S101  (it was written just now)
    return memory


def _from(sources: Sequence[Memory]) -> str:
    return f"from {', '.join(source.id for source in sources)}"
