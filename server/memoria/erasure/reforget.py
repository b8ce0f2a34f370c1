"""Reforgetting: what was forgotten is erased again in a home restored from an older backup.

The tombstones and reports of the home before the restore are written into the restored one. Then
all its records are compared with the tombstones, by id and by text; what rests on erased records
falls as it did the first time. A list of tombstones taken in from another home is applied alike.
"""

from collections.abc import Callable, Collection, Container, Iterator, Sequence
from functools import partial
from pathlib import Path

from memoria.disk.folders import DAILY
from memoria.erasure.cascade import (
    delete_dependents,
    drop_lost_subjects,
    drop_unsupported,
    find_dependents,
    find_unsupported,
    part_unsupported,
)
from memoria.erasure.files import EVERY_FILE, TextFileEraser, quote_mark
from memoria.erasure.suppression import Digester, SuppressionList
from memoria.language.reading.statement import Phrases, is_distinctive
from memoria.language.words.document import full_text
from memoria.model import Memory, StoredTurn, now_millis
from memoria.store.engine import Store
from memoria.store.rows.transaction import Transaction
from memoria.store.values import DocumentKind, MessageName, TombstoneRecord

_PAGE = 500


def reforget(before: Store, restored: Store, home: Path) -> int:
    """Erase in a restored home what was forgotten after the backup was made.

    Returns:
        How many memories and turns were forgotten again.
    """
    again = 0
    for tenant in before.tenants():
        with before.read(tenant) as tx:
            records = tx.tombstones.all()
            reports = tx.erasures.list_all_reports()
        if records:
            with before.read(tenant) as kept, restored.write(tenant) as tx:
                digester = Digester(tenant, before.files.tombstone_key)
                repetition = Repetition(tx, records, digester, keeps=partial(_wordings_of, kept))
                repetition.run()
                for report in reports:
                    tx.erasures.add_report(report)
            repetition.erase_files(TextFileEraser(home, tenant, restored.files.of(tenant)))
            again += repetition.count
    if again:
        restored.scrub()
    return again


