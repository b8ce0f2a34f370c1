"""Forget: erase memories everywhere they are, and see that they don't come back.

A memory is forgotten in all its wordings, wherever the same words were kept as a memory. The turns
it rests on, and those in which a wording stands word for word, are its sources. They stay in the
verbatim record unless `include_source` is given, but nothing is concluded from them any more.
Naming a turn forgets it as a source: what was drawn from it goes too.

First the tombstones and the deletions, in one transaction; then the file is scrubbed, which can be
stopped and repeated. A tombstone holds ids, a date and HMACs, never a word of what was forgotten.
"""

import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memoria.admin.backup import list_backups
from memoria.erasure.suppression import Digester
from memoria.errors import EmbedderError, InvalidInputError, StoreError
from memoria.ingest.dismiss import delete_derived, delete_episodes
from memoria.model import (
    Channel,
    ForgetResult,
    InferredBy,
    Memory,
    MemoryType,
    RemainingBackup,
    StoredTurn,
    local_date,
    now_millis,
)
from memoria.model.channel import NIGHTLY_CHANNEL
from memoria.store.base import Store, Transaction
from memoria.store.erasing import TextFileEraser
from memoria.store.folders import daily_path, history_path
from memoria.store.not_found import not_found
from memoria.store.values import SuppressedMeaning, Tombstone, TombstoneRecord
from memoria.text.analyser import query_terms
from memoria.text.document import full_text
from memoria.text.phrases import Phrases
from memoria.text.statement import canonical_form, is_distinctive, occurs_in

_LOG = logging.getLogger(__name__)
_MAX_TERMS = 64
_MAX_REASON_CHARS = 200
MeaningLookup = Callable[[Sequence[str]], Mapping[str, SuppressedMeaning]]
"""What texts mean, by text; leaves out what it can't tell."""


@dataclass(slots=True)
class _Targets:
    """What is to be forgotten, by id, in the order found."""

    memories: dict[str, Memory] = field(default_factory=dict)
    old_wordings: dict[int, str] = field(default_factory=dict)
    """Wordings that no longer hold, by number, and the memories they are of."""
    sources: dict[str, StoredTurn] = field(default_factory=dict)
    named_turns: dict[str, StoredTurn] = field(default_factory=dict)
    gone_before: list[str] = field(default_factory=list)

    @property
    def wordings(self) -> tuple[str, ...]:
        """Every wording of every memory, and the texts of turns that were named."""
        said = [v.content for memory in self.memories.values() for v in memory.versions]
        said += [full_text(turn) for turn in self.named_turns.values()]
        return tuple(dict.fromkeys(said))

    @property
    def earliest(self) -> int:
        """When the oldest of it was kept, UTC epoch ms: no older backup holds any of it."""
        kept = [memory.created_at for memory in self.memories.values()]
        kept += [turn.ingested_at for turn in self.sources.values()]
        return min(kept, default=now_millis())


