"""Search finds what was said, says where, and knows when to be silent, with a model and without."""

import json
from collections.abc import AsyncIterator, Sequence
from importlib import resources
from pathlib import Path

import pytest
from tests.retrieval.toys import hits_of, texts_of

import memoria
from memoria import Memoria, SearchResult, Turn
from memoria.config import Settings
from memoria.errors import InvalidInputError
from memoria.inference.embedder import BundledEmbedder
from memoria.language.budget import price_text
from memoria.language.words.analyser import phrase_tokens
from memoria.model import Role, parse_instant, use_clock
from memoria.surface.text import result_text

DEMO = resources.files("memoria.surface.cli.demo").joinpath("conversation.jsonl")
QUESTIONS = json.loads(Path(__file__).with_name("demo_questions.json").read_text("utf-8"))


@pytest.fixture(scope="module")
async def demo(
    tmp_path_factory: pytest.TempPathFactory, embedder: BundledEmbedder
) -> AsyncIterator[Memoria]:
    """The demo's conversation, recorded and embedded, shared by this module's tests."""
    home = tmp_path_factory.mktemp("demo")
    async with memoria.open(home=home, tenant="demo", embedder=embedder) as opened:
        await opened.record_conversation(_turns())
        await opened.wait_until_idle(60)
        yield opened


def _turns() -> list[Turn]:
    return [Turn.model_validate_json(line) for line in DEMO.read_text("utf-8").splitlines()]


def _sources_of(result: SearchResult) -> list[tuple[str | None, str | None]]:
    return [(hit.source.session_id, hit.source.message_id) for hit in result.hits]


def _of(kind: str) -> list[dict[str, object]]:
    return [question for question in QUESTIONS if question["kind"] == kind]


@pytest.mark.parametrize("question", _of("two_char_word"), ids=lambda q: str(q["question"]))
async def test_a_two_character_word_is_found_in_chinese_and_mixed_text(
    demo: Memoria, question: dict[str, object]
) -> None:
    word = str(question["question"])
    gold = {(g["session_id"], g["message_id"]) for g in question["gold"]}  # type: ignore[attr-defined]
    found = await demo.search_conversation_traces(word, limit=10)
    assert _sources_of(found)[0] in gold
    assert gold <= set(_sources_of(found))


async def test_most_questions_about_the_demo_find_their_turn_among_ten(demo: Memoria) -> None:
    ranks: dict[str, list[bool]] = {}
    for question in QUESTIONS:
        if question["gold"]:
            gold = {(g["session_id"], g["message_id"]) for g in question["gold"]}
            found = await demo.search_conversation_traces(question["question"], limit=10)
            ranks.setdefault(question["kind"], []).append(bool(gold & set(_sources_of(found))))
    share = {kind: sum(hits) / len(hits) for kind, hits in ranks.items()}
    least = {
        "same_language": 0.6,
        "cross_language": 0.5,
        "tool": 0.8,
        "changed": 0.6,
        "two_char_word": 1.0,
    }
    assert share.keys() == least.keys()
    assert {kind: share[kind] for kind, bar in least.items() if share[kind] < bar} == {}


@pytest.mark.parametrize("question", _of("no_answer"), ids=lambda q: str(q["question"])[:20])
async def test_a_question_the_conversation_cannot_answer_gets_no_conclusion(
    demo: Memoria, question: dict[str, object]
) -> None:
    assert not (await demo.search_memory(str(question["question"]))).answered


@pytest.mark.parametrize("question", _of("private"), ids=lambda q: str(q["question"])[:20])
async def test_what_was_said_in_a_private_span_is_in_no_answer(
    demo: Memoria, question: dict[str, object]
) -> None:
    asked = str(question["question"])
    for found in (await demo.search_memory(asked), await demo.search_conversation_traces(asked)):
        assert not any("41,500" in hit.text or "46,000" in hit.text for hit in found.hits)


async def test_every_trace_is_what_was_recorded_to_the_byte(demo: Memoria) -> None:
    said = {(turn.session_id, turn.message_id): turn for turn in _turns()}
    seen = 0
    for question in QUESTIONS:
        found = await demo.search_conversation_traces(
            question["question"], limit=50, max_tokens=100_000
        )
        for hit in found.hits:
            turn = said[hit.source.session_id, hit.source.message_id]
            redacted = "[redacted:" in hit.text or "<private>" in turn.content
            assert redacted or hit.text == turn.content
            assert hit.excerpt is None
            if turn.tool_name is not None:
                assert hit.tool is not None
                assert (hit.tool.name, hit.tool.args) == (turn.tool_name, turn.tool_args)
                assert hit.tool.result == turn.tool_result
            assert hit.source.role == turn.role
            assert parse_instant(hit.source.at) == turn.at
            seen += 1
    assert seen > 500


