"""The record answers what it holds, however it is asked, and nothing that it does not hold."""

from collections.abc import AsyncIterator
from pathlib import Path

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
        "What is the birthday of the neighbour who collects stamps?",
    ],
    "zh": [
        "《铁河往事》的导演是谁？",
        "周文博的上司毕业于哪所大学？",
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
        assert (await m.search_conversation_traces(question)).answered, question


async def test_what_it_does_not_hold_is_met_with_silence(told: tuple[str, Memoria]) -> None:
    language, m = told
    for question in FOREIGN[language]:
        assert not (await m.search_conversation_traces(question)).answered, question


async def test_what_was_said_on_the_day_that_a_question_names_needs_fewer_of_its_words(
    told: tuple[str, Memoria],
) -> None:
    language, m = told
    question, day, other = {
        "en": ("What did the physician say on {}?", "6 March 2024", "9 March 2024"),
        "zh": ("{}大夫说了什么？", "2024年3月2日", "2024年3月9日"),
    }[language]
    assert (await m.search_conversation_traces(question.format(day))).answered
    assert not (await m.search_conversation_traces(question.format(other))).answered


PLACES = ("青岩坪", "白鹭屿", "石匣沟", "望潮亭", "松鹤岭", "乌桕渡", "梨花堰", "鹿鸣坞")
NOTES = {
    "县志": "第三卷写到的山川河流都重新画了图，书局答应年底付印。卷末附有当地歌谣一百首",
    "气象站": "每隔六小时记录一次温度和风速。站里养着两条狗，夜里有人走近就会叫",
    "酱园": "晒场上排着四百口大缸，掌柜每天清早用竹竿搅动，午后盖上草盖",
    "合作社": "一共登记了七十二条木船。秋天的鱼多半腌好运到山里，换回茶叶和木炭",
    "纸坊": "用嫩竹和石灰沤三个月再舂成纸浆，一个熟练的工人一天能捞八百张",
    "船闸": "上下水位相差十一米，闸门每五年油漆一遍，那时候停航半个月",
    "果园": "种的是本地的小蜜橘，树下放养的鹅负责吃草，到年底卖给城里的饭馆",
    "戏班": "会唱的本子有四十多出，班主的嗓子坏了以后只打鼓，由他的大女儿领唱",
    "石桥": "三个桥洞，中间的最高，栏杆上的石狮子少了一只，据说掉进了河里",
    "小学校": "只有两间教室，操场边有一棵银杏，秋天老师带孩子们捡叶子做书签",
}
TRAVELLER = (
    "摘自一位旅行者的笔记：清早从渡口出发，走了四个钟头，中途在竹林里躲雨，看见三只白鹭。傍晚到蒲葑汊，"
    "住在一户人家的阁楼上，主人拿出自家做的米酒和腊肉招待，说这里三面环水，只有北边一条小路通往县城，"
    "路上有两座木桥，去年冬天才修好。"
)


async def test_a_long_note_answers_a_short_question_for_the_rare_name_that_stands_in_it_alone(
    tmp_path: Path,
) -> None:
    async with memoria.open(home=tmp_path / "home") as m:
        notes = [
            f"关于{place}的{what}，我摘抄了这些：{told}。这些内容我还没有核对，等有空再去查。"
            for place in PLACES
            for what, told in NOTES.items()
        ]
        for number, note in enumerate([*notes, TRAVELLER]):
            turn = {"role": "user", "content": note, "session_id": str(number)}
            await m.record_conversation([turn])
        await m.wait_until_idle(60)
        for question in ("蒲葑汊位于什么地方？", "蒲葑汊的特点是什么？"):
            found = await m.search_conversation_traces(question)
            assert "蒲葑汊" in found.hits[0].text, question  # cut to where the name stands


async def test_a_code_on_record_is_answered_with_what_holds_it_in_whatever_words_it_is_asked(
    told: tuple[str, Memoria],
) -> None:
    language, m = told
    line, question = {
        "en": (
            "Box AB27: nails, two hinges, the spare lock.",
            "For whose wedding or journey is AB27 useful?",
        ),
        "zh": ("AB27柜子：钉子、两副合页、备用锁。", "过节办酒席、出门远行，AB27派得上哪些用场？"),
    }[language]
    await m.record_conversation([{"role": "user", "content": line}], session_id="boxes")
    await m.wait_until_idle(60)
    found = await m.search_conversation_traces(question)
    assert found.hits[0].text == line
    unknown = await m.search_conversation_traces(question.replace("AB27", "QX7"))
    assert not unknown.answered


@pytest.mark.parametrize(
    ("word", "is_held"),
    [("zookeeper", False), ("API key", False), ("咖啡", True), ("birthday", True), ("血型", False)],
)
async def test_a_bare_word_that_stands_nowhere_fits_nothing_in_another_script(
    home: Path, word: str, is_held: bool
) -> None:
    said = [*SAID["zh"], "好的，祝她生日快乐", "请记住我的英文名叫 Leo", "好的", "价格字段怎么存？"]
    async with memoria.open(home=home) as m:
        await m.record_conversation([{"role": "user", "content": one} for one in said])
        await m.wait_until_idle()
        found = await m.search_conversation_traces(word)
    assert (found.answered, bool(found.hits)) == (is_held, True)
