"""Merge: memories that say the same become one, which rests on all that they rested on.

The survivor's wording stays as it is, and so do those of the others, in the record: they are
superseded and known to be merged into it. What is to be believed of it is no more than of the least
of them, unless the user has confirmed it.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from memoria.graph.edges import birth_weight
from memoria.ingest.link import connect
from memoria.lifecycle.adjudicate import rulings
from memoria.lifecycle.audit import note
from memoria.lifecycle.candidates import Candidates, candidates
from memoria.lifecycle.face import Applied, Item, Night
from memoria.lifecycle.since import last_done
from memoria.model import Edge, EdgeType, Memory, Node, Relation, Validity
from memoria.model.night import Outcome
from memoria.policy.merging import Pair, authority, groups, may_merge, survivor
from memoria.store.base import Transaction

_AT_ONCE = 10
"""Turns that one item lets the survivor rest on as well."""
_HOW_SURE = 0.7
"""How sure a model's word is that two memories contradict each other."""


class Paired(Item):
    """Two memories and what is to be done with them."""

    do: Literal["gather", "merge", "contradict", "keep apart"]
    one: str
    """The survivor, where one of them is merged."""
    other: str
    wordings: tuple[int, int]
    """Their present wordings, by number: what was ruled upon."""


class Merge:
    """Merges what says the same."""

    name = "merge"
    item = Paired
    rows = 120

    def reduced(self, night: Night) -> str | None:
        """Without a model only what is next to identical is merged."""
        if night.gate is None:
            return "without a chat model only what is next to identical by rule is merged"
        return night.short.get(self.name)

    def plan(self, night: Night) -> Iterator[Paired]:
        """What is next to identical, and what a model found to be so."""
        found = _without_taken_back(
            night, candidates(night, last_done(night, self.name), ask=night.gate is not None)
        )
        ruled: dict[Pair, Relation] = {}
        if night.gate is not None:
            ruled, short = rulings(night, night.gate, found.memories, found.doubtful)
            night.short.update({} if short is None else {self.name: short})
        same = [*found.same, *(pair for pair, relation in ruled.items() if relation == "same")]
        two = {pair for pair, relation in ruled.items() if relation != "same"}
        for group in groups(found.memories, same, two):
            yield from _merging(group)
        for pair, relation in ruled.items():
            if relation != "same":
                yield _two(found.memories, pair, relation)

    def apply(self, tx: Transaction, item: Paired, night: Night) -> Applied:
        """Do it, unless one of them was changed or forgotten since."""
        one, other = tx.memories.get(item.one), tx.memories.get(item.other)
        if one is None or other is None or not _as_planned(item, one, other):
            return Applied(Outcome.CHANGED_SINCE, item.other)
        match item.do:
            case "gather":
                tx.pairs.gather(one.id, other.id, _AT_ONCE)
            case "merge":
                _merge(tx, one, other, night.at)
                return Applied(Outcome.DONE, other.id, f"merged into {one.id}: it says the same")
            case "contradict":
                tx.pairs.keep_apart(one.id, other.id)
                connect(tx, other, EdgeType.CONTRADICTS, one.id, _HOW_SURE, now=night.at)
                return Applied(Outcome.DONE, other.id, f"may contradict {one.id}")
            case "keep apart":
                tx.pairs.keep_apart(one.id, other.id)
        return Applied(Outcome.DONE)


def _without_taken_back(night: Night, found: Candidates) -> Candidates:
    """Without what was merged before and taken back out by the user."""
    with night.store.read(night.tenant) as tx:
        merged = tx.pairs.merged(list(found.memories))
    back = {(min(one, other), max(one, other)) for one, other in merged.items()}
    found.same = [pair for pair in found.same if pair not in back]
    found.doubtful = [pair for pair in found.doubtful if pair not in back]
    return found


def _merging(group: Iterable[Memory]) -> Iterator[Paired]:
    members = sorted(group, key=lambda memory: memory.id)
    kept = survivor(members)
    for other in members:
        if other is not kept:
            pieces = range(other.evidence // _AT_ONCE)
            yield from (_item("gather", kept, other, piece) for piece in pieces)
            yield _item("merge", kept, other)


def _two(memories: Mapping[str, Memory], pair: Pair, relation: Relation) -> Paired:
    one, other = sorted((memories[i] for i in pair), key=lambda m: (m.current.valid_from, m.id))
    return _item("keep apart" if relation == "different" else "contradict", one, other)


def _item(
    do: Literal["gather", "merge", "contradict", "keep apart"],
    one: Memory,
    other: Memory,
    piece: int = 0,
) -> Paired:
    return Paired(
        key=f"{do}|{one.id}|{other.id}|{piece}",
        do=do,
        one=one.id,
        other=other.id,
        wordings=(one.current.n, other.current.n),
    )


def _as_planned(item: Paired, one: Memory, other: Memory) -> bool:
    if (one.current.n, other.current.n) != item.wordings or not may_merge(one, other):
        return False
    return item.do not in ("gather", "merge") or survivor([one, other]) is one


def _merge(tx: Transaction, one: Memory, other: Memory, at: int) -> None:
    said = authority([one, other])
    tx.pairs.gather(one.id, other.id, _AT_ONCE)
    tx.pairs.take_in(one.id, other.id, said.trust.value, said.confidence)
    tx.memories.set_validity(other.id, Validity.SUPERSEDED, at)
    tx.pairs.note_merged(other.id, one.id)
    tx.graph.put([_next(one, other, at)])
    _audit(tx, at, one, f"took in {other.id}; {_was(one)}")
    _audit(tx, at, other, f"into {one.id}")


def _next(one: Memory, other: Memory, at: int) -> Edge:
    """The survivor takes the other's place."""
    version = one.current
    return Edge(
        src=Node("memory", other.id),
        type=EdgeType.VERSION_NEXT,
        dst=Node("memory", one.id),
        weight=birth_weight(1.0, version.provenance.trust, at - version.valid_from),
        confidence=1.0,
        made_at=at,
    )


def _was(memory: Memory) -> str:
    """How far it was believed until now."""
    return (
        f"trust {memory.current.provenance.trust.value}, confidence {memory.confidence:.2f} before"
    )


def _audit(tx: Transaction, at: int, memory: Memory, detail: str) -> None:
    note(tx, at, "merge", memory.id, detail)
