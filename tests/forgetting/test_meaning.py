"""What was forgotten is known again in other words, where the user allows its vector to be kept."""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.ingest.play import add, answers, entries, memories, opened, reader, said
from tests.llm.scripted import Asked, ScriptedModel

from memoria.inference.bundled import BundledEmbedder

FORGOTTEN = "The user is allergic to peanuts"
PARAPHRASE = "The user can't eat peanuts because of an allergy"
OTHER = "The user's dog is called Rex"
SAID = "As you know I can't eat peanuts. And Rex, my dog, is fine."


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as scripted:
        yield scripted


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


async def test_by_default_no_vector_is_kept_and_only_the_words_are_known_again(
    home: Path, model: ScriptedModel, embedder: BundledEmbedder
) -> None:
    kept, _ = await contents(home, model, embedder)
    assert kept == {PARAPHRASE, OTHER}
    assert vectors_kept(home) == 0


async def test_a_paraphrase_of_what_was_forgotten_is_turned_away_and_nothing_else(
    home: Path, model: ScriptedModel, embedder: BundledEmbedder
) -> None:
    kept, outcome = await contents(home, model, embedder, forget_similarity=0.8)
    assert kept == {OTHER}
    assert outcome == "ADD 1; rejected: forgotten 1"
    assert vectors_kept(home) == 1


async def test_what_the_user_wants_back_may_be_said_in_other_words_too(
    home: Path, model: ScriptedModel, embedder: BundledEmbedder
) -> None:
    async with opened(home, model, loaded=embedder, forget_similarity=0.8) as m:
        kept = await m.remember(FORGOTTEN)
        await m.forget_memory([kept.id])
        await m.remember(FORGOTTEN, again=True)
    assert vectors_kept(home) == 0


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
