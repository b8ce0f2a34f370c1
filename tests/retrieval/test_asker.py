"""A question about "the user" is not answered with whatever is remembered of the user."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.retrieval.toys import texts_of

import memoria
from memoria import Memoria, Settings

LEEDS, NUTS, TEA = "The user lives in Leeds", "The user is allergic to nuts", "用户喜欢喝茶"


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module", params=["bundled", "off"])
async def m(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Memoria]:
    """A home with three memories of the user."""
    home: Path = tmp_path_factory.mktemp("asker") / "home"
    settings = Settings(home=home, embedder=request.param)
    async with memoria.open(settings=settings) as opened:
        for text in (LEEDS, NUTS, TEA):
            await opened.remember(text)
        await opened.wait_until_idle(60)
        yield opened


@pytest.mark.parametrize(
    "question",
    [
        "what car does the user drive",
        "What is the user's shoe size?",
        "Which football club does the user support?",
        "用户的血型是什么？",
        "用户的银行卡号是多少",
    ],
)
async def test_what_nobody_has_said_of_the_user_is_called_no_answer(
    m: Memoria, question: str
) -> None:
    assert not (await m.search_memory(question)).answered


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Where does the user live?", LEEDS),
        ("What is the user allergic to?", NUTS),
        ("用户喜欢喝什么？", TEA),
    ],
)
async def test_what_was_said_of_the_user_is_found_by_that_name(
    m: Memoria, question: str, answer: str
) -> None:
    assert texts_of(await m.search_memory(question))[:1] == [answer]


async def test_a_question_for_nothing_but_the_user_finds_what_is_known(m: Memoria) -> None:
    assert set(texts_of(await m.search_memory("Who is the user?"))) >= {LEEDS, NUTS}
