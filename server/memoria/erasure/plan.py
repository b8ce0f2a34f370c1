"""Plan: the records that a selection means, and other places that may speak of them."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import islice

from memoria.disk.folders import daily_path, history_path
from memoria.erasure.cascade import (
    find_dependents,
    find_unsupported,
    is_conclusion,
    list_restatements,
)
from memoria.erasure.selection import NamedRecords
from memoria.errors import InvalidInputError
from memoria.language.reading.recognition import recognition_key
from memoria.language.reading.statement import (
    Phrases,
    is_distinctive,
    is_stated_in,
    occurs_in,
    peel,
)
from memoria.language.words.analyser import word_terms
from memoria.language.words.document import full_text
from memoria.model import Memory, MemoryType, StoredTurn, now_millis
from memoria.model.forgetting import ForgetKind, HiddenRecord
from memoria.model.moments import UTC_ZONE, Zone
from memoria.model.provenance import NIGHTLY_CHANNEL
from memoria.store.rows.transaction import Transaction

_MAX_TERMS = 64
_FIRST_IDEOGRAM = "\u2e80"


@dataclass(slots=True)
class ErasurePlan:
    """Records that are to be forgotten, by id, in the order found."""

    include_source: bool
    """True if the sources are erased, and not only suppressed."""
    memories: dict[str, Memory] = field(default_factory=dict)
    kinds: dict[str, ForgetKind] = field(default_factory=dict)
    """Reason why each memory is meant, dependents included."""
    unsupported: set[str] = field(default_factory=set)
    """Ids of memories that nobody meant, and that lose every source of what they say now."""
    former_wordings: dict[int, str] = field(default_factory=dict)
    """Wordings that no longer hold, by number, with the id of the memory that keeps its others."""
    reworded: dict[str, Memory] = field(default_factory=dict)
    """Memories with forgotten former wordings, by id."""
    sources: dict[str, StoredTurn] = field(default_factory=dict)
    """Turns by id, whichever of their versions."""
    source_versions: list[StoredTurn] = field(default_factory=list)
    """The sources in all their versions."""
    named_turns: dict[str, StoredTurn] = field(default_factory=dict)
    dependents: dict[str, Memory] = field(default_factory=dict)
    """Memories derived from planned records or summing them up; they may be written anew."""
    forgotten_before: list[str] = field(default_factory=list)
    hidden: list[HiddenRecord] = field(default_factory=list)
    """Forgotten records that can still be put back."""
    kept: tuple[str, ...] = ()
    """Ids of the memories and turns that were to be kept."""
    kept_forms: frozenset[str] = frozenset()
    """Statements of the memories to be kept, in recognised form."""

    def spares(self, text: str) -> bool:
        """Check whether a memory to be kept says a text, so that the text is not forgotten."""
        words = f" {recognition_key(text)} "
        return any(words in f" {kept} " for kept in self.kept_forms)

    def list_suppressed(self, memory: Memory) -> list[str]:
        """List the wordings of a memory that may not be said again, each once."""
        texts = dict.fromkeys(version.content for version in memory.versions)
        return [text for text in texts if not self.spares(text)]

    @property
    def wordings(self) -> tuple[str, ...]:
        """Texts to be forgotten: all wordings of the memories, and the named turns."""
        texts = [text for one in self.memories.values() for text in self.list_suppressed(one)]
        turns = map(full_text, self.named_turns.values())
        texts += (text for text in turns if not self.spares(text))
        return tuple(dict.fromkeys(texts))

    @property
    def ids_to_erase(self) -> list[str]:
        """Ids of the turns that are erased, in all their versions."""
        return [version.id for version in self.source_versions] if self.include_source else []

    @property
    def phrases(self) -> Phrases:
        """Phrases that no file may say any more: wordings that go, and turns that are erased."""
        former = (v for memory in self.reworded.values() for v in memory.versions)
        texts = [version.content for version in former if version.n in self.former_wordings]
        texts += [v.content for memory in self.dependents.values() for v in memory.versions]
        if self.include_source:
            texts += filter(is_distinctive, map(full_text, self.source_versions))
        spoken = (text for text in texts if not self.spares(text))
        return Phrases([*self.wordings, *spoken])

    def find_notes(self, notes: Iterable[str]) -> list[str]:
        """Return the task names that say what is forgotten, or stand in an erased turn."""
        phrases = Phrases(self.wordings)
        erased = self.source_versions if self.include_source else [*self.named_turns.values()]
        texts = [*map(full_text, erased)]
        return [
            note
            for note in dict.fromkeys(notes)
            if not self.spares(note)
            and (phrases.occur_in(note) or any(occurs_in(note, text) for text in texts))
        ]

    @property
    def ids_with_lost_wordings(self) -> list[str]:
        """Ids of the memories of which at least one wording is forgotten."""
        return [*self.memories, *self.reworded]

    @property
    def source_ns(self) -> list[int]:
        """Row numbers of the sources, in all their versions."""
        return [version.n for version in self.source_versions]

    @property
    def earliest(self) -> int:
        """Time when the oldest record was stored, UTC epoch ms: older backups hold none."""
        moments = [memory.created_at for memory in self.memories.values()]
        moments += [turn.ingested_at for turn in self.sources.values()]
        return min(moments, default=now_millis())

    @property
    def is_empty(self) -> bool:
        """True if there is nothing to forget."""
        return not (self.memories or self.former_wordings or self.sources or self.dependents)


def plan_erasure(
    tx: Transaction, named: NamedRecords, *, include_source: bool = False
) -> ErasurePlan:
    """Plan to erase the named records, others that say the same, their sources and dependents.

    Raises:
        InvalidInputError: something is to be kept that can't be.
    """
    planner = _Planner(tx, ErasurePlan(include_source), named)
    planner.add_named(named)
    planner.follow()
    return planner.plan


class _Planner:
    """Gathers a plan within one transaction."""

    def __init__(self, tx: Transaction, plan: ErasurePlan, named: NamedRecords) -> None:
        self._tx = tx
        self.plan = plan
        self._restatements: set[str] = set()
        """Sentences that state planned memories, or from which these were concluded."""
        self._known_ns: set[int] = set()
        """The numbers of the sources, in all their versions."""
        self._kept_memories = {one.id for one in named.kept_memories}
        self._kept_ns = {n for turn in named.kept_turns for n in self._version_ns(turn)}
        plan.kept = (*self._kept_memories, *(turn.id for turn in named.kept_turns))
        plan.kept_forms = frozenset(
            recognition_key(v.content) for memory in named.kept_memories for v in memory.versions
        )
        for memory in named.kept_memories:
            for turn in _list_evidence_turns(self._tx, memory):
                self._kept_ns.update(self._version_ns(turn))

    def add_named(self, named: NamedRecords) -> None:
        """Add the named records, except those to be kept."""
        self._add_memories((one.id for one in named.memories), "memory")
        ns: list[int] = []
        for turn in named.turns:
            self.plan.named_turns[turn.id] = turn
            ns += self._add_source(turn)
        for turn in named.sources:
            self._add_source(turn)
        self._add_drawn_from(ns)
        self.plan.forgotten_before += named.forgotten_before
        self.plan.hidden += named.hidden

    def follow(self) -> None:
        """Add records that belong to the named ones, until nothing new is found."""
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
        self._add_dependents()

    def _add_dependents(self) -> None:
        found = find_dependents(self._tx, self.plan.ids_with_lost_wordings, self.plan.source_ns)
        for one in filter(None, map(self._tx.memories.get, found)):
            is_correction = found[one.id] == "correction"
            if one.id in self._kept_memories and not is_correction:
                raise InvalidInputError(
                    f"keep: {one.id} was derived from what is to be forgotten, and goes with it."
                )
            if one.id not in self._kept_memories and one.id not in self.plan.memories:
                self.plan.dependents[one.id] = one
                kind: ForgetKind = "episode" if one.type is MemoryType.EPISODE else "derived"
                self.plan.kinds[one.id] = "correction" if is_correction else kind

    def _add_equivalents(self, memory: Memory) -> None:
        """Add the memories that say the same as a memory, and the turns that it comes from.

        If the memory only falls with its sources, turns of its former wordings are left out.
        """
        self._add_memories(self._tx.pairs.list_merged_into(memory.id), "duplicate")
        falls = memory.id in self.plan.unsupported
        for version in (memory.current,) if falls else memory.versions:
            if not self.plan.spares(version.content):
                self._add_same_words(version.content)
                self._add_turns_saying(version.content)
        if falls or memory.versions[-1].provenance.channel == NIGHTLY_CHANNEL:
            return  # the turns of what was derived from memories are theirs
        for statement in list_restatements(self._tx, memory):
            if not self.plan.spares(statement):
                self._restatements.add(statement)
                self._add_same_words(statement)
                self._add_turns_saying(statement)
        for turn in _list_evidence_turns(self._tx, memory):
            self._add_source(turn)

    def _restates(self, memory: Memory) -> bool:
        """Check whether a memory says words from which a forgotten memory was concluded."""
        return any(is_stated_in(one, memory.content) for one in self._restatements)

    def _add_same_words(self, wording: str) -> None:
        """Add memories in the same words as a wording, and former wordings in the same words."""
        wanted = _key_of(wording)
        numbers = self._tx.documents.list_containing("memory", search_terms(wording))
        for memory in self._tx.memories.by_version_numbers(numbers).values():
            if _key_of(memory.content) == wanted:
                self._add_memory(memory, "duplicate")
            elif memory.id not in self._kept_memories:
                same = (v.n for v in memory.versions if _key_of(v.content) == wanted)
                self._add_former_wordings(memory, same)

    def _add_turns_saying(self, wording: str) -> None:
        """Add the turns in which a wording stands."""
        numbers = self._tx.documents.list_containing("turn", search_terms(wording))
        for turn in self._tx.conversations.turns(numbers).values():
            if is_stated_in(wording, full_text(turn)):
                self._add_source(turn)

    def _add_source(self, turn: StoredTurn) -> list[int]:
        """Add a turn with all its versions, and return the numbers of the versions."""
        versions = self._tx.conversations.turn_versions(turn)
        ns = [version.n for version in versions]
        if self._known_ns.isdisjoint(ns) and self._kept_ns.isdisjoint(ns):
            self._known_ns.update(ns)
            self.plan.sources[turn.id] = turn
            self.plan.source_versions += versions
            ns += self._add_attachments(ns)
        return ns

    def _add_attachments(self, ns: Sequence[int]) -> list[int]:
        """Add the files of a message, and return their numbers."""
        attached = self._tx.attachments.list_of_messages(ns)
        if kept := self._kept_ns.intersection(attached):
            one = self._tx.conversations.turns([*kept])[min(kept)]
            raise InvalidInputError(
                f"keep: {one.id} was sent with what is to be forgotten, and goes with it."
            )
        turns = self._tx.conversations.turns([*attached]).values()
        return [n for turn in turns for n in self._add_source(turn)]

    def _add_drawn_from(self, turn_ns: Sequence[int]) -> None:
        """Add memories with a wording or all their evidence from named turns."""
        dependents = self._tx.dependencies.list_dependents([], turn_ns)
        drawn = [one.memory_id for one in dependents if one.is_drawn_from]
        self._add_memories([*drawn, *find_unsupported(self._tx, turn_ns)], "conclusion")

    def _add_conclusions(self) -> None:
        """Add conclusions from the same words, or from erased turns alone."""
        tx, plan = self._tx, self.plan
        if plan.include_source:
            unsupported = find_unsupported(tx, plan.source_ns)
            self.plan.unsupported.update(one for one in unsupported if one not in plan.memories)
            self._add_memories(unsupported, "conclusion")
        for one in tx.dependencies.list_dependents([], plan.source_ns):
            memory = None if one.memory_id in plan.memories else tx.memories.get(one.memory_id)
            if memory is None or one.relation != "evidence":
                continue
            is_drawn = is_conclusion(one) and one.is_drawn_from
            if is_drawn and (_quotes(memory, plan.wordings) or self._restates(memory)):
                self._add_memory(memory, "conclusion")
        if plan.include_source:
            for n, memory_id in tx.dependencies.list_unsupported_wordings(plan.source_ns).items():
                is_left = memory_id not in plan.memories and memory_id not in self._kept_memories
                if is_left and (memory := tx.memories.get(memory_id)):
                    self._add_former_wordings(memory, [n])

    def _add_former_wordings(self, memory: Memory, ns: Iterable[int]) -> None:
        for n in ns:
            self.plan.former_wordings[n] = memory.id
            self.plan.reworded[memory.id] = memory

    def _add_memories(self, ids: Iterable[str], kind: ForgetKind) -> None:
        for one in filter(None, map(self._tx.memories.get, ids)):
            self._add_memory(one, kind)

    def _add_memory(self, memory: Memory, kind: ForgetKind) -> None:
        """Add a memory with the reason found first, unless the memory is to be kept."""
        if memory.id not in self._kept_memories:
            self.plan.memories.setdefault(memory.id, memory)
            self.plan.kinds.setdefault(memory.id, kind)

    def _version_ns(self, turn: StoredTurn) -> list[int]:
        return [version.n for version in self._tx.conversations.turn_versions(turn)]


def _list_evidence_turns(tx: Transaction, memory: Memory) -> list[StoredTurn]:
    """List the turns that a memory rests on, in any of its wordings."""
    turns = (tx.conversations.turn(one.turn_id) for one in tx.memories.list_evidence(memory.id))
    return [turn for turn in turns if turn is not None]


def _key_of(wording: str) -> str:
    """Return a key that is the same for every spelling and wrapping of a statement."""
    return recognition_key(peel(wording))


def _quotes(memory: Memory, wordings: Iterable[str]) -> bool:
    """Check whether a memory's quote holds a forgotten wording, or is part of one."""
    quote = memory.current.provenance.quote or ""
    return any(occurs_in(one, quote) or occurs_in(quote, one) for one in wordings)


