"""What is believed now stands above what it replaced, whichever of them matches better."""

from pathlib import Path
from typing import Any

import pytest

import memoria
from memoria import Memoria, Settings, Turn
from memoria.model import Hit, Role, Validity, now_millis, to_iso

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
async def test_the_later_of_two_turns_about_one_thing_comes_first(
    memory: Memoria, older: str, newer: str, question: str
) -> None:
    await say(memory, older, newer)
    texts = [hit.text for hit in (await memory.search_memory(question)).hits if older != newer]
    assert newer in texts
    assert older not in texts[: texts.index(newer)]


async def test_order_can_be_left_as_it_is_found(memory: Memoria) -> None:
    (turn,) = await say(memory, "The staging server listens on port 8080, if anybody asks.")
    kept = await memory.remember("The staging server listens on port 8080.", turn_id=turn)
    await memory.revise_memory(kept.id, "correct", "It is 9090 on that machine now.")
    # Not "which port": that names the memory's property, which counts as a word of the memory.
    found = await memory.search_memory(
        "What does the staging server listen on?", without=["current"]
    )
    assert turn in [hit.id for hit in found.hits]


@pytest.mark.parametrize(
    ("said", "later", "question"),
    [
        ("I live in Leeds.", "I moved to York last month.", "Where do I live?"),
        ("I work at Northwind.", "I moved from Northwind to Contoso.", "Where do I work?"),
        ("I use Python 3.9 for the billing service.",
         "I switched the billing service from Python 3.9 to 3.12.",
         "Which Python does the billing service use?"),
        ("I use Vim as my editor.", "I no longer use Vim.", "Which editor do I use?"),
        ("我住在大连。", "我上个月从大连搬到了青岛。", "我住在哪里？"),
        ("我住在大连。", "我已经不住在大连了。", "我住在哪里？"),
        ("我在腾飞公司上班。", "我跳槽到远航公司了。", "我在哪里上班？"),
    ],
)  # fmt: skip
async def test_a_later_turn_is_shown_with_the_memory_that_it_makes_untrue(
    memory: Memoria, said: str, later: str, question: str
) -> None:
    await say(memory, said, hours_ago=48)
    await say(memory, later)
    found = await memory.search_memory(question)
    assert any(later.rstrip("。.") in hit.text for hit in found.hits)
    assert any(_tells(hit, said) for hit in found.hits)


@pytest.mark.parametrize(
    ("said", "later", "question"),
    [
        ("I live in Leeds.", "My brother moved to York last month.", "Where do I live?"),
        ("I live in Leeds.", "I may move to York next year.", "Where do I live?"),
        ("I live in Leeds.", "I visited York last month.", "Where do I live?"),
        ("I use Vim as my editor.", "I use Python for the billing service.", "What do I use?"),
        ("我住在大连。", "我弟弟上个月搬到了青岛。", "我住在哪里？"),
        ("我住在大连。", "我想搬到青岛。", "我住在哪里？"),
    ],
)
async def test_a_later_turn_of_something_else_leaves_a_memory_unmarked(
    memory: Memoria, said: str, later: str, question: str
) -> None:
    await say(memory, said, hours_ago=48)
    await say(memory, later)
    found = await memory.search_memory(question)
    old = [hit for hit in found.hits if _tells(hit, said)]
    assert old
    assert not any(hit.restated_by or hit.contradicts for hit in old)


def _tells(hit: Hit, said: str) -> bool:
    """Whether a memory was made of what was said: it ends as that does."""
    return hit.kind == "memory" and said.rstrip(".。")[-4:] in hit.text


async def test_what_somebody_stated_is_not_marked_by_a_turn(memory: Memoria) -> None:
    stated = await memory.remember("The user lives in Leeds.", valid_from="2024-01-02")
    await say(memory, "I moved to York last month.")
    found = await memory.search_memory("Where do I live?")
    assert [hit.restated_by for hit in found.hits if hit.id == stated.id] in ([None], [])


async def test_a_move_of_late_replaces_where_somebody_lived(memory: Memoria) -> None:
    await say(memory, "I live in Leeds.", hours_ago=48)
    kept = await memory.remember("I moved to York last month.")
    assert len(kept.supersedes) == 1
    assert not (await memory.remember("My sister moved to Bath last month.")).supersedes
