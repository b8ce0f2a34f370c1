"""What is believed now stands above what it replaced, whichever of them matches better."""

import pytest

from memoria import Memoria, Turn
from memoria.model import Role, Validity, now_millis, to_iso

HOUR = 3_600_000


async def say(memory: Memoria, *texts: str, hours_ago: int = 2, **fields: object) -> list[str]:
    """Record what the user says, in one conversation. Gives the ids of the turns."""
    at = now_millis() - hours_ago * HOUR
    turns = [
        Turn.model_validate({"role": Role.USER, "content": text, "at": at + n, **fields})
        for n, text in enumerate(texts)
    ]
    receipt = await memory.record_conversation(turns, session_id="talk")
    await memory.wait_until_idle(60)
    return [str(turn.id) for turn in receipt.turns]


@pytest.mark.parametrize(
    ("said", "stated", "question"),
    [
        ("My name is Lin.", "My name is Lina.", "What is my name?"),
        ("我叫林岚。", "我叫林兰。", "我叫什么名字？"),
        ("I live in Leeds.", "The user lives in York.", "Where do I live?"),
        ("我住在北京。", "用户现在住在上海。", "我住在哪里？"),
        ("My daughter's birthday is on 3 May.", "My daughter's birthday is on 4 May.",
         "When is my daughter's birthday?"),
    ],
)  # fmt: skip
async def test_a_statement_stands_above_the_turn_that_it_corrects(
    memory: Memoria, said: str, stated: str, question: str
) -> None:
    await say(memory, said)
    await memory.remember(stated)
    found = await memory.search_memory(question)
    assert found.hits[0].text == stated
    old = [hit for hit in found.hits if hit.text == said]
    assert all(hit.validity is Validity.SUPERSEDED for hit in old)


async def test_the_present_wording_comes_with_the_turn_of_a_former_one(memory: Memoria) -> None:
    (turn,) = await say(memory, "The staging server listens on port 8080, if anybody asks.")
    kept = await memory.remember("The staging server listens on port 8080.", turn_id=turn)
    await memory.revise_memory(kept.id, "correct", "It is 9090 on that machine now.")
    found = await memory.search_memory("Which port does the staging server listen on?")
    assert found.hits[0].id == kept.id
    assert all(hit.validity is Validity.SUPERSEDED for hit in found.hits if hit.id == turn)


async def test_a_former_wording_comes_after_the_present_one(memory: Memoria) -> None:
    kept = await memory.remember("The staging server listens on port 8080.")
    await memory.revise_memory(kept.id, "correct", "It is 9090 on that machine now.")
    found = await memory.search_memory(
        "Which port does the staging server listen on?", include_history=True
    )
    assert [hit.validity for hit in found.hits] == [Validity.ACTIVE, Validity.SUPERSEDED]


async def test_a_context_package_has_the_present_wording_first(memory: Memoria) -> None:
    await say(memory, "My name is Lin.")
    await memory.remember("My name is Lina.")
    package = await memory.build_context("What is my name?")
    lines = [line for line in package.recall.splitlines() if "My name is" in line]
    assert "Lina" in lines[0]


async def test_the_record_keeps_its_order_and_says_what_was_superseded(memory: Memoria) -> None:
    (turn,) = await say(memory, "The staging server listens on port 8080, if anybody asks.")
    kept = await memory.remember("The staging server listens on port 8080.", turn_id=turn)
    await memory.revise_memory(kept.id, "correct", "It is 9090 on that machine now.")
    found = await memory.search_conversation_traces("Which port does the staging server have?")
    assert (found.hits[0].id, found.hits[0].validity) == (turn, Validity.SUPERSEDED)


async def test_what_held_at_a_past_moment_is_told_as_it_was(memory: Memoria) -> None:
    await say(memory, "My name is Lin.", hours_ago=48)
    await memory.remember("My name is Lina.")
    then = to_iso(now_millis() - 24 * HOUR)
    found = await memory.search_memory("What is my name?", as_of=then)
    assert "Lina" not in found.hits[0].text


async def test_a_turn_that_only_says_the_same_in_other_words_is_not_superseded(
    memory: Memoria,
) -> None:
    (turn,) = await say(memory, "Tea is what I always prefer over coffee.")
    kept = await memory.remember("The user prefers tea.", turn_id=turn)
    await memory.revise_memory(kept.id, "correct", "User prefers tea.")
    found = await memory.search_conversation_traces("What do I prefer over coffee?")
    assert (found.hits[0].id, found.hits[0].validity) == (turn, None)


@pytest.mark.parametrize(
    ("older", "newer", "question"),
    [
        ("Standup is at 9 o'clock, by the way.",
         "Standup is now at 11 o'clock, by the way.", "When is our standup?"),
        ("例会是周一。", "例会改到周四了。", "例会是哪天？"),
    ],
)  # fmt: skip
async def test_the_later_of_two_turns_about_one_thing_comes_first(
    memory: Memoria, older: str, newer: str, question: str
) -> None:
    await say(memory, older, newer)
    texts = [hit.text for hit in (await memory.search_memory(question)).hits if older != newer]
    assert newer in texts
    assert older not in texts[: texts.index(newer)]


@pytest.mark.parametrize(
    ("past", "present", "question", "question_of_past"),
    [
        ("我以前住在丽江。", "用户住在大理。", "我住在哪个城市？", "我以前住在哪个城市？"),
        ("我以前住过丽江。", "我住在大理。", "我住在哪里？", "我以前住过哪里？"),
        ("我原来在华为上班。", "用户在腾讯上班。", "我在哪里上班？", "我原来在哪里上班？"),
        ("I used to live in Oslo.", "The user lives in Bergen.", "Where do I live?",
         "Where did I use to live?"),
    ],
)  # fmt: skip
async def test_what_was_comes_after_what_is_unless_the_past_is_asked_for(
    memory: Memoria, past: str, present: str, question: str, question_of_past: str
) -> None:
    await say(memory, past)
    await memory.remember(present)
    now = [hit.text for hit in (await memory.search_memory(question)).hits]
    before = [hit.text for hit in (await memory.search_memory(question_of_past)).hits]
    assert now[0] == present
    assert before[0] == past


async def test_order_can_be_left_as_it_is_found(memory: Memoria) -> None:
    (turn,) = await say(memory, "The staging server listens on port 8080, if anybody asks.")
    kept = await memory.remember("The staging server listens on port 8080.", turn_id=turn)
    await memory.revise_memory(kept.id, "correct", "It is 9090 on that machine now.")
    # Not "which port": that names the memory's property, which counts as a word of the memory.
    found = await memory.search_memory(
        "What does the staging server listen on?", without=["current"]
    )
    assert found.hits[0].id == turn