class Eraser:
    """Forgets for one tenant."""

    def __init__(
        self,
        store: Store,
        tenant: str,
        channel: Channel,
        marks: Digester,
        home: Path,
        backup_keep_days: float,
        likeness: MeaningLookup | None = None,
    ) -> None:
        """Nothing is forgotten yet.

        Args:
            store: from where.
            tenant: whose.
            channel: who wants it.
            marks: makes what tombstones know again.
            home: the data folder.
            backup_keep_days: how long backups are kept.
            likeness: what texts mean, to be kept with their tombstones; nothing without.
        """
        self._store = store
        self._tenant = tenant
        self._channel = channel
        self._marks = marks
        self._home = home
        self._keep_days = backup_keep_days
        self._likeness = likeness

    def run(
        self, ids: Sequence[str], *, include_source: bool = False, reason: str | None = None
    ) -> ForgetResult:
        """Forget. What was forgotten before counts as done, so a broken off call can be repeated.

        Args:
            ids: of memories or turns.
            include_source: erase the turns it came from as well, from the verbatim record.
            reason: in a few words, shown when somebody tries to bring it back. It is kept: it
                must not say what was forgotten.

        Raises:
            InvalidInputError: no id was given, or the reason is too long.
            NotFoundError: an id is unknown. Nothing was forgotten.
        """
        why = self._reason(reason)
        wanted = _distinct(ids)
        with self._store.read(self._tenant) as tx:
            before = _find(tx, wanted, include_source=include_source)
            written = _written(tx)
        likenesses = self._likenesses(before.wordings)
        papers = TextFileEraser(self._home, self._tenant)  # a long look, while others may write
        files = papers.erase_phrases(_sayings(before, include_source=include_source), written)
        with self._store.write(self._tenant) as tx:
            targets = _find(tx, wanted, include_source=include_source)
            left = _drew_on(tx, targets, include_source=include_source)
            places = _speak_of(tx, targets)
            at = now_millis()
            numbers, ours = _numbers(tx, targets), targets.memories
            for memory_id in delete_derived(tx, _worded(targets), numbers, spared=ours):
                self._audit(tx, "forget", memory_id)
            for memory in targets.memories.values():
                self._bury_memory(tx, memory, at, why, likenesses)
            for n, memory_id in targets.old_wordings.items():
                if memory_id not in targets.memories and tx.memories.get(memory_id):
                    tx.memories.erase_wording(memory_id, n)
            for turn in targets.named_turns.values():
                self._bury_text(tx, turn, at, why)
            for memory_id in delete_episodes(tx, numbers):
                self._audit(tx, "forget", memory_id)
            for turn in targets.sources.values():
                if include_source:
                    self._erase_turn(tx, turn, at, why)
                else:
                    self._bar_turn(tx, turn, at, why)
            sayings = Phrases(targets.wordings)
            erased = targets.sources if include_source else targets.named_turns
            tx.scratchpads.erase(
                lambda note: sayings.occur_in(note) or _named_in(note, erased.values())
            )
            sayings = _sayings(targets, include_source=include_source)
            files += _erase_files(tx, papers, sayings, places)
            tx.nightly_runs.drop_items([*places, *_in_plans(sayings)])
            for place in papers.list_places(files):
                tx.file_records.forget(place)
        turns = tuple(targets.sources)
        return ForgetResult(
            memories=tuple(targets.memories),
            turns_erased=turns if include_source else (),
            turns_suppressed=() if include_source else turns,
            already_forgotten=tuple(targets.gone_before),
            related_memories=left,
            files=tuple(map(str, dict.fromkeys(files))),
            scrubbed=self._scrubbed(),
            backups=self._backups(targets.earliest),
        )

    def _likenesses(self, wordings: Sequence[str]) -> Mapping[str, SuppressedMeaning]:
        """What is to be forgotten means, asked before anybody has to wait to write."""
        if self._likeness is None:
            return {}
        try:
            return self._likeness(wordings)
        except EmbedderError as error:
            _LOG.warning("Forgotten by its words only, for what it means can't be told: %s", error)
            return {}

    def _scrubbed(self) -> bool:
        """Whether the file is clean. A full disk undoes nothing of what was forgotten."""
        try:
            return self._store.scrub()
        except StoreError as error:
            _LOG.warning("Forgotten, but not yet wiped from the file: %s", error)
            return False

    def _backups(self, since: int) -> tuple[RemainingBackup, ...]:
        """The backups made since something of it was kept: they still hold it."""
        return tuple(
            RemainingBackup(path=str(info.path), made_at=info.made_at, kept_until=info.kept_until)
            for info in list_backups(self._home, self._keep_days)
            if info.made_at >= since
        )

    def _bury_memory(
        self,
        tx: Transaction,
        memory: Memory,
        at: int,
        why: str,
        known: Mapping[str, SuppressedMeaning],
    ) -> None:
        texts = list(dict.fromkeys(version.content for version in memory.versions))
        marks = dict.fromkeys(map(self._marks.digest_statement, texts))
        likenesses = tuple(known[text] for text in texts if text in known)
        tx.tombstones.add(
            TombstoneRecord(Tombstone("memory", memory.id, at, why), tuple(marks), likenesses)
        )
        tx.episodes.stop_summarising(memory.id, at)
        tx.memories.erase(memory.id)
        self._audit(tx, "forget", memory.id)

    def _bury_text(self, tx: Transaction, turn: StoredTurn, at: int, why: str) -> None:
        """Let nobody conclude again what a named turn said as a whole."""
        mark = self._marks.digest_statement(full_text(turn))
        tx.tombstones.add(TombstoneRecord(Tombstone("memory", turn.id, at, why), (mark,)))

    def _bar_turn(self, tx: Transaction, turn: StoredTurn, at: int, why: str) -> None:
        """Let nothing be concluded from a turn, nor in a home that a backup is restored into."""
        for version in tx.conversations.turn_versions(turn):
            tx.tombstones.add(TombstoneRecord(Tombstone("memory", version.id, at, why), ()))
        tx.conversations.suppress_turn(turn)
        self._audit(tx, "bar", turn.id)

    def _erase_turn(self, tx: Transaction, turn: StoredTurn, at: int, why: str) -> None:
        versions = tx.conversations.turn_versions(turn)
        texts = [self._marks.digest_turn(full_text(version)) for version in versions]
        names = [self._marks.digest_message(name) for name in tx.conversations.erase_turn(turn)]
        for version in versions:
            marks = tuple(set().union(*texts, *names))
            tx.tombstones.add(TombstoneRecord(Tombstone("turn", version.id, at, why), marks))
            self._audit(tx, "erase", version.id)

    def _reason(self, reason: str | None) -> str:
        by = self._channel.description
        if reason is None:
            return by
        if len(reason) > _MAX_REASON_CHARS:
            raise InvalidInputError(f"reason has at most {_MAX_REASON_CHARS} characters.")
        return f"{by}: {' '.join(reason.split())}"

    def _audit(self, tx: Transaction, action: str, subject: str) -> None:
        tx.audit.add(
            at=now_millis(),
            channel=self._channel.name,
            client=self._channel.client,
            action=action,
            subject=subject,
        )


