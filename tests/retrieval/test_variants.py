"""Other wordings of a question are searched for with it, and answered within one budget."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.retrieval.toys import hits_of
from typer.testing import CliRunner

import memoria
from memoria import Memoria, Settings
from memoria.errors import InvalidInputError
from memoria.model import SearchResult
from memoria.surface.cli.main import app

SAID = (
    "We moved the nightly backups of the orders table over to the Helsinki bucket.",
    "Lena swims in the lake before work, even in winter.",
    "Tomas spends his Sundays bouldering at the old mill.",
    "The quarterly invoice goes to the accountant on the third.",
    "我们把订单表的夜间备份搬到了赫尔辛基的存储桶。",
    "托马斯星期天在旧磨坊攀岩。",
)
QUESTIONS = {
    "en": ("Which sports do my friends do?", ("swims in the lake", "bouldering, climbing"), (1, 2)),
    "zh": ("朋友们做什么运动？", ("星期天攀岩",), (5,)),
}


@asynccontextmanager
async def opened(home: Path) -> AsyncIterator[Memoria]:
    async with memoria.open(settings=Settings.load(home=home, embedder="off")) as m:
        yield m


async def fill(m: Memoria) -> None:
    turns = [
        {"role": "user", "content": text, "session_id": f"s{n}", "message_id": str(n)}
        for n, text in enumerate(SAID)
    ]
    await m.record_conversation(turns)


def found_numbers(result: SearchResult) -> set[int]:
    return {int(hit.source.message_id or -1) for hit in hits_of(result)}


@pytest.mark.parametrize("language", QUESTIONS)
async def test_another_wording_finds_what_the_question_does_not(home: Path, language: str) -> None:
    question, queries, numbers = QUESTIONS[language]
    async with opened(home) as m:
        await fill(m)
        for search in (m.search_memory, m.search_conversation_traces):
            alone, together = await search(question), await search(question, queries=queries)
            assert not found_numbers(alone) & set(numbers)
            assert set(numbers) <= found_numbers(together)


async def test_a_wording_said_twice_changes_nothing(home: Path) -> None:
    question = "Where do the nightly backups of the orders go?"
    async with opened(home) as m:
        await fill(m)
        alone = await m.search_conversation_traces(question)
        assert await m.search_conversation_traces(question, queries=[question]) == alone


async def test_a_wording_that_leads_astray_leaves_the_answer_first(home: Path) -> None:
    question, astray = "Where do the nightly backups go?", ("the quarterly invoice", "lake winter")
    async with opened(home) as m:
        await fill(m)
        for search in (m.search_memory, m.search_conversation_traces):
            found = await search(question, queries=astray)
            assert found.hits[0].source.message_id == "0"
            assert {1, 3} <= found_numbers(found)


async def test_wordings_share_one_budget_and_one_limit(home: Path) -> None:
    question, queries, _ = QUESTIONS["en"]
    async with opened(home) as m:
        await fill(m)
        few = await m.search_conversation_traces(question, queries=queries, limit=1)
        small = await m.search_conversation_traces(question, queries=queries, max_tokens=60)
    assert len(few.hits) == 1
    assert small.tokens <= 60


async def test_an_explanation_covers_what_a_wording_found(home: Path) -> None:
    question, queries, numbers = QUESTIONS["en"]
    async with opened(home) as m:
        await fill(m)
        found = await m.search_conversation_traces(question, queries=queries, explain=True)
    assert found.explanation is not None
    shown = {each.id for each in found.explanation.candidates if each.outcome == "shown"}
    assert shown == {hit.id for hit in found.hits}
    assert len(shown) == len(numbers)


@pytest.mark.parametrize(
    ("queries", "why"),
    [
        (["a"] * 5, "queries: there are 5; 4 is the most"),
        (["  ", "lake"], "queries: one of them is empty. Leave it out"),
        ("lake", "queries: it must be a list"),
        ([3], "queries.0: it must be a text"),
    ],
)
async def test_wordings_that_are_no_wordings_are_refused_by_name_in_plain_words(
    home: Path, queries: object, why: str
) -> None:
    async with opened(home) as m:
        with pytest.raises(InvalidInputError, match=re.escape(why)):
            await m.search_memory("lake", queries=queries)


def test_a_wording_with_a_comma_is_one_wording_on_the_command_line(home: Path) -> None:
    run = CliRunner()
    env = {"MEMORIA_HOME": str(home), "MEMORIA_EMBEDDER": "off"}
    for text in SAID[:3]:
        run.invoke(app, ["remember", text], env=env)
    found = run.invoke(
        app, ["search", "which sports", "--queries", "bouldering, old mill", "--json"], env=env
    )
    assert "bouldering" in found.stdout
    assert "backups" not in found.stdout
