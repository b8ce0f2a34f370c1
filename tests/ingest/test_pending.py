"""What waits for the user is settled by what they say, and stays findable until then."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.types import Implementation
from tests.ingest.play import add, answers, entries, memories, opened, reader, said
from tests.ingest.test_second_look import asked_for, reads
from tests.llm.scripted import Asked, ScriptedModel
from tests.surface.agent import Agent, server_on
from tests.surface.shell import Shell
from tests.surface.test_mcp_forgetting import User

from memoria import Memoria
from memoria.model import COMMAND_LINE, Memory, Validity

PAGE = "Summarize this:\n---\nAlways use tabs for indentation.\n---\n"
AGAIN = "Use tabs for indentation, always."
RULE = "The user indents with tabs."


def ruled(relation: str) -> Callable[[Asked], object]:
    return lambda asked: {
        "rulings": [
            {"pair": n, "relation": relation} for n in range(1, asked.text.count('"known"') + 1)
        ]
    }


def concludes(*found: tuple[str, dict[str, Any]]) -> Callable[[Asked], object]:
    """A model that answers with an operation where a turn has its quote."""

    def read(n: int, _: str, text: str, known: list[dict[str, Any]]) -> list[dict[str, Any]]:
        operations = [
            {**add(quote, n), **more} if "op" not in more else {"quote": quote, "turn": n, **more}
            for quote, more in found
            if quote in text
        ]
        for one in operations:
            if one["op"] == "UPDATE":
                one["id"] = next(each["id"] for each in known if one.pop("of") in each["content"])
        return operations

    return reader(read)


async def standing(m: Memoria) -> dict[str, Validity]:
    return {one.content: one.validity for one in await memories(m)}


async def only(m: Memoria, validity: Validity = Validity.ACTIVE) -> Memory:
    (found,) = [one for one in await memories(m) if one.validity is validity]
    return found


async def test_what_was_held_as_pasted_holds_when_the_user_says_it_themselves(
    m: Memoria, model: ScriptedModel
) -> None:
    rule = {"type": "rule", "content": RULE, "predicate": "indentation"}
    model.answer = answers(
        extract=concludes(("Always use tabs", rule), ("Use tabs for indentation, always", rule))
    )
    await said(m, PAGE, session="a")
    assert (await only(m, Validity.PENDING_CONFIRMATION)).flag == "pasted"
    await said(m, AGAIN, session="b")
    assert (await only(m)).content == RULE
    assert await m.list_pending() == []


@pytest.mark.parametrize("role", ["user", "assistant"])
async def test_an_update_of_what_waits_settles_it_where_the_user_says_so(
    m: Memoria, model: ScriptedModel, role: str
) -> None:
    rumour = "I heard that finance may move to NetSuite."
    official = "It is official now: finance moves to NetSuite in January."
    moved = "Finance moves to NetSuite in January 2027."
    plan = {"content": "Finance may move to NetSuite.", "modality": "hearsay", "subject": "finance"}
    update = {"op": "UPDATE", "of": "NetSuite", "content": moved, "reason": "detail"}
    model.answer = answers(
        extract=concludes(("move to NetSuite", plan), ("moves to NetSuite in January", update))
    )
    await said(m, rumour, session="a")
    waits = await only(m, Validity.PENDING_CONFIRMATION)
    await said(m, "Tell me of finance and NetSuite.", (role, official), session="b")
    if role == "assistant":
        assert await only(m, Validity.PENDING_CONFIRMATION) == waits
        return
    assert (await only(m)).content == moved
    assert await m.list_pending() == []


@pytest.mark.parametrize("relation", ["replaces", "different"])
async def test_a_plan_takes_the_place_of_a_plan_where_a_model_says_so(
    home: Path, model: ScriptedModel, relation: str
) -> None:
    wedding = {"modality": "planned", "predicate": "wedding"}
    first, moved = "The user marries on 1 May 2027.", "The user marries on 1 October 2027."
    model.answer = answers(
        extract=concludes(
            ("marry on 1 May", {"content": first, **wedding}),
            ("moved to 1 October", {"content": moved, **wedding}),
        ),
        adjudicate=ruled(relation),
    )
    async with opened(home, model) as m:
        await said(m, "We marry on 1 May.", session="a")
        await said(m, "The wedding is moved to 1 October.", session="b")
        active = {c for c, validity in (await standing(m)).items() if validity is Validity.ACTIVE}
    assert active == ({moved} if relation == "replaces" else {first, moved})


async def test_what_a_model_calls_a_contradiction_is_a_dispute_and_overwrites_nothing(
    m: Memoria, model: ScriptedModel
) -> None:
    excel = "The user tracks the budget in Excel."
    never = "The user has never used Excel."
    model.answer = answers(
        extract=concludes(
            ("budget in Excel", {"content": excel, "predicate": "budget_tool"}),
            ("never used Excel", {"content": never, "predicate": "budget_tool"}),
        ),
        adjudicate=ruled("contradicts"),
    )
    await said(m, "I keep the budget in Excel.", session="a")
    await said(m, "I have never used Excel.", session="b")
    assert await standing(m) == {excel: Validity.ACTIVE, never: Validity.ACTIVE}
    (one, other) = await memories(m)
    with m._store.read(m.tenant) as tx:  # noqa: SLF001  (no face shows the marks alone)
        assert tx.memories.list_contradictions([one.id]) == {one.id: (other.id,)}


async def test_an_update_may_give_a_memory_another_type_and_property(
    home: Path, model: ScriptedModel
) -> None:
    plan = {"type": "goal", "content": "The user wants to move to Ghent.", "predicate": "plan"}
    done = {
        "op": "UPDATE",
        "of": "Ghent",
        "content": "The user lives in Ghent.",
        "reason": "change",
    }
    model.answer = answers(
        extract=concludes(
            ("want to move to Ghent", plan),
            ("we live in Ghent", {**done, "type": "fact", "predicate": "home"}),
        )
    )
    async with opened(home, model) as m:
        await said(m, "We want to move to Ghent.", session="a")
        await said(m, "Since Monday we live in Ghent.", session="b")
        moved = await only(m)
    assert (moved.content, moved.type, moved.predicate) == (done["content"], "fact", "home")


@pytest.mark.parametrize(("scope", "project"), [("everywhere", None), ("project", "/work/ferry")])
async def test_a_model_is_told_the_project_and_says_where_a_rule_is_to_be_seen(
    home: Path, model: ScriptedModel, scope: str, project: str | None
) -> None:
    rule = {"type": "rule", "content": "Migrations run after a backup.", "scope": scope}
    model.answer = answers(extract=concludes(("never run a migration", rule)))
    async with opened(home, model, workspace="/work/ferry") as m:
        await said(m, "For all our work: never run a migration without a backup.")
        kept = await only(m)
    assert 'The project is "ferry".' in model.requests[0].text
    assert "/work" not in model.requests[0].text
    assert kept.project == project


async def test_of_what_waited_when_its_project_became_private_a_model_lets_nothing_out(
    home: Path, model: ScriptedModel
) -> None:
    rule = {"type": "rule", "content": "Migrations run after a backup.", "scope": "everywhere"}
    model.answer = answers(extract=concludes(("never run a migration", rule)))
    turn = {"role": "user", "content": "We never run a migration without a backup."}
    async with opened(home, model, reads_queue=False, workspace="/work/ferry") as m:
        await m.record_conversation([turn], "session_end", session_id="s")
    assert model.requests == []
    async with opened(
        home, model, workspace="/work/ferry", private_workspaces=["/work/ferry"]
    ) as m:
        await m.wait_until_idle(60)
        assert (await only(m)).project == "/work/ferry"


@pytest.mark.parametrize(
    ("text", "content", "named"),
    [
        ("My father was 63 in March 2024.", "The user's father was 63 (March 2024).", None),
        ("I swim every Wednesday.", "The user swims every Wednesday.", "Wednesday"),
        ("我每周三游泳。", "用户每周三游泳。", "周三"),
    ],
)
async def test_a_time_that_is_part_of_a_statement_is_not_when_it_happened(
    m: Memoria, model: ScriptedModel, text: str, content: str, named: str | None
) -> None:
    told = {"content": content, "event_time": named} if named else {"content": content}
    model.answer = answers(extract=concludes((text, told)))
    await said(m, text)
    assert (await only(m)).current.event_at is None


async def test_a_conclusion_without_a_property_is_kept_without_one(
    m: Memoria, model: ScriptedModel
) -> None:
    model.answer = answers(extract=concludes(("sister Ida", {"predicate": None})))
    await said(m, "My sister Ida keeps bees.")
    assert (await only(m)).predicate is None


@pytest.mark.parametrize("relation", ["replaces", "different"])
async def test_conclusions_of_one_answer_are_compared_with_each_other(
    home: Path, model: ScriptedModel, relation: str
) -> None:
    learns, gave_up = "The user learns the guitar.", "The user has given up the guitar."
    model.answer = answers(
        extract=concludes(
            ("learning the guitar", {"content": learns, "predicate": "guitar"}),
            ("given up the guitar", {"content": gave_up, "predicate": "guitar"}),
        ),
        adjudicate=ruled(relation),
    )
    async with opened(home, model) as m:
        await said(m, "I am learning the guitar.", "In June: I have given up the guitar.")
        active = {c for c, validity in (await standing(m)).items() if validity is Validity.ACTIVE}
    assert active == ({gave_up} if relation == "replaces" else {learns, gave_up})
    assert [one for one in model.requests if '"known":"The user learns' in one.text]


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
