"""Texts of turns: stored once, compressed, and read back whole."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.databases import change_rows

import memoria
from memoria import Memoria, Settings
from memoria.errors import StoreError
from memoria.model import StoredTurn
from memoria.store.engine import Store
from memoria.store.rows.texts import digest, pack, unpack


@given(st.binary(max_size=2000) | st.binary(max_size=20).map(lambda part: part * 100))
def test_what_is_packed_comes_back_and_is_never_larger(data: bytes) -> None:
    codec, packed = pack(data)
    assert unpack(codec, packed) == data
    assert len(packed) <= len(data)


def test_a_repetitive_text_is_compressed_and_noise_is_not() -> None:
    text = "在杭州开会 " * 1000
    codec, packed = pack(text.encode())
    assert (codec, len(packed) < 500) == ("zstd", True)
    assert pack(os.urandom(10_000))[0] == "plain"
    assert pack(b"short " * 10)[0] == "plain"


def test_a_chunk_is_known_by_its_sha_256() -> None:
    assert digest(b"abc").hex().startswith("ba7816bf8f01cfea")


async def test_the_same_text_said_many_times_is_kept_once(memory: Memoria) -> None:
    text = "All tests pass. 全部通过。" * 100
    await memory.record_conversation(
        [
            {"session_id": f"s{i}", "role": "tool", "content": text, "tool_result": text}
            for i in range(10)
        ]
    )
    statistics = await memory.statistics()
    assert statistics.turns == 10
    assert statistics.raw_chunks == 2, "the words, and the same words as JSON"
    assert statistics.stored_bytes < len(text.encode()) / 4 < statistics.raw_bytes
    for i in range(10):
        (turn,) = (await memory.get_session(f"s{i}")).turns
        assert (turn.content, turn.tool_result) == (text, text)


async def test_a_lost_chunk_is_an_error_and_not_an_empty_turn(memory: Memoria) -> None:
    await memory.record_conversation([{"session_id": "s", "role": "user", "content": "tea"}])
    await memory.wait_until_idle(60)
    with change_rows(memory.settings.home_path) as connection:
        connection.execute("DELETE FROM raw_chunks")
    with pytest.raises(StoreError, match="is missing"):
        await memory.get_session("s")


async def test_two_tenants_share_no_chunk(home: object) -> None:
    for tenant in ("ann", "bob"):
        settings = Settings.load(home=home, tenant=tenant, embedder="off")
        async with memoria.open(settings=settings) as memory:
            await memory.record_conversation([{"role": "user", "content": "tea"}])
            assert (await memory.statistics()).raw_chunks == 1


def test_what_is_read_is_what_its_model_would_make_of_it(two: Store) -> None:
    with two.read("ann") as tx:
        turns = tx.conversations.turns(tx.documents.page("turn", 0, 100)).values()
    assert {turn.role for turn in turns} >= {"user", "tool"}
    assert any(turn.tool_args for turn in turns)
    for turn in turns:
        checked = StoredTurn.model_validate(turn.model_dump(), strict=True)
        assert checked == turn
        assert checked.model_dump_json() == turn.model_dump_json()
        assert checked.model_fields_set == turn.model_fields_set
