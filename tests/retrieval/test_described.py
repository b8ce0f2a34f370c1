"""Whoever is told by what is said of them is found under the name that the record gives them."""

from collections.abc import AsyncIterator

import pytest

import memoria
from memoria import Memoria, Settings
from memoria.retrieval.query.described import find_description

SAID = (
    "My colleague Vera keeps bees.",
    "Vera spent her childhood in Trondheim.",
    "Tomas spent his childhood in a village by the sea.",
    "Ida spent her childhood on a farm.",
    "My neighbour Paul plays the cello.",
    "我婶婶特别爱养蜂。",
    "我婶婶的老家是石家庄。",
    "我表哥的老家是青岛。",
    "我同事的老家是郑州。",
    "我叔叔喜欢钓鱼。",
)
QUESTIONS = {
    "en": ("Where did the colleague who keeps bees spend her childhood?", SAID[0:2]),
    "zh": ("那个爱养蜂的人，老家是哪里？", SAID[5:7]),
}
NOBODY = ("Who keeps bees?", "Which book did I say that I like?", "那个周末我们做了什么？")


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def m(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Memoria]:
    """What is told of several people, one thing a session."""
    home = tmp_path_factory.mktemp("described") / "home"
    async with memoria.open(settings=Settings.load(home=home, embedder="off")) as opened:
        for text in SAID:
            turn = {"role": "user", "content": text, "session_id": text}
            await opened.record_conversation([turn])
        yield opened


def test_a_description_is_told_from_a_name() -> None:
    for question, _ in QUESTIONS.values():
        assert find_description(question)
    for question in NOBODY:
        assert find_description(question) is None
