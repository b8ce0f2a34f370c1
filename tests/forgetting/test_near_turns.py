"""Turns that say what is forgotten in other words are offered beside what goes."""

from pathlib import Path

import pytest

import memoria
from memoria import Memoria
from memoria.config import Settings
from memoria.model import Channel, Trust
from memoria.surface.forgetting_text import forget_text, preview_text

AGENT = Channel(name="mcp", trust=Trust.REPORTED, client="a client")
CASES = [
    (
        "Anna's birthday is 12 March",
        "Anna's birthday is 21 March",
        "Sorry, I was wrong: Anna's birthday is on March 21, not 12",
        "Anna likes strawberry cake",
    ),
    (
        "小雨的生日是 3 月 12 号",
        "小雨的生日是 3 月 21 号",
        "我上次说错了，小雨生日是 3 月 21 号，不是 12 号",
        "小雨喜欢吃草莓蛋糕",
    ),
]


@pytest.mark.parametrize(("old", "new", "said", "other"), CASES, ids=["en", "zh"])
async def test_the_turn_in_which_the_user_corrected_it_is_offered_and_goes_by_its_id(
    memory: Memoria, old: str, new: str, said: str, other: str
) -> None:
    kept = await memory.remember(old)
    turns = [{"role": "user", "content": text, "session_id": "s"} for text in (said, other)]
    turn = str((await memory.record_conversation(turns)).turns[0].id)
    await memory.revise_memory(kept.id, "correct", content=new)
    preview = await memory.preview_forget([kept.id], include_source=True)
    assert turn not in {item.id for item in preview.items}
    assert [(item.id, item.text) for item in preview.near] == [(turn, said)]
    told = preview_text(preview)
    assert told.index("Name them by id") < told.index(said) < told.index(turn)
    both = await memory.preview_forget([kept.id, turn], include_source=True)
    assert (both.near, both.counts) == ((), {"memory": 1, "turn": 1})


@pytest.mark.parametrize("by_agent", [True, False])
async def test_what_an_agent_was_told_when_it_corrected_is_offered_whatever_its_words(
    memory: Memoria, *, by_agent: bool
) -> None:
    keeper = memory.with_channel(AGENT) if by_agent else memory
    kept = await keeper.remember("The gate code is 4711")
    said = [{"role": "user", "content": "no, since May it is another: take 5822"}]
    turn = str((await memory.record_conversation(said)).turns[0].id)
    agent = memory.with_channel(AGENT)
    await agent.revise_memory(kept.id, "correct", content="The gate code is 5822")
    preview = await memory.preview_forget([kept.id])
    assert [item.id for item in preview.near] == [turn]


async def test_who_forgets_without_a_preview_is_told_what_stays(memory: Memoria) -> None:
    old, new, said, _ = CASES[0]
    kept = await memory.remember(old)
    receipt = await memory.record_conversation([{"role": "user", "content": said}])
    turn = str(receipt.turns[0].id)
    await memory.revise_memory(kept.id, "correct", content=new)
    forgotten = await memory.forget_memory([kept.id], include_source=True)
    assert forgotten.near_turns == (turn,)
    assert "Still on record: turns that say nearly the same" in forget_text(forgotten)
    assert turn in forget_text(forgotten)


async def test_an_agent_is_offered_no_turn_of_another_project(home: Path) -> None:
    old, _, said, _ = CASES[0]
    settings = Settings.from_values(home=home, workspace="red")
    async with memoria.open(settings=settings) as m:
        await m.record_conversation([{"role": "user", "content": said}], workspace="blue")
        kept = await m.remember(old)
        assert (await m.with_channel(AGENT).preview_forget([kept.id])).near == ()
        assert [item.text for item in (await m.preview_forget([kept.id])).near] == [said]
