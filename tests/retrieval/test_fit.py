"""Whether anything shown is an answer: what the embedder has learnt of answers decides."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.retrieval.toys import MEANINGS, ToyEmbedder, keep, texts_of

import memoria
from memoria.inference import DEFAULT_CALIBRATION
from memoria.inference.embedder import BundledEmbedder
from memoria.model import Vector

CAR = next(n for n, words in enumerate(MEANINGS) if "car" in words)


class TaughtEmbedder(ToyEmbedder):
    """The toy, taught what it counts for an answer that both speak of cars."""

    def __init__(self, weight: float) -> None:
        """Every other meaning counts as in the cosine."""

        def read() -> Vector:
            weights = np.ones_like(self.embed_query("car"))
            weights[CAR] = weight
            return weights

        self.calibration = replace(DEFAULT_CALIBRATION, read_answering=read)


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.parametrize(("weight", "is_answer"), [(1.0, True), (0.0, False), (0.2, False)])
@pytest.mark.parametrize(("question", "queries"), [("vehicle", ()), ("giraffe", ("vehicle",))])
async def test_what_counts_little_for_an_answer_makes_none_in_any_wording(
    tmp_path: Path, question: str, queries: Sequence[str], weight: float, *, is_answer: bool
) -> None:
    async with memoria.open(home=tmp_path / "home", embedder=TaughtEmbedder(weight)) as m:
        keep(m, "A car", "2023-01-01")
        await m.wait_until_idle(60)
        found = await m.search_memory(question, queries=queries)
    assert texts_of(found) == ["A car"]
    assert found.answered is is_answer


@pytest.mark.parametrize(
    ("told", "asked", "near"),
    [
        (
            "The ferry to Gotland leaves at 14:10 on Saturday.",
            "What time does the ferry leave?",
            "What does the train ticket cost?",
        ),
        ("测试库的端口是5433。", "测试库是哪个端口？", "打印机的密码是什么？"),
    ],
)
async def test_who_asks_what_was_told_is_answered_and_who_asks_something_else_is_not(
    tmp_path: Path, embedder: BundledEmbedder, told: str, asked: str, near: str
) -> None:
    async with memoria.open(home=tmp_path / "home", embedder=embedder) as m:
        await m.record_conversation([{"role": "user", "content": told}], session_id="s")
        await m.wait_until_idle(60)
        answers = [(await m.search_memory(question)).answered for question in (asked, near)]
    assert answers == [True, False]