def search_terms(wording: str) -> tuple[str, ...]:
    """Return the terms by which the index finds a wording, however its spaces are set.

    Pairs of Chinese characters are left out: there is none across a space.
    """
    terms = (one for one in word_terms(wording) if len(one) == 1 or one < _FIRST_IDEOGRAM)
    return tuple(islice(terms, _MAX_TERMS))


_CLOCKS_ON_EARTH = tuple(Zone.from_offset(hours * 60) for hours in range(-12, 15))
"""Zones, one for each hour: any present day on earth is the day in one of these."""


def list_affected(tx: Transaction, plan: ErasurePlan) -> tuple[str, ...]:
    """Return ids of memories that stay, but rest on an erased turn or hold a forgotten wording."""
    ids = list(plan.memories)
    erased = plan.source_ns if plan.include_source else []
    dependents = tx.dependencies.list_dependents([], erased)
    resting = [one.memory_id for one in dependents if one.is_drawn_from]
    derived_from = [source.id for source in tx.derivations.sources(ids)]
    merged_into = tx.pairs.merge_targets(ids).values()
    affected = {*resting, *derived_from, *merged_into, *_list_holding(tx, plan)}
    return tuple(sorted(affected - {*ids, *plan.dependents}))


def _list_holding(tx: Transaction, plan: ErasurePlan) -> Iterator[str]:
    """Yield the ids of memories whose present wording contains a forgotten wording."""
    for wording in plan.wordings:
        numbers = tx.documents.list_containing("memory", search_terms(wording))
        for memory in tx.memories.by_version_numbers(numbers).values():
            if occurs_in(wording, memory.content):
                yield memory.id


