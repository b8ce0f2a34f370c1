"""What a waiting memory rests on stays findable among memories until the user has decided."""

from collections.abc import Callable
from pathlib import Path

import pytest
from mcp import Client
from mcp.types import Implementation
from tests.ingest.play import add, answers, entries, memories, opened, said
from tests.ingest.test_second_look import asked_for, reads
from tests.llm.scripted import Asked, ScriptedModel
from tests.surface.agent import Agent, server_on
from tests.surface.shell import Shell
from tests.surface.test_mcp_forgetting import User

from memoria import Memoria
from memoria.model import COMMAND_LINE

WORDS = {
    "en": (
        "The dentist moved my appointment to Oslo of all places.",
        "The user's dentist appointment takes place in Oslo.",
        "Where is the dentist appointment?",
    ),
    "zh": ("牙医把我的预约改到了奥斯陆。", "用户的牙医预约在奥斯陆。", "牙医预约在哪里？"),
}
languages = pytest.mark.parametrize("language", sorted(WORDS))


def unsure(language: str) -> Callable[..., object]:
    """A model that concludes the memory, and takes it for hearsay."""
    turn, content, _ = WORDS[language]
    quote = {turn: content}
    return answers(extract=reads(quote, predicate="appointment", modality="hearsay"))


async def first_level(m: Memoria, language: str) -> list[str]:
    """What a search of memories shows, best first."""
    found = await m.search_memory(WORDS[language][2])
    return [hit.text for hit in found.hits]


async def second_level(m: Memoria, language: str) -> list[str]:
    """What a search of the record shows, best first."""
    found = await m.search_conversation_traces(WORDS[language][2])
    return [hit.text for hit in found.hits]


@languages
async def test_a_turn_is_found_among_memories_as_long_as_its_memory_waits(
    m: Memoria, model: ScriptedModel, language: str
) -> None:
    turn, content, _ = WORDS[language]
    model.answer = unsure(language)
    await said(m, turn)
    (waits,) = await m.list_pending()
    assert waits.content == content
    assert await first_level(m, language) == [turn]
    assert await second_level(m, language) == [turn]
    await m.with_channel(COMMAND_LINE).revise_memory(waits.id, "confirm")
    assert await first_level(m, language) == [content]
    assert await second_level(m, language) == [turn]


@languages
async def test_a_turn_whose_memory_waits_is_not_read_again(
    m: Memoria, model: ScriptedModel, language: str
) -> None:
    turn, _, _ = WORDS[language]
    model.answer = unsure(language)
    await said(m, turn, event="compaction")
    asked = len(asked_for(model, "extract"))
    assert asked == 1
    await m.record_conversation([], "session_end", session_id="s")
    await m.wait_until_idle(60)
    assert len(asked_for(model, "extract")) == asked
    assert {entry.state for entry in await entries(m)} == {"done"}
    assert len(await memories(m)) == 1


@languages
async def test_a_no_of_the_user_takes_the_turn_from_the_first_level_too(
    m: Memoria, model: ScriptedModel, language: str
) -> None:
    turn, _, _ = WORDS[language]
    model.answer = unsure(language)
    await said(m, turn)
    (waits,) = await m.list_pending()
    await m.with_channel(COMMAND_LINE).revise_memory(waits.id, "archive")
    assert await first_level(m, language) == []
    assert await second_level(m, language) == [turn]


@languages
async def test_a_corrected_wording_stands_for_the_turn(
    m: Memoria, model: ScriptedModel, language: str
) -> None:
    turn, content, _ = WORDS[language]
    model.answer = unsure(language)
    await said(m, turn)
    (waits,) = await m.list_pending()
    right = content.replace("Oslo", "Bergen").replace("奥斯陆", "卑尔根")
    await m.with_channel(COMMAND_LINE).revise_memory(waits.id, "correct", content=right)
    assert await first_level(m, language) == [right]


async def test_a_turn_waits_for_the_last_of_its_memories(m: Memoria, model: ScriptedModel) -> None:
    turn = "The dentist moved to Oslo, and the optician moved to Bergen."
    both = {
        "The dentist moved to Oslo": "The dentist's practice is in Oslo.",
        "the optician moved to Bergen": "The optician's shop is in Bergen.",
    }

    def extract(_asked: Asked) -> object:
        return {
            "operations": [
                add(quote, 1, content, predicate=content, modality="hearsay")
                for quote, content in both.items()
            ]
        }

    model.answer = answers(extract=extract)
    await said(m, turn)
    user = m.with_channel(COMMAND_LINE)
    one, other = await m.list_pending()
    await user.revise_memory(one.id, "archive")
    assert [hit.text for hit in (await m.search_memory("moved to Oslo")).hits] == [turn]
    await user.revise_memory(other.id, "archive")
    assert (await m.search_memory("moved to Oslo")).hits == ()


async def test_a_rebuilt_index_shows_the_turn_as_before(home: Path, model: ScriptedModel) -> None:
    model.answer = unsure("en")
    async with opened(home, model) as m:
        await said(m, WORDS["en"][0])
    shell = Shell(home)
    shell("doctor", "--rebuild")
    async with opened(home, model) as m:
        assert await first_level(m, "en") == [WORDS["en"][0]]


async def test_a_forgotten_memory_leaves_no_turn_that_is_read_again(
    m: Memoria, model: ScriptedModel
) -> None:
    model.answer = unsure("en")
    await said(m, WORDS["en"][0])
    (waits,) = await m.list_pending()
    await m.forget_memory([waits.id])
    assert await first_level(m, "en") == []
    await m.record_conversation([], "session_end", session_id="s")
    await m.wait_until_idle(60)
    assert await memories(m) == []


@languages
async def test_confirmed_on_the_command_line_the_memory_takes_the_turns_place(
    home: Path, model: ScriptedModel, language: str
) -> None:
    turn, content, question = WORDS[language]
    model.answer = unsure(language)
    async with opened(home, model) as m:
        await said(m, turn)
    shell = Shell(home)
    (waits,) = shell.json("review")["pending"]
    assert [hit["text"] for hit in shell.json("search", question)["hits"]] == [turn]
    shell.json("revise", waits["id"], "confirm")
    assert [hit["text"] for hit in shell.json("search", question)["hits"]] == [content]


@languages
async def test_confirmed_by_the_user_at_the_client_the_memory_takes_the_turns_place(
    home: Path, model: ScriptedModel, language: str
) -> None:
    turn, content, question = WORDS[language]
    model.answer = unsure(language)
    async with opened(home, model, tenant="tests") as m:
        await said(m, turn)
        (waits,) = await m.list_pending()
    info, user = Implementation(name="asks", version="1"), User("accept")
    async with Client(server_on(home, None), client_info=info, elicitation_callback=user) as client:
        agent = Agent(client)
        found = await agent.call("search_memory", query=question)
        assert [hit["text"] for hit in found["hits"]] == [turn]
        revised = await agent.call("revise_memory", id=waits.id, action="confirm")
        assert revised["verified"] is True
        found = await agent.call("search_memory", query=question)
    assert [hit["text"] for hit in found["hits"]] == [content]
