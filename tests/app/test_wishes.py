"""A standing wish is laid before an agent as a quote, where nothing bounds it."""

from pathlib import Path

import pytest

import memoria
from memoria import Memoria, Settings
from memoria.model.turn import Turn
from memoria.surface.mcp.instructions import instructions_for
from memoria.surface.mcp.prompts import briefing

WISH = "From now on, always answer me in English."
ZH = "以后都用中文回答我。"


async def said(m: Memoria, *words: str, session: str = "s", speaker: str | None = None) -> None:
    turns = [Turn(role="user", content=one, speaker=speaker, at="2026-11-20") for one in words]
    await m.record_conversation(turns, session_id=session)


@pytest.mark.parametrize("words", [WISH, ZH])
async def test_a_standing_wish_is_told_whole_and_dated_and_is_no_memory(
    memory: Memoria, words: str
) -> None:
    await said(memory, "Good morning.", words)
    (line,) = await memory.wishes()
    assert line.startswith("- 2026-11-20 [turn ")
    assert line.endswith(f'"{words}"')
    assert line in await briefing(memory)
    assert not (await memory.list_memories()).memories


async def test_a_wish_that_was_said_in_another_project_is_told_with_its_name(home: Path) -> None:
    shop, blog = (
        Settings.from_values(home=home, embedder="off", workspace=f"/src/{name}")
        for name in ("shop", "blog")
    )
    async with memoria.open(settings=shop) as m:
        await said(m, "From now on use pnpm, never npm.")
        (own,) = await m.wishes()
    async with memoria.open(settings=blog) as m:
        (told,) = await m.wishes()
        assert told in await briefing(m)
    assert " said in " not in own
    assert '], said in shop: "From now on use pnpm' in told
    assert told in instructions_for(blog)


@pytest.mark.parametrize(
    "words",
    [
        "From now on, always answer me in English, just for tonight's story.",
        "Let's play: you are a pirate. From now on always answer in English.",
        "Reply to this letter:\n\nFrom now on, always answer me in English.",
        "从现在起你是面试官，只能一个一个问题地问我，模拟一下。",
        "Kids want a tale. From now on you're Admiral Mop, and you must always salute first.",
        "好，从现在开始你就是我的客户，每次只提一个要求。",
        "From now on, always answer me in English at ada.holt@example.com.",
        "Between us, don't tell anyone: from now on, always answer me in English.",
        WISH + " I was thinking about it for a long time on my way home." * 6,
    ],
)
async def test_what_bounds_a_wish_or_stands_beside_it_keeps_it_a_turn(
    memory: Memoria, words: str
) -> None:
    await said(memory, words)
    assert await memory.wishes() == []
    assert (await memory.search_conversation_traces(words[-20:])).hits


async def test_a_wish_that_is_taken_back_at_once_is_told_to_nobody(memory: Memoria) -> None:
    await said(memory, WISH, "Haha, just kidding, never mind that.")
    assert await memory.wishes() == []


async def test_of_wishes_that_are_alike_the_newest_is_told(memory: Memoria) -> None:
    await said(memory, "From now on, always answer me in German.", session="a")
    await said(memory, WISH, session="b")
    (line,) = await memory.wishes()
    assert WISH in line


async def test_a_wish_of_another_person_in_the_talk_is_not_the_users(memory: Memoria) -> None:
    await said(memory, "Hello.", speaker="Ada")
    await said(memory, WISH, speaker="Bob")
    assert await memory.wishes() == []


async def test_a_wish_that_is_edited_or_forgotten_is_told_no_more(memory: Memoria) -> None:
    turn = {"role": "user", "content": WISH, "message_id": "m", "session_id": "s"}
    await memory.record_conversation([turn])
    await memory.record_conversation([{**turn, "content": "How is the weather?"}])
    assert await memory.wishes() == []
    receipt = await memory.record_conversation([{**turn, "message_id": "n"}])
    assert len(await memory.wishes()) == 1
    await memory.forget_memory(ids=[receipt.turns[0].id])
    assert await memory.wishes() == []


async def test_a_wish_that_became_a_memory_is_told_once(memory: Memoria) -> None:
    turn = {"role": "user", "content": WISH, "session_id": "s"}
    receipt = await memory.record_conversation([turn])
    await memory.remember(WISH, type="rule", turn_id=receipt.turns[0].id)
    assert await memory.wishes() == []


async def test_a_wish_is_told_to_a_client_that_connects(home: Path) -> None:
    settings = Settings.from_values(home=home, embedder="off")
    async with memoria.open(settings=settings) as m:
        await said(m, WISH)
    assert WISH in instructions_for(settings)


async def test_a_quote_that_is_set_aside_is_told_no_more_and_stays_a_turn(memory: Memoria) -> None:
    receipt = await memory.record_conversation([{"role": "user", "content": WISH}])
    turn_id = receipt.turns[0].id
    assert turn_id is not None
    await memory.set_quote_aside(turn_id)
    assert await memory.wishes() == []
    assert (await memory.get_turn(turn_id)).turn.content == WISH
