"""What is believed now stands above what it replaced, whichever of them matches better."""

from pathlib import Path
from typing import Any

import pytest

import memoria
from memoria import Memoria, Settings, Turn
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


@pytest.mark.parametrize(
    "narrowed",
    [
        {"until": "2023-06-15"},
        {"until": "2023-06-15", "since": "2023-01-01"},
        {"types": ["rule"]},
        {"session_id": "talk"},
        {},
    ],
    ids=lambda given: "+".join(given) or "nothing",
)
async def test_the_present_wording_comes_only_where_it_passes_what_is_asked_for(
    memory: Memoria, narrowed: dict[str, Any]
) -> None:
    (turn,) = await say(memory, "The harbour master of Lisbon is Rui, if anybody asks.")
    kept = await memory.remember(
        "The harbour master of Lisbon is Rui.", valid_from="2023-01-01", turn_id=turn
    )
    await memory.revise_memory(
        kept.id, "correct", "The harbour master of Lisbon is Ana.", valid_from="2023-07-01"
    )
    found = await memory.search_memory(
        "Who is the harbour master of Lisbon?", include_history=True, **narrowed
    )
    present = [hit for hit in found.hits if "Ana" in hit.text]
    former = [hit for hit in found.hits if "Rui" in hit.text]
    assert bool(present) is not bool(narrowed)
    assert former or "types" in narrowed
    assert all(hit.validity is Validity.SUPERSEDED for hit in former)


@pytest.mark.parametrize("private", ["/diary", "/other"])
async def test_a_private_projects_present_wording_stays_there(home: Path, private: str) -> None:
    settings = Settings(home=home, embedder="off", private_workspaces=(private,))
    async with memoria.open(settings=settings) as m:
        (turn,) = await say(m, "The harbour master of Lisbon is Rui, if anybody asks.")
        kept = await m.remember(
            "The harbour master of Lisbon is Rui.", turn_id=turn, workspace="/diary"
        )
        await m.revise_memory(kept.id, "correct", "The harbour master of Lisbon is Ana.")
        asked = "Who is the harbour master of Lisbon?"
        own = await m.search_memory(asked, workspace="/diary")
        everywhere = await m.search_memory(asked, workspace="*")
        assert any("Ana" in hit.text for hit in own.hits)
        assert any("Ana" in hit.text for hit in everywhere.hits) is (private == "/other")


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
async def test_the_later_of_two_turns_about_one_thing_comes_first_or_right_below_the_other(
    memory: Memoria, older: str, newer: str, question: str
) -> None:
    await say(memory, older, newer)
    first, second = (await memory.search_memory(question)).hits
    assert {first.text, second.text} == {older, newer}
    assert second.later_than == (first.id if second.text == newer else None)


async def test_order_can_be_left_as_it_is_found(memory: Memoria) -> None:
    (turn,) = await say(memory, "The staging server listens on port 8080, if anybody asks.")
    kept = await memory.remember("The staging server listens on port 8080.", turn_id=turn)
    await memory.revise_memory(kept.id, "correct", "It is 9090 on that machine now.")
    found = await memory.search_memory(
        "What does the staging server listen on?", without=["current"]
    )
    assert turn in [hit.id for hit in found.hits]


@pytest.mark.parametrize("later", ["I moved to York last month.", "我上个月搬到了青岛。"])
async def test_the_words_of_a_later_turn_mark_no_memory(memory: Memoria, later: str) -> None:
    stated = await memory.remember("The user lives in Leeds. 用户住在利兹。")
    await say(memory, later)
    hits = (await memory.search_memory("Where do I live? 我住在哪里？")).hits
    assert stated.id in [hit.id for hit in hits]
    assert not any(hit.restated_by or hit.contradicts for hit in hits)
