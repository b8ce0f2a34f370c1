"""Two homes that read each other's exports hold the same afterwards, and nothing is lost."""

from pathlib import Path

import pytest
from tests.admin.exports.homes import carry, opened, said
from tests.admin.exports.rows import differ, read_rows
from tests.ingest.play import memories

from memoria import Memoria
from memoria.model import Memory

pytestmark = pytest.mark.anyio


async def test_a_quote_that_was_set_aside_in_one_home_is_set_aside_in_both(tmp_path: Path) -> None:
    one, other, file = tmp_path / "one", tmp_path / "other", tmp_path / "out.jsonl"
    async with opened(one) as m:
        await said(m, "Always answer me in Italian.")
    carry(one, other, file)
    async with opened(other) as m:
        (wish,) = await m.wishes()
        assert "Italian" in wish
        await m.set_quote_aside((await m.get_session("s")).turns[0].id)
    for source, target in ((other, one), (one, other)):
        assert carry(source, target, file).bad_lines == []
    for home in (one, other):
        async with opened(home) as m:
            assert await m.wishes() == []
    assert differ(read_rows(one), read_rows(other)) == []


async def test_two_homes_that_export_to_one_another_meet(tmp_path: Path) -> None:
    """Each has lived on since they were one, and both have taken in the same transcript."""
    one, other, file = tmp_path / "one", tmp_path / "other", tmp_path / "out.jsonl"
    async with opened(one) as m:
        await said(m, "I prefer quince jam over honey.", session="first")
        port = await m.remember("The garden gate has the code 4417.", type="fact")
        await m.remember("我每天早上六点起床。")
    carry(one, other, file)
    async with opened(one) as m:
        await said(m, "I like rye bread.", "我住在苏州。", session="both", ids=("m1", "m2"))
        await m.remember("Aunt Hilde collects clocks.", entities=["Hilde"])
        await m.revise_memory(port.id, "correct", content="The garden gate has the code 5528.")
    async with opened(other) as m:
        await said(m, "I like rye bread.", "我住在苏州。", session="both", ids=("m1", "m2"))
        await m.remember("Aunt Hilde collects clocks.", entities=["Hilde"])
        await m.revise_memory(port.id, "correct", content="The garden gate has the code 6639.")
        await m.revise_memory(port.id, "pin")
        await m.remember("The lantern is in the shed.", type="fact")

    assert carry(other, one, file).bad_lines == []
    assert carry(one, other, file).bad_lines == []
    assert differ(read_rows(one), read_rows(other)) == []
    for home in (one, other):
        async with opened(home) as m:
            gate = await _find(m, "gate")
            assert gate.content == "The garden gate has the code 6639."  # the later one
            assert [v.content[-5:-1] for v in gate.versions] == ["6639", "5528", "4417"]
            assert gate.pinned
            clocks = [one for one in await memories(m) if "clocks" in one.content]
            assert sorted(one.validity for one in clocks) == ["active", "superseded"]
            found = await m.search_memory("the code of the garden gate")
            assert "6639" in found.hits[0].text
    again = carry(other, one, file)
    assert not again.added
    assert not again.changed


async def _find(m: Memoria, word: str) -> Memory:
    (found,) = [one for one in await memories(m) if word in one.content]
    return found


async def test_what_was_said_and_edited_in_both_homes_is_all_there_once(tmp_path: Path) -> None:
    """Their order may differ: each has what came from the other at the end."""
    one, other, file = tmp_path / "one", tmp_path / "other", tmp_path / "out.jsonl"
    async with opened(one) as m:
        await said(m, "I am in Basel.", "我在写信。", ids=("m1", "m2"))
    carry(one, other, file)
    for home, own in ((one, "in the north"), (other, "in the south")):
        async with opened(home) as m:
            await said(
                m, f"I am in Basel, {own}.", "我在写信。", f"Said {own}.", ids=("m1", "m2", own)
            )
    for _ in range(2):
        assert carry(one, other, file).bad_lines == []
        assert carry(other, one, file).bad_lines == []
    texts = [await _list_turns(home) for home in (one, other)]
    assert texts[0] == texts[1]
    assert [text for text, is_current in texts[0] if is_current] == [
        "I am in Basel, in the south.",  # edited later
        "Said in the north.",
        "Said in the south.",
        "我在写信。",
    ]
    assert len(texts[0]) == 6


async def _list_turns(home: Path) -> list[tuple[str, bool]]:
    async with opened(home) as m:
        with m._store.read(m.tenant) as tx:  # noqa: SLF001
            turns = tx.conversations.turns(tx.documents.page("turn", 0, 100)).values()
    return sorted((turn.content, turn.current) for turn in turns)
