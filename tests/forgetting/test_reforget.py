"""A restored backup does not bring back what was forgotten after it was made."""

import shutil
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import numpy as np
import pytest
from tests.forgetting.remains import remains

import memoria
from memoria.app import Memoria
from memoria.config import Settings
from memoria.disk.home_files import TOMBSTONE_KEY
from memoria.erasure.reforget import reforget
from memoria.store.sqlite import SqliteStore
from memoria.store.values import SuppressedMeaning, TombstoneRecord

pytestmark = pytest.mark.sqlite("puts a former file in place")

WORD = "zanzibar4711"
SECRET = f"The combination of my locker is {WORD}"
MEANING = SuppressedMeaning("a model", np.full(4, 0.5, np.float32), 0.9)
SAID = {"role": "user", "content": f"Well, {SECRET}.", "session_id": "s", "message_id": "m"}


async def test_what_was_forgotten_since_a_backup_is_forgotten_again(home: Path) -> None:
    old, key = home.parent / "old.db", home / TOMBSTONE_KEY
    async with opened(home) as memory:
        said = (await memory.record_conversation([SAID])).turns[0].id
        kept = await memory.remember(SECRET, turn_id=said)
        other = await memory.remember("The user likes tea")
    shutil.copy(home / "memoria.db", old)
    async with opened(home) as memory:
        await memory.forget_memory([kept.id], include_source=True)
        assert await learn_elsewhere(memory) == "forgotten"

    restored = home.parent / "restored"
    restored.mkdir()
    shutil.copy(old, restored / "memoria.db")
    shutil.copy(key, restored / TOMBSTONE_KEY)
    old.unlink()
    assert remains(restored, WORD)
    before, after = store(home), store(restored)
    assert reforget(before, after, restored) == 2
    assert reforget(before, after, restored) == 0
    before.close()
    after.close()
    assert remains(restored, WORD) == set()
    async with opened(restored) as memory:
        assert (await memory.get_memory(other.id)).content == "The user likes tea"
        assert (await memory.record_conversation([SAID])).forgotten == 1
        (proof,) = await memory.list_forget_reports()
        assert (await memory.get_forget_report(proof.id)).digests


async def test_everything_forgotten_since_a_backup_is_forgotten_again(home: Path) -> None:
    old = home.parent / "old.db"
    async with opened(home) as memory:
        await memory.record_conversation([SAID])
        await memory.remember(SECRET)
        await memory.remember("The user likes tea")
    shutil.copy(home / "memoria.db", old)
    async with opened(home) as memory:
        await memory.forget_memory(everything=True)
    restored = home.parent / "restored"
    restored.mkdir()
    shutil.copy(old, restored / "memoria.db")
    before, after = store(home), store(restored)
    assert reforget(before, after, restored) == 3
    before.close()
    after.close()
    old.unlink()
    assert remains(restored, WORD) == remains(restored, "likes tea") == set()


async def test_a_turn_barred_since_a_backup_is_barred_again(home: Path) -> None:
    old, key = home.parent / "old.db", home / TOMBSTONE_KEY
    async with opened(home) as memory:
        await memory.record_conversation([SAID])
        kept = await memory.remember(SECRET)
    shutil.copy(home / "memoria.db", old)
    async with opened(home) as memory:
        await memory.forget_memory([kept.id])
    restored = home.parent / "restored"
    restored.mkdir()
    old.rename(restored / "memoria.db")
    shutil.copy(key, restored / TOMBSTONE_KEY)
    before, after = store(home), store(restored)
    reforget(before, after, restored)
    before.close()
    after.close()
    async with opened(restored) as memory:
        assert (await memory.search_memory(WORD)).hits == ()
        assert len((await memory.search_conversation_traces(WORD)).hits) == 1


async def test_a_memory_that_was_left_though_it_holds_the_words_is_left_in_a_restored_home_too(
    home: Path,
) -> None:
    async with opened(home) as memory:
        kept = await memory.remember(SECRET)
        longer = await memory.remember(f"Anna asked in May whether {SECRET} or another word")
    before, after = await forgotten_after_a_copy(home, kept.id)
    reforget(before, after, home.parent / "restored")
    before.close()
    after.close()
    async with opened(home.parent / "restored") as memory:
        assert WORD in (await memory.get_memory(longer.id)).content
        assert [hit.id for hit in (await memory.search_memory(WORD)).hits] == [longer.id]


async def test_a_task_named_after_it_leaves_the_restored_scratchpad_too(home: Path) -> None:
    async with opened(home) as memory:
        kept = await memory.remember(SECRET)
        await memory.update_scratchpad(current_focus=SECRET, session_id="s")
        await memory.update_scratchpad(completed=SECRET, session_id="t")
    before, after = await forgotten_after_a_copy(home, kept.id)
    reforget(before, after, home.parent / "restored")
    before.close()
    after.close()
    assert remains(home.parent / "restored", WORD) == set()


async def test_what_was_forgotten_means_is_kept_once_however_often_a_home_is_restored(
    home: Path,
) -> None:
    async with opened(home) as memory:
        kept = await memory.remember(SECRET)
    before, after = await forgotten_after_a_copy(home, kept.id)
    with before.write("default") as tx:
        (grave,) = tx.tombstones.all()
        tx.tombstones.add(TombstoneRecord(grave.tombstone, (), (MEANING,)))
    for _ in range(3):
        reforget(before, after, home.parent / "restored")
    with after.read("default") as tx:
        (grave,) = tx.tombstones.all()
    before.close()
    after.close()
    assert len(grave.meanings) == 1


async def test_a_turn_that_said_it_in_other_words_is_barred_in_a_restored_home_too(
    home: Path,
) -> None:
    async with opened(home) as memory:
        other = {**SAID, "content": f"It is {WORD} that opens it."}
        said = (await memory.record_conversation([other])).turns[0].id
        kept = await memory.remember(SECRET, turn_id=said)
    before, after = await forgotten_after_a_copy(home, kept.id)
    reforget(before, after, home.parent / "restored")
    before.close()
    after.close()
    async with opened(home.parent / "restored") as memory:
        assert (await memory.search_memory(WORD)).hits == ()
        assert len((await memory.search_conversation_traces(WORD)).hits) == 1


async def forgotten_after_a_copy(home: Path, memory_id: str) -> tuple[SqliteStore, SqliteStore]:
    """A home that forgot a memory, and one restored from a copy that was made before."""
    restored = home.parent / "restored"
    restored.mkdir()
    shutil.copy(home / "memoria.db", restored / "memoria.db")
    async with opened(home) as memory:
        await memory.forget_memory([memory_id])
    shutil.copy(home / TOMBSTONE_KEY, restored / TOMBSTONE_KEY)
    return store(home), store(restored)


def opened(home: Path) -> AbstractAsyncContextManager[Memoria]:
    return memoria.open(settings=Settings(home=home, embedder="off"))


def store(home: Path) -> SqliteStore:
    return SqliteStore(home / "memoria.db", busy_timeout_ms=5000, readers=1)


async def learn_elsewhere(memory: Memoria) -> str:
    """Say the erased turn again in another session."""
    receipt = await memory.record_conversation([{**SAID, "session_id": "t", "message_id": "x"}])
    return receipt.turns[0].status