def _distinct(ids: Sequence[str]) -> list[str]:
    if isinstance(ids, str) or not ids:
        raise InvalidInputError("ids is empty: give a list of memory or turn ids from a search.")
    return list(dict.fromkeys(ids))


def _find(tx: Transaction, ids: Sequence[str], *, include_source: bool) -> _Targets:
    """The memories and turns the ids name, with whatever says the same or is their source."""
    targets = _Targets()
    for record_id in ids:
        _add_named(tx, record_id, targets)
    looked_at: set[str] = set()
    while waiting := [m for m in targets.memories.values() if m.id not in looked_at]:
        for memory in waiting:
            looked_at.add(memory.id)
            _add_what_says_the_same(tx, memory, targets)
        _add_concluded(tx, targets, include_source=include_source)
    return targets


def _add_what_says_the_same(tx: Transaction, memory: Memory, targets: _Targets) -> None:
    _add_merged(tx, memory, targets)
    for version in memory.versions:
        _add_same(tx, version.content, targets)
        _add_sources(tx, version.content, targets)
    if memory.versions[-1].provenance.channel == NIGHTLY_CHANNEL:
        return  # it rests on memories, and their turns are theirs
    for evidence in tx.memories.list_evidence(memory.id):
        _add_source(tx.conversations.turn(evidence.turn_id), targets)


def _add_named(tx: Transaction, record_id: str, targets: _Targets) -> None:
    memory, turn = tx.memories.get(record_id), tx.conversations.turn(record_id)
    if memory is not None:
        targets.memories[memory.id] = memory
    elif turn is not None:
        targets.named_turns[turn.id] = turn
        _add_source(turn, targets)
        for drawn in _resting_on(tx, [turn.n]):
            targets.memories[drawn.id] = drawn
    elif tx.tombstones.get(record_id) is not None:
        targets.gone_before.append(record_id)
    else:
        raise not_found(tx, "memory", record_id)


def _add_merged(tx: Transaction, memory: Memory, targets: _Targets) -> None:
    """What a night has merged into it, which says the same in other words."""
    for memory_id in tx.pairs.list_merged_into(memory.id):
        merged = tx.memories.get(memory_id)
        if merged is not None:
            targets.memories[merged.id] = merged


def _add_same(tx: Transaction, wording: str, targets: _Targets) -> None:
    """Memories that say the same in the same words, and wordings that once did."""
    said = canonical_form(wording)
    found = tx.memories.by_version_numbers(tx.documents.list_containing("memory", _terms(wording)))
    for memory in found.values():
        if canonical_form(memory.content) == said:
            targets.memories[memory.id] = memory
            continue
        same = (v.n for v in memory.versions if canonical_form(v.content) == said)
        targets.old_wordings.update((n, memory.id) for n in same)


def _add_sources(tx: Transaction, wording: str, targets: _Targets) -> None:
    """Turns in which the wording stands."""
    found = tx.conversations.turns(tx.documents.list_containing("turn", _terms(wording)))
    for turn in found.values():
        if occurs_in(wording, full_text(turn)):
            _add_source(turn, targets)


