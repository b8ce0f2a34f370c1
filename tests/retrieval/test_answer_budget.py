"""What an answer costs: no more than it may, counted as a common model counts."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from bench.tokens import count_tokens

import memoria
from memoria import Memoria
from memoria.surface.text import result_text

REMARKS = (
    "The boat yard opens at 8:30, and the crane (no. 4) costs 120 euros an hour.",
    "船厂八点半开门，四号吊车一小时一百二十元，电话13900001111。",
    "My berth is B-17; the mooring licence ML-2026-0417 ends on 2026-09-30.",
    "```python\ndef is_open(hour: int) -> bool:\n    return 8 <= hour < 18\n```",
    "Sail list:\n- main sail, 24 m²\n- [ ] spinnaker 🎈\n\n| sail | age |\n|---|---|\n| jib | 3 |",
    "我女儿小雨下周六（6月20日）要参加帆船比赛，报名费三百八十元，教练是陈海波。",
    "Thanks! 👍🏽⛵ See you at the yard.",
    "The forecast says wind from the west, four to five, and rain in the evening; we leave early.",
)
PLAN = "Check the hull for cracks, sand it, and paint it twice before the boat goes in. "


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    """One event loop, so that the home can outlive a test."""
    return "asyncio"


@pytest.fixture(scope="module")
async def yard(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Memoria]:
    """Short remarks in both languages with numbers, signs and emoji, and long answers."""
    home: Path = tmp_path_factory.mktemp("yard")
    async with memoria.open(home=home, settings=memoria.Settings(embedder="off")) as m:
        for day in range(1, 9):
            turns = [
                {
                    "session_id": f"yard {day % 3}",
                    "role": "assistant" if i % 3 == 2 else "user",
                    "content": f"{remark} {PLAN * (12 * (i % 3 == 2))}Day {day}.",
                    "at": f"2026-06-{day:02}T08:{i:02}:00Z",
                }
                for i, remark in enumerate(REMARKS)
            ]
            await m.record_conversation(turns)
        yield m


@pytest.mark.parametrize("max_tokens", [50, 100, 300, 700, 2000, 4000])
async def test_no_answer_costs_a_model_more_than_it_may(yard: Memoria, max_tokens: int) -> None:
    for question in (
        "What does the crane at the boat yard cost?",
        "小雨的帆船比赛是哪天？",
        "When does the licence ML-2026-0417 end?",
        "Which sails are on the sail list?",
        "Who repairs the piano?",
    ):
        for search in (yard.search_memory, yard.search_conversation_traces):
            for limit in (None, 1, 30):
                found = await search(question, max_tokens=max_tokens, limit=limit)
                text = result_text(found)
                assert count_tokens(text) <= max_tokens
        if max_tokens >= 200:
            package = await yard.build_context(question, max_tokens=max_tokens)
            assert count_tokens(package.text) <= max_tokens
    assert len((await yard.search_conversation_traces("crane hull sand paint")).hits) >= 10


@pytest.mark.parametrize(("max_tokens", "adds"), [(100, False), (300, True)])
async def test_other_wordings_are_named_where_the_budget_leaves_the_hits_their_room(
    yard: Memoria, max_tokens: int, *, adds: bool
) -> None:
    for search in (yard.search_memory, yard.search_conversation_traces):
        found = await search("Who repairs the piano?", max_tokens=max_tokens)
        assert (len(found.hits) >= 1, "Add queries:" in result_text(found)) == (True, adds)
