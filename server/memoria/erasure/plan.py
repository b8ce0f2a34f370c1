"""Plan: what is meant by the ids that were given.

A memory is forgotten in all its wordings, wherever the same words are kept as a memory. The turns
that it rests on, and those in which a wording stands word for word, are its sources. A turn is
forgotten as a source: what was concluded from it is meant, too.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from memoria.erasure.cascade import (
    find_dependents,
    find_unsupported,
    is_conclusion,
)
from memoria.errors import InvalidInputError
from memoria.model import Memory, StoredTurn, now_millis
from memoria.model.channel import NIGHTLY_CHANNEL
from memoria.store.base import Transaction
from memoria.store.not_found import not_found
from memoria.text.analyser import query_terms
from memoria.text.document import full_text
from memoria.text.phrases import Phrases
from memoria.text.statement import canonical_form, is_distinctive, occurs_in

_MAX_TERMS = 64


@dataclass(slots=True)
class ErasurePlan:
    """What is to be forgotten, by id, in the order found."""

    include_source: bool
    """Whether the sources are erased, and not only suppressed."""
    memories: dict[str, Memory] = field(default_factory=dict)
    former_wordings: dict[int, str] = field(default_factory=dict)
    """Wordings that no longer hold, by number, with the id of the memory that keeps its others."""
    reworded: dict[str, Memory] = field(default_factory=dict)
    """The memories that these are of."""
    sources: dict[str, StoredTurn] = field(default_factory=dict)
    """A turn each, whichever of its versions."""
    source_versions: list[StoredTurn] = field(default_factory=list)
    """The sources in all their versions."""
    named_turns: dict[str, StoredTurn] = field(default_factory=dict)
    dependents: dict[str, Memory] = field(default_factory=dict)
    """What was derived from any of it or sums it up. It goes, but may be written anew."""
    forgotten_before: list[str] = field(default_factory=list)

    @property
    def wordings(self) -> tuple[str, ...]:
        """Every wording of every memory, and the texts of turns that were named."""
        texts = [v.content for memory in self.memories.values() for v in memory.versions]
        texts += [full_text(turn) for turn in self.named_turns.values()]
        return tuple(dict.fromkeys(texts))

    @property
    def ids_to_erase(self) -> list[str]:
        """Ids of the turns that are erased, in all their versions."""
        return [version.id for version in self.source_versions] if self.include_source else []

    @property
    def phrases(self) -> Phrases:
        """What no file may say any more: all wordings that go, and turns that are erased."""
        former = (v for memory in self.reworded.values() for v in memory.versions)
        texts = [version.content for version in former if version.n in self.former_wordings]
        texts += [v.content for memory in self.dependents.values() for v in memory.versions]
        erased = map(full_text, self.source_versions) if self.include_source else ()
        return Phrases([*self.wordings, *texts, *filter(is_distinctive, erased)])

    @property
    def ids_with_lost_wordings(self) -> list[str]:
        """Ids of the memories of which at least one wording is forgotten."""
        return [*self.memories, *self.reworded]

    @property
    def source_ns(self) -> list[int]:
        """The numbers of the sources, in all their versions."""
        return [version.n for version in self.source_versions]

    @property
    def earliest(self) -> int:
        """When the oldest of it was stored, UTC epoch ms: no older backup holds any of it."""
        moments = [memory.created_at for memory in self.memories.values()]
        moments += [turn.ingested_at for turn in self.sources.values()]
        return min(moments, default=now_millis())


def check_ids(ids: Sequence[str]) -> list[str]:
    """The ids, each once.

    Raises:
        InvalidInputError: there are none.
    """
    if isinstance(ids, str) or not ids:
        raise InvalidInputError("ids is empty: give a list of memory or turn ids from a search.")
    return list(dict.fromkeys(ids))


def plan_erasure(tx: Transaction, ids: Sequence[str], *, include_source: bool) -> ErasurePlan:
    """Find the memories and turns that the ids name, and whatever says the same or is their source.

    Raises:
        NotFoundError: an id is unknown.
    """
    planner = _Planner(tx, ErasurePlan(include_source))
    for record_id in ids:
        planner.add_named(record_id)
    planner.follow()
    return planner.plan


class _Planner:
    """Gathers a plan within one transaction."""

    def __init__(self, tx: Transaction, plan: ErasurePlan) -> None:
        self._tx = tx
        self.plan = plan
        self._unsupported: set[str] = set()
        """Memories that nobody meant, and that lose every source of what they say now."""

    def add_named(self, record_id: str) -> None:
        """Add what has this id.

        Raises:
            NotFoundError: nothing has it, nor ever had.
        """
        memory, turn = self._tx.memories.get(record_id), self._tx.conversations.turn(record_id)
        if memory is not None:
            self.plan.memories[memory.id] = memory
        elif turn is not None:
            self.plan.named_turns[turn.id] = turn
            self._add_drawn_from(self._add_source(turn))
        elif self._tx.tombstones.get(record_id) is not None:
            self.plan.forgotten_before.append(record_id)
        else:
            raise not_found(self._tx, "memory", record_id)

    def follow(self) -> None:
        """Add what belongs to what was named, until nothing new is found."""
        visited: set[str] = set()
        waiting = list(self.plan.memories.values())
        while True:
            for memory in waiting:
                self._add_equivalents(memory)
            visited.update(memory.id for memory in waiting)
            self._add_conclusions()
            waiting = [one for one in self.plan.memories.values() if one.id not in visited]
            if not waiting:
                break
        ids = find_dependents(self._tx, self.plan.ids_with_lost_wordings, self.plan.source_ns)
        dependents = map(self._tx.memories.get, ids)
        self.plan.dependents = {
            one.id: one for one in dependents if one and one.id not in self.plan.memories
        }

    def _add_equivalents(self, memory: Memory) -> None:
        """Add what says the same as a memory, and the turns it comes from.

        Of one that only falls with what was meant, the turns of its former wordings are none.
        """
        self._add_memories(self._tx.pairs.list_merged_into(memory.id))
        falls = memory.id in self._unsupported
        for version in (memory.current,) if falls else memory.versions:
            self._add_same_words(version.content)
            self._add_turns_saying(version.content)
        if falls or memory.versions[-1].provenance.channel == NIGHTLY_CHANNEL:
            return  # the turns of what was derived from memories are theirs
        for evidence in self._tx.memories.list_evidence(memory.id):
            turn = self._tx.conversations.turn(evidence.turn_id)
            if turn is not None:
                self._add_source(turn)

    def _add_same_words(self, wording: str) -> None:
        """Add memories that say the same in the same words, and wordings that once did."""
        canonical = canonical_form(wording)
        numbers = self._tx.documents.list_containing("memory", search_terms(wording))
        for memory in self._tx.memories.by_version_numbers(numbers).values():
            if canonical_form(memory.content) == canonical:
                self.plan.memories[memory.id] = memory
            else:
                same = (v.n for v in memory.versions if canonical_form(v.content) == canonical)
                self._add_former_wordings(memory, same)

    def _add_turns_saying(self, wording: str) -> None:
        """Add the turns in which a wording stands."""
        numbers = self._tx.documents.list_containing("turn", search_terms(wording))
        for turn in self._tx.conversations.turns(numbers).values():
            if occurs_in(wording, full_text(turn)):
                self._add_source(turn)

    def _add_source(self, turn: StoredTurn) -> list[int]:
        """Add a turn, once for all of its versions. Gives their numbers."""
        versions = self._tx.conversations.turn_versions(turn)
        known = {version.n for version in self.plan.source_versions}
        if turn.n not in known:
            self.plan.sources[turn.id] = turn
            self.plan.source_versions += versions
        return [version.n for version in versions]

    def _add_drawn_from(self, turn_ns: Sequence[int]) -> None:
        """Add what has a wording that came from a named turn, or rests on nothing else."""
        dependents = self._tx.dependencies.list_dependents([], turn_ns)
        drawn = [one.memory_id for one in dependents if one.is_drawn_from]
        self._add_memories([*drawn, *find_unsupported(self._tx, turn_ns)])

    def _add_conclusions(self) -> None:
        """Add what was concluded from the same words, or from nothing else than is erased."""
        tx, plan = self._tx, self.plan
        if plan.include_source:
            unsupported = find_unsupported(tx, plan.source_ns)
            self._unsupported.update(one for one in unsupported if one not in plan.memories)
            self._add_memories(unsupported)
        for one in tx.dependencies.list_dependents([], plan.source_ns):
            memory = None if one.memory_id in plan.memories else tx.memories.get(one.memory_id)
            if memory is None or one.relation != "evidence":
                continue
            if is_conclusion(one) and one.is_drawn_from and _quotes(memory, plan.wordings):
                plan.memories[memory.id] = memory
        if plan.include_source:
            for n, memory_id in tx.dependencies.list_unsupported_wordings(plan.source_ns).items():
                if memory_id not in plan.memories and (memory := tx.memories.get(memory_id)):
                    self._add_former_wordings(memory, [n])

    def _add_former_wordings(self, memory: Memory, ns: Iterable[int]) -> None:
        for n in ns:
            self.plan.former_wordings[n] = memory.id
            self.plan.reworded[memory.id] = memory

    def _add_memories(self, ids: Iterable[str]) -> None:
        found = map(self._tx.memories.get, ids)
        self.plan.memories.update((one.id, one) for one in found if one is not None)


def _quotes(memory: Memory, wordings: Iterable[str]) -> bool:
    """Whether the words it was concluded from hold a forgotten wording, or are part of one."""
    quote = memory.current.provenance.quote or ""
    return any(occurs_in(one, quote) or occurs_in(quote, one) for one in wordings)


def search_terms(wording: str) -> tuple[str, ...]:
    """The terms by which the index finds a wording again."""
    return query_terms(wording)[:_MAX_TERMS]
