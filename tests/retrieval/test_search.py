"""Search finds what was said, says where, and knows when to be silent."""

import json
from collections.abc import AsyncIterator
from importlib import resources
from pathlib import Path

import pytest
from tests.retrieval.toys import hits_of

import memoria
from memoria import Memoria, SearchResult, Turn
from memoria.errors import InvalidInputError
from memoria.inference.embedder import BundledEmbedder
from memoria.language.budget import price_text
from memoria.model import Role, parse_instant, use_clock
from memoria.surface.text import result_text

DEMO = resources.files("memoria.surface.cli.demo").joinpath("conversation.jsonl")
QUESTIONS = json.loads(Path(__file__).with_name("demo_questions.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


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
        ({"query": "  "}, "query: it is empty"),
        ({"query": "x", "limit": 0}, "limit: it is 0; it must be from 1 to 200"),
        ({"query": "x", "limit": 10**9}, "limit: it is 1000000000"),
        ({"query": "x", "max_tokens": 1}, "max_tokens"),
        ({"query": "x", "since": "last week"}, "since: 'last week' is not a date"),
        ({"query": "x", "since": "2026-04-01", "until": "2026-03-01"}, "since must be before"),
        (
            {"query": "x", "role": "king"},
            "role: Input should be 'user', 'assistant'",
        ),
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
