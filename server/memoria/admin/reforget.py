"""Reforget: what was forgotten stays so in a home that an older backup was restored into.

The tombstones of the home as it was before are set up in the restored one. Then everything in it is
held against them: by its id, and by what it says.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from memoria.erasure.suppression import Digester, SuppressionList
from memoria.ingest.dismiss import delete_derived, delete_episodes
from memoria.model import Memory, StoredTurn
from memoria.store.base import Store, Transaction
from memoria.store.erasing import TextFileEraser
from memoria.store.folders import DAILY
from memoria.store.values import DocumentKind, MessageName, TombstoneRecord
from memoria.text.document import full_text
from memoria.text.phrases import Phrases
from memoria.text.statement import is_distinctive

_PAGE = 500


def reforget(before: Store, restored: Store, home: Path, read_key: Callable[[], bytes]) -> int:
    """Forget again in a restored home what the home before had forgotten.

    Args:
        before: the home as it was before the restore.
        restored: the home as it is now.
        home: where its files lie; a backup has brought the core files of then.
        read_key: gives the key the marks were made under.

    Returns:
        How many memories and turns were forgotten again.
    """
    again = 0
    for tenant in before.tenants():
        with before.read(tenant) as tx:
            mourned = tx.tombstones.all()
        if mourned:
            with restored.write(tenant) as tx:
                said = _bury_again(tx, mourned, Digester(tenant, read_key))
            TextFileEraser(home, tenant).erase_phrases(Phrases(chain(*said)), {})
            again += len(said)
    if again:
        restored.scrub()
    return again


def _bury_again(
    tx: Transaction, mourned: Sequence[TombstoneRecord], marks: Digester
) -> list[list[str]]:
    """Gives what each memory and turn said that was forgotten again, as far as files may say it."""
    for grave in mourned:
        tx.tombstones.add(grave)
    stones = [grave.tombstone for grave in mourned]
    gone = {stone.subject for stone in stones if stone.kind == "memory"}
    erased = {stone.subject for stone in stones if stone.kind == "turn"}
    memorial = SuppressionList(tx.tombstones, marks)
    again: list[list[str]] = []
    dismissed: set[str] = set()
    for memory in _memories(tx):
        if memory.id not in dismissed and (memory.id in gone or _says_again(memory, memorial)):
            dismissed.update(delete_derived(tx, [memory.id], [], spared=[memory.id]))
            tx.memories.erase(memory.id)
            again.append([version.content for version in memory.versions])
    for turn in _turns(tx):
        if turn.id in erased or not memorial.may_record(_name(turn), full_text(turn)):
            _dismiss(tx, turn)
            if tx.conversations.erase_turn(turn):
                again.append([text for text in (full_text(turn),) if is_distinctive(text)])
        elif turn.id in gone or not memorial.may_conclude_from(full_text(turn)):
            _dismiss(tx, turn)
            tx.conversations.suppress_turn(turn)
    if again:
        tx.nightly_runs.drop_items([DAILY])  # a model may have said it in other words
    tx.scratchpads.erase(lambda note: not memorial.may_keep(note))
    return again


def _dismiss(tx: Transaction, turn: StoredTurn) -> None:
    delete_episodes(tx, [turn.n])
    delete_derived(tx, [], [turn.n])


def _says_again(memory: Memory, memorial: SuppressionList) -> bool:
    return any(memorial.find_tombstone(version.content) for version in memory.versions)


def _memories(tx: Transaction) -> Iterator[Memory]:
    for ns in _pages(tx, "memory"):
        yield from {
            memory.id: memory for memory in tx.memories.by_version_numbers(ns).values()
        }.values()


def _turns(tx: Transaction) -> Iterator[StoredTurn]:
    for ns in _pages(tx, "turn"):
        yield from tx.conversations.turns(ns).values()


def _pages(tx: Transaction, kind: DocumentKind) -> Iterator[list[int]]:
    after = 0
    while ns := tx.documents.page(kind, after, _PAGE):
        yield ns
        after = ns[-1]


def _name(turn: StoredTurn) -> MessageName:
    """What the turn is known by; its fingerprint is not needed where its id is known."""
    return MessageName(turn.source, turn.session_id, turn.message_id, b"")
