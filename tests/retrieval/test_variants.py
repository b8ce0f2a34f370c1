"""Other wordings of a question are searched for with it, and answered within one budget."""

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.retrieval.toys import hits_of
from typer.testing import CliRunner

import memoria
from memoria import Memoria, Settings
from memoria.errors import InvalidInputError
from memoria.model import SearchResult, StoredTurn
from memoria.retrieval.ranking.candidates import FusedCandidate, ScoredCandidate
from memoria.retrieval.ranking.rerank import fuse_searches
from memoria.retrieval.ranking.threshold import RelevanceSignals
from memoria.surface.cli.answers import render_answer
from memoria.surface.cli.main import app
from memoria.surface.text import result_text

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


def first_of(pair: tuple[int, float]) -> int:
    return pair[0]


def stand_in(n: int, score: float) -> ScoredCandidate:
    """A candidate of which only its place is looked at."""
    known: dict[str, Any] = {"id": str(n), "n": n}
    turn = StoredTurn.model_construct(**known)
    signals = RelevanceSignals(0.0, 0.0)
    return ScoredCandidate(
        turn, FusedCandidate(n, score), signals, score, {}, score, frozenset(), 0.0
    )


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


async def say(m: Memoria, texts: Sequence[str]) -> None:
    turns = [
        {"role": "user", "content": text, "session_id": f"s{n}", "message_id": str(n)}
        for n, text in enumerate(texts)
    ]
    await m.record_conversation(turns)


async def list_found(m: Memoria, question: str, queries: Sequence[str]) -> list[list[int]]:
    """The messages found at each level, in their order."""
    levels = (m.search_memory, m.search_conversation_traces)
    results = [await search(question, queries=queries, limit=20) for search in levels]
    return [[int(hit.source.message_id or -1) for hit in result.hits] for result in results]


async def test_what_one_wording_alone_finds_stands_among_the_first(home: Path) -> None:
    fences = [f"The fence of garden {n} wants another coat of paint." for n in range(12)]
    async with opened(home) as m:
        await say(m, [*fences, "We handed the allotment back to the council."])
        for found in await list_found(m, "the fence of my garden", ["gave the allotment back"]):
            assert 12 in found[:2]


async def test_what_several_wordings_find_stands_before_what_one_finds(home: Path) -> None:
    async with opened(home) as m:
        await say(
            m,
            (
                "The violin is at the repair shop.",
                "Choir practice begins at eight.",
                "Since spring I teach violin where the choir rehearses.",
            ),
        )
        for found in await list_found(m, "violin", ["choir", "teach, lessons"]):
            assert found[0] == 2


@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 9), st.floats(0.01, 1)), max_size=8, unique_by=first_of),
        min_size=2,
        max_size=5,
    )
)
def test_no_document_of_several_wordings_is_called_worse_than_one_behind_it(
    found: list[list[tuple[int, float]]],
) -> None:
    rankings = [
        [stand_in(n, score) for n, score in sorted(one, key=lambda each: -each[1])] for one in found
    ]
    joined = fuse_searches(rankings)
    scores = [each.score for each in joined]
    assert scores == sorted(scores, reverse=True)
    assert {each.candidate.n for each in joined} == {n for one in found for n, _ in one}


async def test_wordings_share_one_budget_and_one_limit(home: Path) -> None:
    question, queries, _ = QUESTIONS["en"]
    async with opened(home) as m:
        await fill(m)
        few = await m.search_conversation_traces(question, queries=queries, limit=1)
        small = await m.search_conversation_traces(question, queries=queries, max_tokens=60)
    assert len(few.hits) == 1
    assert small.tokens <= 60


async def test_a_question_in_one_wording_that_finds_little_is_told_what_to_add(home: Path) -> None:
    async with opened(home) as m:
        await fill(m)
        for search in (m.search_memory, m.search_conversation_traces):
            question = "Which instrument does my daughter learn?"
            first, *_ = result_text(await search(question)).splitlines()
            assert first.startswith(
                "Nothing fits well. Add queries: other words for “instrument daughter”; what"
            )
            assert first.endswith(" Nearest:")
            assert render_answer(await search(question), 200).startswith(
                "Nothing fits well. Other words for “instrument daughter” may find more: --query"
            )
            widened = result_text(await search(question, queries=["cello lessons"]))
            answered = result_text(await search("Where do the nightly backups of the orders go?"))
            assert "Add queries" not in widened + answered


@pytest.mark.parametrize("question", ["what did I say last week?", "what was E1437 about?"])
async def test_no_other_words_are_asked_for_where_a_time_or_a_code_is(
    home: Path, question: str
) -> None:
    async with opened(home) as m:
        await fill(m)
        assert "Add queries" not in result_text(await m.search_memory(question))


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
        (["a"] * 9, "queries: there are 9; 8 is the most"),
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
        app, ["search", "which sports", "--query", "bouldering, old mill", "--json"], env=env
    )
    assert "bouldering" in found.stdout
    assert "backups" not in found.stdout
