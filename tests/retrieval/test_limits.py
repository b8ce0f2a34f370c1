"""The limit says how much of one ranking is shown. It never says who comes first."""

import random
from itertools import pairwise
from pathlib import Path

import pytest
from tests.retrieval.toys import hits_of, keep

import memoria
from memoria import Memoria, SearchResult

LIMITS = (1, 5, 12, 27, 31, 41, 45, 50)
QUESTIONS = (
    "Which kiln is in the garden?",
    "How many hours did the move of the violin take?",
    "Where does my sister keep the lantern?",
    "Have I ever had a tent?",
    "Which version of the bicycle tool do we use?",
    "What did Ines buy for the kitchen, and where is the report?",
    "茶壶现在多少钱？",
    "我妈妈在哪里养了灯笼？",
    "我有没有过自行车？",
)
LINES = (
    "The {thing} in the {place} broke on a Friday.",
    "I bought a new {thing} for the {place}.",
    "We moved the {thing} to the {place} and it took {number} hours.",
    "My sister keeps a {thing} in the {place}.",
    "The {thing} costs {number} euros now.",
    "No, I never had a {thing}.",
    "Did you see the {thing} at the {place}?",
    "We use version {number} of the {thing} tool.",
)
CHINESE_LINES = (
    "我在{place}买了一个{thing}。",
    "{thing}放在{place}里，花了{number}个小时。",
    "我妈妈在{place}养了{thing}。",
    "{thing}现在要{number}块钱。",
    "我从来没有过{thing}。",
    "你在{place}看见{thing}了吗？",
)
THINGS = ("kiln", "boat", "lantern", "tent", "violin", "report", "bicycle")
PLACES = ("garden", "kitchen", "shed", "office", "museum")
CHINESE_THINGS = ("茶壶", "自行车", "灯笼", "帐篷", "小提琴", "报告")
CHINESE_PLACES = ("花园", "厨房", "办公室", "车站")


def write_line(dice: random.Random) -> str:
    """A line about one of few things, so that much of a home is near to any question."""
    kinds = ((LINES, THINGS, PLACES), (CHINESE_LINES, CHINESE_THINGS, CHINESE_PLACES))
    lines, things, places = dice.choices(kinds, (3, 2))[0]
    number = dice.randint(2, 40)
    line = dice.choice(lines)
    return line.format(thing=dice.choice(things), place=dice.choice(places), number=number)


async def settle(m: Memoria, turns: int, memories: int) -> None:
    """Talk of two people or of a user and an assistant, and memories beside it."""
    dice = random.Random(turns * 100 + memories)  # noqa: S311  (the same home in every run)
    for start in range(0, turns, 15):
        told = [
            {
                "role": dice.choice(("user", "user", "assistant")),
                "content": write_line(dice),
                "at": f"2024-{1 + start // 15:02}-{1 + i:02}",
                **({"speaker": dice.choice(("Ines", "Tomas", "李薇"))} if turns % 2 else {}),
            }
            for i in range(min(15, turns - start))
        ]
        await m.record_conversation(told, session_id=f"s{start}")
    for i in range(memories):
        keep(m, write_line(dice), f"2024-02-{1 + i % 28:02}")
    await m.wait_until_idle(60)


@pytest.mark.parametrize(
    ("turns", "memories", "which"), [(10, 4, 0), (45, 20, 1), (60, 40, 0), (120, 5, 1)]
)
async def test_a_larger_limit_shows_all_hits_of_a_smaller_one(
    home: Path, turns: int, memories: int, which: int
) -> None:
    async with memoria.open(home=home, tenant="t") as m:
        await settle(m, turns, memories)
        for question in QUESTIONS[which::2]:
            for search in (m.search_memory, m.search_conversation_traces):
                shown = [
                    _list_ids(await search(question, limit=limit, max_tokens=100_000))
                    for limit in LIMITS
                ]
                for less, more in pairwise(shown):
                    assert {*less} <= {*more}, (search.__name__, question)
                assert len(shown[-1]) <= LIMITS[-1]


def _list_ids(found: SearchResult) -> list[str]:
    assert found.omitted == 0
    return [hit.id for hit in hits_of(found)]