def list_places(tx: Transaction, plan: ErasurePlan) -> set[str]:
    """Return the nightly files about a plan's records: of their conversations and days."""
    turns = plan.sources.values()
    memories = {**plan.memories, **plan.reworded, **plan.dependents}.values()
    moments = [(turn.at, turn.utc_offset) for turn in turns]
    moments += tx.days.list_episode_ends(plan.source_ns)
    for memory in memories:
        moments.append((memory.updated_at, None))
        moments += [(version.ingested_at, version.utc_offset) for version in memory.versions]
    days = {day for moment, offset in moments for day in _days_of(moment, offset)}
    sessions = {history_path(turn.source, turn.session_id) for turn in turns}
    return {*sessions, *map(daily_path, days)}


def _days_of(moment: int, offset: int | None) -> set[date]:
    """Return the days whose pages may tell of a moment.

    A page is filed by the speaker's clock, otherwise by that of the home, which may have been any
    on earth before somebody set the zone.
    """
    clocks = (*_CLOCKS_ON_EARTH, UTC_ZONE.at_offset(moment, offset))
    return {day for each in clocks if (day := each.date_of(moment)) is not None}


def texts_in_plans(phrases: Phrases) -> Iterator[str]:
    """Yield the phrases to look for in an unfinished nightly run's plan, escaped as in JSON."""
    return (json.dumps(text, ensure_ascii=False)[1:-1] for text in phrases.distinctive.statements)