async def test_a_tool_call_is_found_by_its_arguments_and_by_its_result(demo: Memoria) -> None:
    by_result = await demo.search_conversation_traces("E1437", role=Role.TOOL, limit=1)
    by_arguments = await demo.search_conversation_traces("test_mt940", tool="bash", limit=3)
    assert by_result.hits[0].tool is not None
    assert "E1437" in str(by_result.hits[0].tool.result)
    assert all(hit.tool is not None and hit.tool.name == "bash" for hit in by_arguments.hits)
    assert by_arguments.hits


async def test_a_hit_is_shown_with_the_turns_around_it(demo: Memoria) -> None:
    found = await demo.search_conversation_traces("花生", limit=1, context=2)
    (hit,) = found.hits
    index = hit.source.turn_index
    assert index is not None
    assert [turn.turn_index for turn in hit.before] == [index - 2, index - 1]
    assert [turn.turn_index for turn in hit.after] == [index + 1, index + 2]


@pytest.mark.parametrize(
    ("filters", "holds"),
    [
        ({"session_id": "2026-03-02-parser"}, lambda h: h.source.session_id == "2026-03-02-parser"),
        ({"role": "assistant"}, lambda h: h.source.role == "assistant"),
        ({"tool": "bash"}, lambda h: h.tool is not None and h.tool.name == "bash"),
        ({"since": "2026-04-01T00:00:00+08:00"}, lambda h: h.source.at >= "2026-03-31T16:00:00Z"),
        ({"until": "2026-03-06T00:00:00Z"}, lambda h: h.source.at < "2026-03-06T00:00:00Z"),
    ],
    ids=["session", "role", "tool", "since", "until"],
)
async def test_a_filter_lets_nothing_else_through(
    demo: Memoria, filters: dict[str, str], holds: object
) -> None:
    assert callable(holds)
    found = await demo.search_conversation_traces("balance cache 缓存 测试", limit=30, **filters)
    assert found.hits
    assert all(holds(hit) for hit in found.hits)


@pytest.mark.parametrize("max_tokens", [60, 200, 1000, 4000])
async def test_an_answer_stays_within_its_budget(demo: Memoria, max_tokens: int) -> None:
    for query in ("pytest traceback", "EXPLAIN plan", "花生 里斯本"):
        for found in (
            await demo.search_conversation_traces(query, max_tokens=max_tokens, limit=50),
            await demo.search_memory(query, max_tokens=max_tokens, limit=50),
        ):
            assert found.tokens <= max_tokens


async def test_a_first_level_answer_is_a_line_each(demo: Memoria) -> None:
    found = await demo.search_memory("pytest E1437 traceback", limit=20)
    assert found.hits
    assert all(len(hit.text) <= 400 for hit in found.hits)


async def test_the_same_question_gets_the_same_answer(demo: Memoria) -> None:
    first = await demo.search_conversation_traces("What did we decide about caching?")
    second = await demo.search_conversation_traces("What did we decide about caching?")
    assert first == second


@pytest.mark.parametrize(
    "query",
    ['"', "AND OR NOT", "a* (b)", "scope:turn1", "NEAR(x y)", "'; DROP TABLE turns; --", "😀"],
)
async def test_operators_and_quotes_in_a_query_are_just_words(demo: Memoria, query: str) -> None:
    question = "What did we decide about caching?"
    plain = await demo.search_conversation_traces(question)
    found = await demo.search_conversation_traces(f"{question} {query}")
    assert plain.hits[0].id in {hit.id for hit in found.hits}
    assert (await demo.search_memory(query)).query == query


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"query": "  "}, "query is empty"),
        ({"query": "x", "limit": 0}, "limit: it is 0; it must be from 1 to 200"),
        ({"query": "x", "limit": 10**9}, "limit: it is 1000000000"),
        ({"query": "x", "max_tokens": 1}, "max_tokens"),
        ({"query": "x", "since": "last week"}, "since: 'last week' is not a date"),
        ({"query": "x", "since": "2026-04-01", "until": "2026-03-01"}, "since must be before"),
        ({"query": "x", "role": "king"}, "role: Input should be 'user', 'assistant'"),
    ],
)
async def test_an_argument_that_cannot_be_used_is_named(
    demo: Memoria, arguments: dict[str, object], complaint: str
) -> None:
    with pytest.raises(InvalidInputError) as caught:
        await demo.search_conversation_traces(**arguments)
    assert complaint in str(caught.value)


async def test_long_names_count_towards_the_budget(home: Path) -> None:
    settings = memoria.Settings(embedder="off")
    async with memoria.open(home=home, settings=settings) as plain:
        name = "长" * 490
        turns = [
            {
                "role": "user",
                "content": f"bluebird {i}",
                "message_id": f"{i}{name}",
                "speaker": name,
            }
            for i in range(20)
        ]
        await plain.record_conversation(turns, session_id=name)
        found = await plain.search_conversation_traces("bluebird", limit=20, max_tokens=4000)
        assert len(found.hits) == 6
        assert price_text(result_text(found)) <= 4000
        assert found.omitted == 14


async def test_an_empty_filter_counts_as_not_given(demo: Memoria) -> None:
    known = await demo.search_conversation_traces("release")
    assert known.hits
    assert await demo.search_conversation_traces("release", session_id="", tool="") == known


