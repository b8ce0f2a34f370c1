"""The record answers what it holds, however it is asked, and nothing that it does not hold."""

from collections.abc import AsyncIterator

import pytest

import memoria
from memoria import Memoria

SAID = {
    "en": [
        "Mira: I finally repaired the greenhouse roof before the storm in March",
        "Jonas: My sister moved her bakery to the harbour, rents are lower there",
        "Mira: We planted tomatoes, beans and a row of sunflowers along the fence",
        "Jonas: The ferry to the island was cancelled twice this week",
        "Mira: I am learning to play the accordion from an old neighbour",
        "Jonas: The doctor told me to sleep more and to drink less coffee",
    ],
    "zh": [
        "我上周末把阳台的花架修好了",
        "最近睡眠不太好，医生让我少喝咖啡",
        "邻居老太太在教我拉手风琴",
        "妹妹的面包店搬到码头边上了，租金便宜",
        "去岛上的渡轮这周停了两次",
        "我种了一些西红柿和向日葵",
    ],
}
HELD = {
    "en": [
        "What did Jonas's doctor advise?",
        "When did Mira fix the roof of the greenhouse?",
        "Which instrument is Mira taking up?",
        "Where is the shop of Jonas's sister now?",
    ],
    "zh": ["医生叫我少喝什么？", "谁在教我拉手风琴？", "妹妹的店搬去了哪里？", "我种了什么？"],
}
FOREIGN = {
    "en": [
        "Which chess opening did Pavel study before the tournament?",
        "How many concurrent connections did the load test of the payment service reach?",
        "What did Rosalind name her second telescope?",
        "How many flowers does the botanical garden sell each year?",
    ],
    "zh": [
        "《铁河往事》的导演是谁？",
        "周文博的上司毕业于哪所大学？",
        "钢琴老师的电话是多少？",
        "花店一周卖多少束花？",
        "那个参加人数超过两千人的机器人竞赛，它的报名截止日期是哪一天，另外获奖队伍的指导教师姓什么？",
    ],
}


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module", params=["en", "zh"])
async def told(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[tuple[str, Memoria]]:
    """A language and what was said in it."""
    language = str(request.param)
    async with memoria.open(home=tmp_path_factory.mktemp("silence") / language) as m:
        turns = [
            {
                "role": "user",
                "content": text.rpartition(": ")[2],
                "speaker": text.rpartition(": ")[0] or None,
                "at": f"2024-03-{1 + i:02}",
            }
            for i, text in enumerate(SAID[language])
        ]
        await m.record_conversation(turns, session_id="s")
        await m.wait_until_idle(60)
        yield language, m


async def test_what_the_record_holds_is_answered(told: tuple[str, Memoria]) -> None:
    language, m = told
    for question in HELD[language]:
        assert (await m.search_conversation_traces(question)).hits, question


async def test_what_it_does_not_hold_is_met_with_silence(told: tuple[str, Memoria]) -> None:
    language, m = told
    for question in FOREIGN[language]:
        assert not (await m.search_conversation_traces(question)).hits, question