class Repetition:
    """Erases what a list of tombstones recognises, within one transaction."""

    def __init__(
        self,
        tx: Transaction,
        records: Sequence[TombstoneRecord],
        digester: Digester,
        *,
        keeps: Callable[[str], Collection[str]] = lambda _: (),
        spared: Container[str] = (),
    ) -> None:
        """Create the repetition.

        `keeps` gives the wordings of a memory that a forget has kept; records in `spared` stay.
        """
        self._tx = tx
        self._records = records
        self._keeps = keeps
        self._spared = spared
        self._suppression = SuppressionList(tx.tombstones, digester)
        self.count = 0
        """Number of memories and turns that were erased again."""
        self._texts: list[str] = []
        """Texts of the erased records that no file may say any more."""
        self._quoted: set[str] = set()
        """Marks of lines that quote turns from which nothing may be told any more."""
        self._generated = {file.path: file.digest for file in tx.file_records.all()}
        stones = [record.tombstone for record in records]
        self._forgotten = {stone.subject for stone in stones if stone.kind == "memory"}
        self._erased = {stone.subject for stone in stones if stone.kind == "turn"}

    def run(self) -> None:
        """Write the tombstones, and erase or suppress every record that a tombstone recognises."""
        for record in self._records:
            self._tx.tombstones.add(record)
        for memory in _list_memories(self._tx):
            if memory.id in self._forgotten or self._says_forgotten(memory):
                self._erase_memory(memory.id)
        self._repeat_turns()
        if self.count:
            self._tx.nightly_runs.drop_items([DAILY])  # a model may have said it in other words
        self._tx.scratchpads.erase(lambda note: not self._suppression.may_keep(note))
        self._tx.tasks.erase(lambda task: not self._suppression.may_keep(task))

    def erase_files(self, files: TextFileEraser) -> None:
        """Erase from text files what says or quotes what was erased."""
        marks = {EVERY_FILE: self._quoted}
        files.erase_phrases(Phrases(self._texts), self._generated, marks=marks)

    def _repeat_turns(self) -> None:
        """Erase or suppress recognised turns, and erase memories with no other evidence."""
        erased, suppressed = list[StoredTurn](), list[StoredTurn]()
        for turn in _list_turns(self._tx):
            if turn.id in self._spared:
                continue
            if turn.id in self._erased or not self._suppression.may_record(
                _message_name(turn), full_text(turn)
            ):
                erased.append(turn)
            elif turn.id in self._forgotten or not self._suppression.may_conclude_from(
                full_text(turn)
            ):
                suppressed.append(turn)
        self._quoted.update(quote_mark(turn.id) for turn in (*erased, *suppressed))
        versions = self._tx.conversations.turn_versions
        gone = [version.n for turn in erased for version in versions(turn)]
        self._delete_dependents([], [*gone, *(turn.n for turn in suppressed)])
        for memory_id in find_unsupported(self._tx, gone):
            self._erase_memory(memory_id)
        for turn in suppressed:
            self._tx.conversations.suppress_turn(turn)
        dependents = self._tx.dependencies.list_dependents([], gone)
        survivors = [one.memory_id for one in dependents]
        for n, memory_id in self._tx.dependencies.list_unsupported_wordings(gone).items():
            self._tx.memories.erase_wording(memory_id, n)
        for turn in erased:
            self._texts += filter(is_distinctive, (full_text(turn),))
            self.count += bool(self._tx.conversations.erase_turn(turn))
        drop_lost_subjects(self._tx, survivors, [*map(full_text, erased)])
        drop_unsupported(self._tx, survivors, now_millis())
        part_unsupported(self._tx)

    def _erase_memory(self, memory_id: str) -> None:
        """Erase a memory and its dependents, unless the memory is gone already."""
        memory = self._tx.memories.get(memory_id)
        if memory is not None:
            self._delete_dependents([memory_id], [])
            self._tx.memories.erase(memory_id)
            self._texts += (version.content for version in memory.versions)
            self.count += 1

    def _delete_dependents(self, memory_ids: Sequence[str], turn_ns: Sequence[int]) -> None:
        found = find_dependents(self._tx, memory_ids, turn_ns)
        spared = [*memory_ids, *(one for one in found if one in self._spared)]
        for dependent in found:
            memory = None if dependent in spared else self._tx.memories.get(dependent)
            if memory is not None:
                self._texts += (version.content for version in memory.versions)
        delete_dependents(self._tx, memory_ids, turn_ns, spared)

    def _says_forgotten(self, memory: Memory) -> bool:
        """Check whether a memory has a wording that was forgotten and not kept at that forget."""
        if memory.id in self._spared:
            return False
        kept = self._keeps(memory.id)
        return any(
            version.content not in kept
            and self._suppression.find_tombstone(version.content) is not None
            for version in memory.versions
        )


def _wordings_of(tx: Transaction, memory_id: str) -> set[str]:
    known = tx.memories.get(memory_id)
    return {version.content for version in known.versions} if known else set()


def _list_memories(tx: Transaction) -> Iterator[Memory]:
    for ns in _list_pages(tx, "memory"):
        found = tx.memories.by_version_numbers(ns).values()
        yield from {memory.id: memory for memory in found}.values()


def _list_turns(tx: Transaction) -> Iterator[StoredTurn]:
    for ns in _list_pages(tx, "turn"):
        yield from tx.conversations.turns(ns).values()


def _list_pages(tx: Transaction, kind: DocumentKind) -> Iterator[list[int]]:
    after = 0
    while ns := tx.documents.page(kind, after, _PAGE):
        yield ns
        after = ns[-1]


def _message_name(turn: StoredTurn) -> MessageName:
    """Return the name of a turn's message, without the fingerprint, as its id is known."""
    return MessageName(turn.source, turn.session_id, turn.message_id, b"")