async def test_without_vectors_text_search_goes_on_and_says_so(home: Path) -> None:
    settings = memoria.Settings(embedder="off")
    async with memoria.open(home=home, tenant="t", settings=settings) as plain:
        await plain.record_conversation([{"role": "user", "content": "The port is 8443."}])
        await plain.wait_until_idle(10)
        found = await plain.search_conversation_traces("port")
        assert [hit.text for hit in found.hits] == ["The port is 8443."]
        assert found.notes == ("searched without vectors: switched off",)


STATEMENTS = {
    "我对花生过敏": ("What am I allergic to?", "我不能吃哪种坚果？"),
    "Never deploy on Fridays": ("星期五可以部署吗？", "Can we release on a Friday?"),
    "用户正在学习葡萄牙语": ("Which language is the user learning?", "用户在学什么外语？"),
    "My cat is called Mochi": ("我的猫叫什么名字？", "What's the name of my pet?"),
    "发布前一定要先备份数据库": ("What must be done before a release?", "上线之前需要做什么？"),
    "The user's manager is Priya Sharma": ("用户的经理是谁？", "Who is the user's boss?"),
    "The staging server runs on port 8443": (
        "测试服务器用哪个端口？",
        "Which port does staging use?",
    ),
}


async def test_a_statement_is_found_by_its_paraphrase_and_from_the_other_language(
    memory: Memoria,
) -> None:
    ids = {text: (await memory.remember(text)).id for text in STATEMENTS}
    await memory.wait_until_idle(60)
    for text, questions in STATEMENTS.items():
        for question in questions:
            found = await memory.search_memory(question)
            assert ids[text] == hits_of(found)[0].id, question


async def test_an_unanswerable_question_finds_no_memory(memory: Memoria) -> None:
    noon = parse_instant("2026-06-10T12:00:00Z")
    with use_clock(lambda: noon):
        for text in STATEMENTS:
            await memory.remember(text)
        await memory.wait_until_idle(60)
        unanswerable = (
            "房贷利率是多少？",
            "What is the capital of Mongolia?",
            "昨晚的球赛谁赢了？",
        )
        for question in unanswerable:
            assert not (await memory.search_memory(question)).answered


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
    [("我喉咙不舒服该喝什么？", "鼠尾草茶"), ("Is there simple origami?", "paper crane")],
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


SCATTERED = (
    "The green cabin has a winter window, and in the cabin window a winter candle is green.",
    "In winter the cabin is green, the window too; a green winter, a green cabin, a window.",
    "Green window, winter cabin, cabin window, winter green: colours for the cabin window.",
)
HELD = "For the newsletter I thought of Winter of the Green Window as a title, among other ideas."
SCATTERED_ZH = (
    "雨山、山月、月水，山月和雨山，月水和雨山，山月，月水。",
    "山月、月水、雨山，雨山很高，山月很亮，月水相映。",
)
HELD_ZH = "我给新店想的名字之一是雨山月水，另外还有几个备选，朋友们投票之后再决定用哪个。"


@pytest.fixture(params=["English", "Chinese"])
async def phrases(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Memoria]:
    """The phrase once, as it is, after turns that hold its words oftener; nothing but words."""
    texts = (*SCATTERED, HELD) if request.param == "English" else (*SCATTERED_ZH, HELD_ZH)
    settings = Settings.load(home=tmp_path / "home", tenant="t", embedder="off")
    async with memoria.open(settings=settings) as opened:
        turns = [{"role": "user", "content": text, "session_id": text[:4]} for text in texts]
        await opened.record_conversation(turns)
        yield opened


@pytest.mark.parametrize(
    ("phrases", "phrase", "questions"),
    [
        (
            "English",
            "winter of the green window",
            (
                'What about "winter of the green window"?',
                "What about “Winter of the Green Window”?",
            ),
        ),
        (
            "Chinese",
            "雨山月水",
            ("关于「雨山月水」说过什么？", "《雨山月水》是什么", '"雨山月水"是什么'),
        ),
    ],
    indirect=["phrases"],
    ids=["English", "Chinese"],
)
async def test_whoever_holds_a_quoted_phrase_stands_above_those_with_its_words_scattered(
    phrases: Memoria, phrase: str, questions: tuple[str, ...]
) -> None:
    for question in questions:
        for search in (phrases.search_conversation_traces, phrases.search_memory):
            assert phrase in (await search(question)).hits[0].text.lower(), question
        others = await phrases.search_conversation_traces(question, without=["phrases"])
        assert phrase not in others.hits[0].text.lower(), "the index alone ranks others first"


def test_a_phrase_is_written_as_the_index_has_it() -> None:
    assert phrase_tokens("Winter of the Green Windows!") == ("winter of the green window",)
    assert phrase_tokens("雨山月水") == ("雨山 山月 月水",)
    assert phrase_tokens("用 Python 写的") == ("用", "python", "写的")
    assert phrase_tokens(" … ") == ()