def _add_concluded(tx: Transaction, targets: _Targets, *, include_source: bool) -> None:
    """What rules or a model concluded from the same words, and from nothing else than is erased.

    Nobody stated it, so it has no standing of its own.
    """
    for memory in _resting_on(tx, _numbers(tx, targets)):
        version = memory.current
        if version.inferred_by is InferredBy.STATEMENT:
            continue
        alone = include_source and memory.evidence == 1
        if alone or _same_words(version.provenance.quote or "", targets.wordings):
            targets.memories[memory.id] = memory


def _numbers(tx: Transaction, targets: _Targets) -> list[int]:
    """The sources, in all their versions."""
    sources = targets.sources.values()
    return [version.n for turn in sources for version in tx.conversations.turn_versions(turn)]


def _same_words(quote: str, wordings: Iterable[str]) -> bool:
    return any(occurs_in(one, quote) or occurs_in(quote, one) for one in wordings)


def _add_source(turn: StoredTurn | None, targets: _Targets) -> None:
    """A turn, once for all of its versions."""
    known = {(known.session_n, known.turn_index) for known in targets.sources.values()}
    if turn is not None and (turn.session_n, turn.turn_index) not in known:
        targets.sources[turn.id] = turn


def _drew_on(tx: Transaction, targets: _Targets, *, include_source: bool) -> tuple[str, ...]:
    """Memories that stay, but rest on a turn to be erased or hold a forgotten wording."""
    ns = [turn.n for turn in targets.sources.values()] if include_source else []
    resting = [memory.id for memory in _resting_on(tx, ns)]
    turns = _numbers(tx, targets)
    dismissed = [
        *tx.episodes.list_over_turns(turns),
        *tx.derivations.list_resting_on(_worded(targets), turns),
    ]
    sources = [source.id for source in tx.derivations.sources(list(targets.memories))]
    holding = [
        memory.id
        for wording in targets.wordings
        for memory in tx.memories.by_version_numbers(
            tx.documents.list_containing("memory", _terms(wording))
        ).values()
        if occurs_in(wording, memory.content)
    ]
    taken_in = tx.pairs.merge_targets(list(targets.memories)).values()
    return tuple(
        sorted({*resting, *holding, *taken_in, *sources} - {*targets.memories, *dismissed})
    )


def _worded(targets: _Targets) -> list[str]:
    """Ids of the memories of which a wording is forgotten."""
    return [*targets.memories, *targets.old_wordings.values()]


def _resting_on(tx: Transaction, turn_ns: Sequence[int]) -> list[Memory]:
    """The memories drawn from these turns. Episodes are dismissed, and may be written anew."""
    found = (tx.memories.get(memory_id) for memory_id in tx.memories.list_stated_in(turn_ns))
    return [one for one in found if one is not None and one.type is not MemoryType.EPISODE]


def _sayings(targets: _Targets, *, include_source: bool) -> Phrases:
    """What no file may say any more: the wordings, and turns that are erased."""
    erased = map(full_text, targets.sources.values()) if include_source else ()
    return Phrases([*targets.wordings, *filter(is_distinctive, erased)])


def _in_plans(sayings: Phrases) -> Iterator[str]:
    """How a night that was broken off has them where it goes on: what a file says, for one."""
    return (json.dumps(text, ensure_ascii=False)[1:-1] for text in sayings.distinctive.statements)


def _written(tx: Transaction) -> dict[str, str]:
    return {file.path: file.digest for file in tx.file_records.all()}


def _speak_of(tx: Transaction, targets: _Targets) -> set[str]:
    """Where nights write of it: files of its conversations, pages of its days."""
    turns, memories = targets.sources.values(), targets.memories.values()
    moments = [*(turn.at for turn in turns), *tx.days.list_episode_ends(_numbers(tx, targets))]
    moments += [at for m in memories for at in (m.updated_at, *(v.ingested_at for v in m.versions))]
    days = filter(None, map(local_date, moments))
    sessions = {history_path(turn.source, turn.session_id) for turn in turns}
    return {*sessions, *map(daily_path, days)}


def _erase_files(
    tx: Transaction, papers: TextFileEraser, sayings: Phrases, places: Iterable[str]
) -> list[Path]:
    """What was written since it was looked for, and whatever may speak of it in other words."""
    written = _written(tx)
    files = [file for place in places for file in papers.remove_generated(place, written)]
    return papers.erase_phrases(sayings, written) + files


def _named_in(note: str, turns: Iterable[StoredTurn]) -> bool:
    """Tells whether a note has its words from one of the turns: a task is named as it was said."""
    return any(occurs_in(note, full_text(turn)) for turn in turns)


def _terms(wording: str) -> tuple[str, ...]:
    return query_terms(wording)[:_MAX_TERMS]
