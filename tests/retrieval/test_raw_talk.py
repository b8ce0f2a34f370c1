"""The first level without a model: turns stand in for what nobody has concluded from them."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
from tests.retrieval.toys import hits_of, texts_of

import memoria
from memoria import Memoria, SearchResult

TALK = {
    "pottery": [
        "Ines: Have you started with the kiln yet?",
        "Tomas: I fired two bowls in the kiln on Saturday, and one of them cracked.",
        "Ines: Oh no. Which glaze was it?",
        "Tomas: The cobalt one. It ran down the side and stuck to the shelf.",
        "Ines: My teacher dries everything for a week before it goes in.",
    ],
    "茶": [
        "李薇: 你的茶园今年怎么样？",
        "陈阳: 四月的霜把一半新芽冻坏了。",
        "李薇: 那今年还能采多少？",
        "陈阳: 大概三百斤，比去年少一半。",
    ],
    "boat": [
        "Ines: Is the boat in the water?",
        "Tomas: Not before the mast is back from the yard.",
        "Ines: Then we take the train to the islands.",
    ],
}
ADVICE = [
    "嗓子疼就喝点加蜂蜜的鼠尾草茶，尽量少说话。",
    "每天整理一个抽屉，一个月整间屋子就收拾好了。",
    "For a hoarse voice drink sage tea with honey and speak as little as you can.",
    "A paper crane is easy to fold; start with a square sheet and crease both diagonals.",
]
HABITS = [
    "我平时坐电车去菜市场，比公交快。",
    "我每次都先把鱼洗净再抹盐。",
    "我在厨房里经常把菜烧焦。",
]
MESSAGE = (
    "Hello again! My favourite colour is teal, so use that for the headings wherever you can. "
    "About the release: the importer stops on invoices without a tax number, the supplier portal "
    "logs people out after nine minutes, and the nightly export to the warehouse in Tromso ends "
    "with a timeout since the certificate was renewed. Could you look at the export first?"
)


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def m(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Memoria]:
    """Talk that no model has read."""
    home = tmp_path_factory.mktemp("raw") / "home"
    async with memoria.open(home=home, tenant="t") as opened:
        for session, lines in TALK.items():
            await opened.record_conversation(list(_read_turns(lines)), session_id=session)
        message = {"role": "user", "content": MESSAGE, "at": "2024-03-09"}
        await opened.record_conversation([message], session_id="work")
        await opened.remember("My favourite colour is teal.", type="preference")
        await opened.wait_until_idle(60)
        yield opened


def _read_turns(lines: Sequence[str]) -> list[dict[str, str]]:
    said = (line.split(": ", 1) for line in lines)
    return [
        {"role": "user", "speaker": who, "content": words, "at": f"2024-03-08T10:{i:02}"}
        for i, (who, words) in enumerate(said)
    ]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which glaze ran when Tomas fired his bowls in the kiln?", "The cobalt one"),
        ("Why do Ines and Tomas not sail to the islands?", "mast is back"),
        ("今年四月茶园能采多少？", "三百斤"),
    ],
)
async def test_a_turn_is_found_by_the_talk_around_it(
    m: Memoria, question: str, answer: str
) -> None:
    found = await m.search_memory(question)
    assert any(answer in text for text in texts_of(found)[:4]), texts_of(found)


@pytest.mark.parametrize(
    "question",
    [
        "Which glaze ran down the side of the bowl?",
        "今年茶园采多少茶？",
        "Is the boat in the water?",
    ],
)
async def test_a_higher_limit_shows_all_hits_of_a_lower_one(m: Memoria, question: str) -> None:
    def ids(found: SearchResult) -> list[str]:
        return [hit.id for hit in hits_of(found)]

    most = ids(await m.search_memory(question, limit=20, max_tokens=8000))
    assert len(most) > 1
    for limit in (1, 2, 3, 5):
        fewer = ids(await m.search_memory(question, limit=limit, max_tokens=8000))
        assert {*fewer} <= {*most}


async def test_a_long_message_is_found_beside_the_memory_of_one_of_its_sentences(
    m: Memoria,
) -> None:
    colour = await m.search_memory("What is my favourite colour?")
    assert colour.hits[0].kind == "memory"
    export = await m.search_memory("Why does the nightly export to the warehouse time out?")
    assert "certificate was renewed" in export.hits[0].text


async def test_what_has_nothing_to_do_with_the_question_is_no_hit_beside_what_fits(
    m: Memoria,
) -> None:
    found = await m.search_memory("Which glaze ran down the side and stuck to the shelf?")
    assert "cobalt" in found.hits[0].text
    assert not any("霜" in hit.text or "train" in hit.text for hit in hits_of(found))


@pytest.fixture(scope="module")
async def talker(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Memoria]:
    """Advice and habits in turns that no model has read."""
    home = tmp_path_factory.mktemp("talker") / "home"
    async with memoria.open(home=home, tenant="t") as opened:
        for role, said in (("assistant", ADVICE), ("user", HABITS)):
            for n, line in enumerate(said):
                turn = {"role": role, "content": line, "at": f"2024-03-0{n + 1}T10:00"}
                await opened.record_conversation([turn], session_id=f"{role} {n}")
        await opened.wait_until_idle(60)
        yield opened


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("我喉咙不舒服该喝什么？", "鼠尾草茶"),
        ("Is there simple origami?", "paper crane"),
    ],
)
async def test_a_question_in_other_words_is_answered_by_the_turn_it_is_about(
    talker: Memoria, question: str, answer: str
) -> None:
    found = await talker.search_memory(question)
    assert answer in found.hits[0].text


ELSE = ("我为什么对水管工发火？", "谁修了我家屋顶？")


@pytest.mark.parametrize("question", ELSE)
async def test_a_turn_about_something_else_is_no_answer(talker: Memoria, question: str) -> None:
    assert not (await talker.search_memory(question)).answered


async def test_a_memory_of_something_else_is_no_answer(tmp_path: Path) -> None:
    async with memoria.open(home=tmp_path / "home", tenant="t") as opened:
        for habit in HABITS:
            await opened.remember(habit)
        await opened.wait_until_idle(60)
        for question in ELSE:
            found = await opened.search_memory(question)
            assert (found.answered, bool(found.hits)) == (False, True)
