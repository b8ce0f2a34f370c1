"""Beside a memory, wherever it is shown unasked or by its id, stands what was said later."""

from pathlib import Path

import pytest
from tests.databases import opened_files, read_text

import memoria
from memoria import Memoria, Settings
from memoria.app.nightly import run_nightly
from memoria.inference.embedder import BundledEmbedder
from memoria.model import COMMAND_LINE
from memoria.surface.mcp.instructions import briefing_writer
from memoria.surface.text import memory_text

OLD = "I work at Siemens as a data engineer"
NEW = "I started a new job as a data engineer at Bosch last week."


async def say(
    m: Memoria,
    words: str,
    role: str = "user",
    speaker: str | None = None,
    workspace: str | None = None,
    at: str = "2026-03-20",
) -> str:
    turn = {"role": role, "content": words, "speaker": speaker, "at": at}
    receipt = await m.record_conversation([turn], session_id=f"s-{role}", workspace=workspace)
    return str(receipt.turns[0].id)


async def remember(m: Memoria, words: str = OLD, at: str = "2026-03-02") -> str:
    return (await m.remember(words, type="fact", valid_from=at)).id


async def read_core(m: Memoria) -> str:
    return "\n".join((await m.read_core()).values())


async def test_a_core_file_a_briefing_and_a_memory_show_what_was_said_later(
    memory: Memoria,
) -> None:
    memory_id = await remember(memory)
    await remember(memory, "I have two cats, Miso and Tofu")
    turn_id = await say(memory, NEW)
    await memory.wait_until_idle()
    line = f"- {OLD}; later, 2026-03-20: “{NEW}” [{turn_id[-8:]}]"
    briefing = await memory.compose(briefing_writer(memory.settings))
    for text in (await read_core(memory), briefing.text):
        assert line in text
        assert text.count("later, ") == 1
    found = await memory.get_memory(memory_id)
    assert f"said later, 2026-03-20: “{NEW}”" in memory_text(found)


async def test_what_was_said_on_the_same_day_has_its_time(memory: Memoria) -> None:
    memory_id = await remember(memory, at="2026-03-20T08:00:00Z")
    await say(memory, NEW, at="2026-03-20T09:30:00Z")
    await memory.wait_until_idle()
    found = await memory.get_memory(memory_id)
    assert found.later is not None
    assert found.later.when == "2026-03-20 09:30"


@pytest.mark.parametrize(
    "told",
    [
        {"words": f"Between us, don't tell anyone: {NEW}"},
        {"words": f"Keep this nowhere, please. {NEW}"},
        {"words": NEW, "role": "assistant"},
        {"words": NEW, "speaker": "Marco"},
        {"words": NEW, "at": "2026-02-01"},
        {"words": f"Please translate this mail:\n\n> {NEW}\n> Best, Jo"},
        {"words": "The data engineer service of Siemens is deployed by CI.", "workspace": "api"},
        {"words": "Mistral quartets are hard to play."},
    ],
)
async def test_what_may_not_be_told_or_is_of_something_else_stands_beside_nothing(
    memory: Memoria, told: dict[str, str]
) -> None:
    await remember(memory)
    await say(memory, **told)
    await memory.wait_until_idle()
    assert "later, " not in await read_core(memory)


async def test_what_a_memory_rests_on_is_not_said_later_than_it(memory: Memoria) -> None:
    turn_id = await say(memory, OLD)
    kept = await memory.remember(OLD, type="fact", turn_id=turn_id, valid_from="2026-01-01")
    await memory.wait_until_idle()
    assert (await memory.get_memory(kept.id)).later is None


async def test_of_two_memories_that_are_alike_the_newer_stands_first_and_neither_is_doubted(
    memory: Memoria,
) -> None:
    newer = "I work at Bosch as a data engineer"
    memory_id = await remember(memory)
    await remember(memory, newer, at="2026-03-20")
    await memory.revise_memory(memory_id, "pin")  # which puts a line first
    await memory.wait_until_idle()
    text = await read_core(memory)
    assert f"- {newer}\n- {OLD}\n" in f"{text}\n"


@pytest.fixture
def settings(home: Path) -> Settings:
    return Settings.from_values(home=home, tenant="default")


async def keep_pair(settings: Settings, embedder: BundledEmbedder) -> str:
    async with memoria.open(settings=settings, embedder=embedder, channel=COMMAND_LINE) as m:
        await remember(m)
        turn_id = await say(m, NEW)
        await m.wait_until_idle()
    run_nightly(settings)
    return turn_id


async def test_a_night_writes_what_was_said_later_and_a_second_one_nothing(
    settings: Settings, embedder: BundledEmbedder
) -> None:
    turn_id = await keep_pair(settings, embedder)
    text = read_text(settings, "USER.md")
    assert f"\n  later, 2026-03-20: “{NEW}” <!-- q:{turn_id[-8:]} " in text
    assert run_nightly(settings).steps[-1].planned == 0
    async with memoria.open(settings=settings, embedder=embedder) as m:
        assert len((await m.list_memories()).memories) == 1


async def test_words_that_the_user_puts_in_a_quote_are_a_memory_of_theirs(
    settings: Settings, embedder: BundledEmbedder
) -> None:
    await keep_pair(settings, embedder)
    mine = "I am a data engineer at Bosch since March"
    with opened_files(settings) as files:
        files.write("USER.md", (files.read("USER.md") or b"").replace(NEW.encode(), mine.encode()))
    run_nightly(settings)
    async with memoria.open(settings=settings, embedder=embedder) as m:
        await m.wait_until_idle()
        assert {one.content for one in (await m.list_memories()).memories} == {OLD, mine}
        assert "later, " not in await read_core(m)


@pytest.mark.parametrize("words", [NEW, f"{NEW} {'They build sensors, as Siemens does. ' * 8}"])
async def test_a_forgotten_turn_is_quoted_in_no_file(
    settings: Settings, embedder: BundledEmbedder, words: str
) -> None:
    async with memoria.open(settings=settings, embedder=embedder, channel=COMMAND_LINE) as m:
        await remember(m)
        turn_id = await say(m, words)
        await m.wait_until_idle()
    run_nightly(settings)
    assert "Bosch" in read_text(settings, "USER.md")
    async with memoria.open(settings=settings, embedder=embedder, channel=COMMAND_LINE) as m:
        await m.forget_memory(ids=[turn_id], include_source=True)
        assert "Bosch" not in await read_core(m)
    with opened_files(settings) as files:
        places = files.list_places("")
        assert "USER.md" in places
        assert not [place for place in places if b"Bosch" in (files.read(place) or b"")]
