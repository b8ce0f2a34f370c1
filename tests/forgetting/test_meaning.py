"""What says a forgotten thing in other words is known again, or offered beside what goes."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.ingest.play import add, answers, entries, memories, opened, reader, said
from tests.llm.scripted import Asked, ScriptedModel

import memoria
from memoria import Memoria
from memoria.config import Settings
from memoria.inference.embedder import BundledEmbedder
from memoria.model import Channel, Trust
from memoria.surface.forgetting_text import forget_text, preview_text

FORGOTTEN = "The user is allergic to peanuts"
PARAPHRASE = "The user can't eat peanuts because of an allergy"
OTHER = "The user's dog is called Rex"
SAID = "As you know I can't eat peanuts. And Rex, my dog, is fine."


def concluding(*contents: str) -> Callable[[Asked], object]:
    def reads(n: int, _who: str, text: str, _known: object) -> list[dict[str, Any]]:
        return [add(text[:20], n, content, predicate=content[-4:]) for content in contents]

    return reader(reads)


def vectors_kept(home: Path) -> int:
    with sqlite3.connect(home / "memoria.db") as connection:
        (count,) = connection.execute("SELECT count(*) FROM tombstone_vectors").fetchone()
    connection.close()
    return int(count)


async def contents(
    home: Path, model: ScriptedModel, embedder: BundledEmbedder, **settings: object
) -> tuple[set[str], str]:
    """What is remembered after something was forgotten and a model concludes it again."""
    model.answer = concluding(PARAPHRASE, OTHER)
    async with opened(home, model, loaded=embedder, **settings) as m:
        kept = await m.remember(FORGOTTEN)
        await m.forget_memory([kept.id])
        await said(m, SAID)
        (entry,) = await entries(m)
        left = [one for one in await memories(m) if one.validity != "archived"]
        return {memory.content for memory in left}, entry.outcome or ""


@pytest.mark.sqlite("looks into the file")
async def test_by_default_no_vector_is_kept_and_only_the_words_are_known_again(
    home: Path, model: ScriptedModel, embedder: BundledEmbedder
) -> None:
    kept, _ = await contents(home, model, embedder)
    assert kept == {PARAPHRASE, OTHER}
    assert vectors_kept(home) == 0


@pytest.mark.sqlite("looks into the file")
async def test_a_paraphrase_of_what_was_forgotten_is_turned_away_and_nothing_else(
    home: Path, model: ScriptedModel, embedder: BundledEmbedder
) -> None:
    kept, outcome = await contents(home, model, embedder, forget_similarity=0.8)
    assert kept == {OTHER}
    assert outcome == "ADD 1; rejected: forgotten 1"
    assert vectors_kept(home) == 1


@pytest.mark.sqlite("looks into the file")
async def test_what_the_user_wants_back_may_be_said_in_other_words_too(
    home: Path, model: ScriptedModel, embedder: BundledEmbedder
) -> None:
    async with opened(home, model, loaded=embedder, forget_similarity=0.8) as m:
        kept = await m.remember(FORGOTTEN)
        await m.forget_memory([kept.id])
        await m.remember(FORGOTTEN, again=True)
    assert vectors_kept(home) == 0


@pytest.mark.sqlite("looks into the file")
async def test_forgetting_does_not_wait_for_an_embedder_that_fails(
    home: Path, model: ScriptedModel
) -> None:
    endpoint: dict[str, Any] = {
        "embedding_base_url": "http://127.0.0.1:9/v1",
        "embedding_model": "none",
    }
    async with opened(home, model, embedder="endpoint", forget_similarity=0.8, **endpoint) as m:
        kept = await m.remember(FORGOTTEN)
        forgotten = await m.forget_memory([kept.id])
    assert forgotten.memories == (kept.id,)
    assert vectors_kept(home) == 0


async def test_a_summary_does_not_say_it_in_other_words_either(
    home: Path, model: ScriptedModel, embedder: BundledEmbedder
) -> None:
    said_there = [("user", "What may I cook for Ida?"), ("assistant", "Rice, and no nuts at all.")]
    summary = {
        "summary": f"Dinner was planned. {PARAPHRASE}.",
        "quotes": [{"turn": 1, "quote": "Ida"}],
    }
    model.answer = answers(episode=lambda _: summary)
    async with opened(home, model, loaded=embedder, forget_similarity=0.8) as m:
        kept = await m.remember(FORGOTTEN)
        await m.forget_memory([kept.id])
        await said(m, *said_there, *said_there)
        (entry,) = await entries(m, "episode")
        assert entry.outcome == "rejected: forgotten 1"
        assert await memories(m) == []


async def test_nothing_is_concluded_while_nobody_can_tell_what_it_means(
    home: Path, model: ScriptedModel, embedder: BundledEmbedder
) -> None:
    async with opened(home, model, loaded=embedder, forget_similarity=0.8) as m:
        kept = await m.remember(FORGOTTEN)
        await m.forget_memory([kept.id])
    model.answer = concluding(PARAPHRASE)
    endpoint: dict[str, Any] = {
        "embedding_base_url": "http://127.0.0.1:9/v1",
        "embedding_model": "none",
    }
    async with opened(home, model, embedder="endpoint", **endpoint) as m:
        await said(m, SAID)
        (entry,) = await entries(m)
        assert entry.state == "waiting"
        assert entry.not_before > entry.created_at
        assert await memories(m) == []


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
