"""A restored backup does not bring back what was forgotten after it was made."""

import shutil
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from tests.forgetting.remains import remains

import memoria
from memoria.admin.reforget import reforget
from memoria.app import Memoria
from memoria.config import Settings
from memoria.store.files import TOMBSTONE_KEY
from memoria.store.sqlite import SqliteStore

WORD = "zanzibar4711"
SECRET = f"The combination of my locker is {WORD}"
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
    assert reforget(before, after, key.read_bytes) == 2
    assert reforget(before, after, key.read_bytes) == 0
    before.close()
    after.close()
    assert remains(restored, WORD) == set()
    async with opened(restored) as memory:
        assert (await memory.get_memory(other.id)).content == "The user likes tea"
        assert (await memory.record_conversation([SAID])).forgotten == 1


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
    reforget(before, after, key.read_bytes)
    before.close()
    after.close()
    async with opened(restored) as memory:
        assert (await memory.search_memory(WORD)).hits == ()
        assert len((await memory.search_conversation_traces(WORD)).hits) == 1


def opened(home: Path) -> AbstractAsyncContextManager[Memoria]:
    return memoria.open(settings=Settings(home=home, embedder="off"))


def store(home: Path) -> SqliteStore:
    return SqliteStore(home / "memoria.db", busy_timeout_ms=5000, readers=1)


async def learn_elsewhere(memory: Memoria) -> str:
    """Say the erased turn again in another session."""
    receipt = await memory.record_conversation([{**SAID, "session_id": "t", "message_id": "x"}])
    return receipt.turns[0].status
