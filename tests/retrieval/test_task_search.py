"""A search that names a task: its memories first, those of no task next, those of others not."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.retrieval.toys import keep, texts_of

import memoria
from memoria import Memoria, Settings


@pytest.fixture
async def m(home: Path) -> AsyncIterator[Memoria]:
    async with memoria.open(settings=Settings(home=home, embedder="off")) as opened:
        yield opened


@pytest.mark.parametrize(
    ("query", "own", "general", "other", "task", "other_task"),
    [
        (
            "which port does the staging gateway use",
            "The staging gateway port was opened at last",
            "The staging gateway port used is 8443",
            "The staging gateway port used by billing is 9000",
            "move the gateway",
            "rewrite the billing",
        ),
        (
            "预发网关用哪个端口",
            "预发网关的端口终于打开了",
            "预发网关用的端口是8443",
            "计费用的预发网关端口是9000",
            "迁移网关",
            "重写计费模块",
        ),
    ],
    ids=["English", "Chinese"],
)
async def test_memories_of_a_named_task_come_first_and_those_of_others_not_at_all(
    m: Memoria, query: str, own: str, general: str, other: str, task: str, other_task: str
) -> None:
    keep(m, general, "2023-01-01")
    keep(m, other, "2023-01-01", task=other_task)
    keep(m, own, "2023-01-01", task=task)
    found = await m.search_memory(query, task=task)
    assert texts_of(found)[0] == own
    assert other not in texts_of(found)
    assert any("other tasks" in note for note in found.notes)
    assert {other, own, general} & {*texts_of(await m.search_memory(query))}


async def test_a_task_is_recognised_in_other_words_and_what_is_its_own_is_found_among_many(
    m: Memoria,
) -> None:
    for n in range(60):
        keep(m, f"The gateway port note {n} about the gateway port", "2023-01-01")
        keep(m, f"The gateway port aside {n} of the gateway port", "2023-01-01", task="paint it")
    own = keep(m, "A gateway was given some port in the end", "2023-01-01", task="move the gateway")
    found = await m.search_memory("gateway port", task="moving the gateway", limit=3)
    assert found.hits[0].id == own
    assert not [text for text in texts_of(found) if "aside" in text]


async def test_where_nothing_is_noted_for_a_task_the_answer_says_so(m: Memoria) -> None:
    keep(m, "The gateway port is 8443", "2023-01-01")
    found = await m.search_memory("gateway port", task="bake bread")
    assert texts_of(found) == ["The gateway port is 8443"]
    assert any("bake bread" in note for note in found.notes)


async def test_a_rule_of_another_task_does_not_bind_in_a_named_one(m: Memoria) -> None:
    await m.remember("Use the draft branch of the parser", type="rule", task="write the parser")
    found = await m.search_memory("which branch of the parser", task="paint the kitchen")
    assert found.hits == ()
    assert (await m.search_memory("which branch of the parser", task="the parser")).hits
