"""Where nothing fits, the nearest and a word on it; where the record has more, a hint."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.retrieval.toys import MEANINGS, ToyEmbedder, keep, texts_of

import memoria
from memoria import Memoria, Settings
from memoria.inference import DEFAULT_CALIBRATION
from memoria.inference.embedder import BundledEmbedder
from memoria.model import Vector
from memoria.surface.text import result_text

SUPPRESSED = "The vault code is E7700"
READ = "Deploy log: E4711 in /srv/app/main.log at step 12"


@pytest.fixture(scope="module")
async def m(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Memoria]:
    """Memories, turns nobody has read, turns that have been read, and a barred one."""
    home = tmp_path_factory.mktemp("silence") / "home"
    async with memoria.open(home=home, tenant="t", embedder=ToyEmbedder()) as opened:
        keep(opened, "Lin is allergic to peanuts", "2023-01-01")
        keep(opened, "Lin may move to Oslo, or not", "2023-01-01", confidence=0.2)
        keep(opened, "The quarterly budget of the harbour is planned in October", "2023-01-01")
        new = ["Nobody has read about the zeppelin yet"]
        read = [
            READ,
            "Peanuts make Lin ill",
            "Lin, a move to Oslo?",
            SUPPRESSED,
            *(f"Marble sample {i}" for i in range(12)),
        ]
        for session, lines in {"s": read, "new": new}.items():
            turns = [{"role": "user", "content": text, "at": "2023-01-01"} for text in lines]
            await opened.record_conversation(turns, session_id=session)
        await opened.wait_until_idle(60)
        with opened._store.write("t") as tx:  # noqa: SLF001  (as an extractor would)
            known = tx.conversations.session_turns("s", 0, 50)
            tx.conversations.mark_processed(known)
            tx.conversations.suppress_turn(
                next(each for each in known if each.content == SUPPRESSED)
            )
        yield opened


@pytest.mark.parametrize(
    ("queries", "first"),
    [
        ((), "Nothing fits well. Add queries: other words for “zebra Rotterdam retired”; "),
        (("a striped horse, pensioned off",), "Nothing fits well; nearest:\n"),
    ],
)
async def test_where_nothing_fits_the_first_line_says_so_and_the_nearest_is_shown(
    m: Memoria, queries: tuple[str, ...], first: str
) -> None:
    question = "Which zebra of Rotterdam retired with honours and cake?"
    found = await m.search_memory(question, queries=queries)
    assert (found.answered, bool(found.hits)) == (False, True)
    assert result_text(found).startswith(first)


async def test_what_nothing_on_record_comes_near_to_gets_no_hint(m: Memoria) -> None:
    found = await m.search_memory("xylophone quartet")
    assert (found.answered, found.hint) == (False, None)


async def test_an_empty_home_says_that_nothing_is_recorded_yet(tmp_path: Path) -> None:
    async with memoria.open(home=tmp_path / "home", embedder=ToyEmbedder()) as m:
        for search in (m.search_memory, m.search_conversation_traces):
            found = await search("xylophone quartet")
            assert (found.hits, found.answered) == ((), False)
            assert result_text(found) == "Nothing is recorded yet."


async def test_who_is_answered_is_given_no_hint(m: Memoria) -> None:
    found = await m.search_memory("What is Lin allergic to?")
    assert texts_of(found)[0] == "Lin is allergic to peanuts"
    assert (found.answered, found.hint) == (True, None)


@pytest.mark.parametrize(
    ("query", "begins"),
    [
        ("What were the exact words about peanuts?", "The exact words are in the record"),
        ("花生的原话 peanuts ill Lin", "The exact words are in the record"),
        ("what is E4711", "Codes, paths and addresses"),
        ("what does /srv/app/main.log say", "Codes, paths and addresses"),
        ("marble sample", "No sure match here"),
    ],
)
async def test_a_hint_says_why_the_record_is_worth_a_look(
    m: Memoria, query: str, begins: str
) -> None:
    found = await m.search_memory(query)
    assert found.hint is not None
    assert found.hint.startswith(begins)
    assert found.hint.endswith("call search_conversation_traces.")


async def test_a_hint_counts_the_turns_up_to_ten(m: Memoria) -> None:
    many = await m.search_memory("marble sample")
    assert not many.answered
    assert "10 or more turns match" in str(many.hint)
    query = "What were the exact words on the deploy log step?"
    one = await m.search_memory(query, without=["vectors"])
    assert "1 turn matches" in str(one.hint)


async def test_of_a_code_a_hint_counts_the_turns_that_hold_it_as_it_is_written(m: Memoria) -> None:
    found = await m.search_memory("E4711 marble sample")
    assert str(found.hint).startswith("Codes, paths and addresses")
    assert ": 1 turn matches;" in str(found.hint)


async def test_without_a_turn_that_fits_there_is_no_hint(m: Memoria) -> None:
    assert (await m.search_memory("the exact words on xylophones")).hint is None
    assert (await m.search_memory("E9999")).hint is None


async def test_a_literal_finds_turns_that_have_been_read_word_for_word(m: Memoria) -> None:
    for query in ("what is E4711", "what does /srv/app/main.log hold", "E4711是什么"):
        hits = (await m.search_memory(query)).hits
        assert (READ, "verbatim") in [(hit.text, hit.status) for hit in hits]


async def test_a_turn_nobody_has_read_stands_in_and_one_that_was_read_does_not(m: Memoria) -> None:
    hit, *_ = (await m.search_memory("zeppelin")).hits
    assert hit.status == "unprocessed"
    found = await m.search_memory("deploy log step")
    assert READ not in [hit.text for hit in found.hits if hit.shown_as != "later"]


async def test_a_suppressed_turn_is_in_the_record_and_in_no_conclusion(m: Memoria) -> None:
    assert texts_of(await m.search_conversation_traces("vault code E7700"))[0] == SUPPRESSED
    for history in (False, True):
        found = await m.search_memory("vault code E7700", include_history=history)
        assert SUPPRESSED not in texts_of(found)


async def test_a_suppressed_turn_is_in_no_context_package(m: Memoria) -> None:
    for query in ("vault code E7700", "What were the exact words on the vault code?"):
        assert "The vault code" not in (await m.build_context(query)).text


@pytest.mark.parametrize("limit", [1, 3])
async def test_where_nothing_is_found_what_was_said_last_keeps_to_the_limit(
    m: Memoria, limit: int
) -> None:
    found = await m.search_memory("zebra", limit=limit, without=["text", "vectors"])
    assert [hit.shown_as for hit in found.hits] == ["nearest"] * limit


class AlikeEmbedder(ToyEmbedder):
    """Takes every text for one of the same meaning."""

    def embed_query(self, text: str) -> Vector:
        """The one vector there is."""
        return super().embed_query("peanuts" if text else "")

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """The one vector there is, for each."""
        return [self.embed_query(text) for text in texts]


async def test_a_hint_counts_no_turn_that_is_near_by_meaning_alone(tmp_path: Path) -> None:
    async with memoria.open(home=tmp_path / "home", embedder=AlikeEmbedder()) as m:
        said = [f"Today boat {i} came in late again." for i in range(12)]
        turns = [{"role": "user", "content": text} for text in said]
        await m.record_conversation(turns, session_id="s")
        await m.wait_until_idle(60)
        for query in ("13812345678", "the exact words on xylophones"):
            assert (await m.search_memory(query)).hint is None
        assert "match" in str((await m.search_memory("the exact words on the boat")).hint)


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
    "zh": ["《铁河往事》的导演是谁？", "周文博的上司毕业于哪所大学？"],
}


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


LEEDS, NUTS, TEA = "The user lives in Leeds", "The user is allergic to nuts", "用户喜欢喝茶"


@pytest.fixture(scope="module", params=["bundled", "off"])
async def user_home(
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
    user_home: Memoria, question: str
) -> None:
    assert not (await user_home.search_memory(question)).answered


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Where does the user live?", LEEDS),
        ("What is the user allergic to?", NUTS),
        ("用户喜欢喝什么？", TEA),
    ],
)
async def test_what_was_said_of_the_user_is_found_by_that_name(
    user_home: Memoria, question: str, answer: str
) -> None:
    assert texts_of(await user_home.search_memory(question))[:1] == [answer]


async def test_a_question_for_nothing_but_the_user_finds_what_is_known(user_home: Memoria) -> None:
    assert set(texts_of(await user_home.search_memory("Who is the user?"))) >= {LEEDS, NUTS}


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
