"""Arguments mean the same on every face, and are read as models mean what they write."""

import inspect
import json
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import typer
from tests.surface.agent import Agent

import memoria
from memoria import Memoria, Settings, Turn
from memoria.errors import InvalidInputError, name_option
from memoria.model.query import MemoryQuery, SearchQuery, TranscriptQuery, help_text, is_for_agents
from memoria.surface.cli.main import app
from memoria.surface.mcp.arguments import read_as_meant
from memoria.surface.mcp.toolbox import Toolbox
from memoria.surface.mcp.tools import add_tools

EMPTY: list[object] = ["", "  ", None]
TURN = {"role": "user", "content": "Ines keeps bees"}


def _schemas() -> dict[str, Any]:
    toolbox = Toolbox(None)  # type: ignore[arg-type]  # nothing is called
    add_tools(toolbox)
    names = (
        "search_memory search_conversation_traces get_memory remember revise_memory forget_memory "
        "record_conversation update_scratchpad"
    )
    return {name: toolbox.input_schema(name) for name in names.split()}


SCHEMAS = _schemas()
REQUIRED: dict[str, dict[str, object]] = {
    "search_memory": {"query": "bees"},
    "search_conversation_traces": {"query": "bees"},
    "get_memory": {"id": "x"},
    "remember": {"content": "Ines keeps bees"},
    "revise_memory": {"id": "x", "action": "pin"},
    "forget_memory": {},
    "record_conversation": {"turns": [TURN]},
    "update_scratchpad": {},
}


def _optional(tool: str) -> list[str]:
    return [name for name in SCHEMAS[tool]["properties"] if name not in REQUIRED[tool]]


@pytest.mark.parametrize("tool", REQUIRED)
def test_an_optional_argument_that_is_left_empty_counts_as_not_given(tool: str) -> None:
    for empty in EMPTY:
        sent = {**REQUIRED[tool], **dict.fromkeys(_optional(tool), empty)}
        read = read_as_meant(sent, SCHEMAS[tool])
        read.pop("current_focus", None)  # an empty one clears it
        assert read == REQUIRED[tool]


@pytest.mark.parametrize("tool", ["search_memory", "search_conversation_traces"])
async def test_of_wordings_without_a_question_the_first_is_the_question(
    agent: Agent, tool: str
) -> None:
    await agent.say("The bees stand behind the mill")
    for sent in ({}, {"query": " "}, {"query": None}):
        answer = await agent.call(tool, **sent, queries=["where are the bees", "the mill"])
        assert answer == await agent.call(tool, query="where are the bees", queries=["the mill"])
    alone = await agent.call(tool, queries="where are the bees")
    assert alone == await agent.call(tool, query="where are the bees")
    assert "query" in await agent.refusal(tool, queries=[])


async def test_an_empty_focus_still_clears_it(agent: Agent) -> None:
    await agent.call("update_scratchpad", current_focus="the parser", session_id="s-1")
    pad = await agent.call("update_scratchpad", current_focus="", completed="", session_id="s-1")
    assert "current_focus" not in pad


@pytest.mark.parametrize("tool", REQUIRED)
def test_what_is_as_the_schema_wants_it_stays_as_it_is(tool: str) -> None:
    values = {"string": " a, [b] ", "integer": 3, "number": 0.5, "boolean": True, "array": ["x, y"]}
    sent = dict(REQUIRED[tool])
    for name in _optional(tool):
        form = SCHEMAS[tool]["properties"][name]
        kind = next(iter(form.get("anyOf", [form])))
        sent[name] = kind["enum"][0] if "enum" in kind else values[kind["type"]]
    assert read_as_meant(sent, SCHEMAS[tool]) == sent


@pytest.mark.parametrize(
    ("tool", "sent", "read"),
    [
        ("search_memory", {"types": "fact"}, {"types": ["fact"]}),
        ("search_memory", {"types": "fact, rule"}, {"types": ["fact", "rule"]}),
        ("search_memory", {"types": '["fact"]'}, {"types": ["fact"]}),
        ("search_memory", {"types": "[]"}, {"types": []}),
        ("search_memory", {"types": ["", "fact "]}, {"types": ["fact"]}),
        ("search_memory", {"types": "null", "since": "null", "as_of": "null"}, {}),
        ("search_memory", {"limit": " 5 ", "include_history": "true"},
         {"limit": "5", "include_history": "true"}),
        ("search_memory", {"queries": "蜂蜜，蜜蜂"}, {"queries": ["蜂蜜", "蜜蜂"]}),
        ("search_conversation_traces", {"role": " user ", "tool": ""}, {"role": "user"}),
        ("remember", {"entities": "Ines, the club"}, {"entities": ["Ines", "the club"]}),
        ("remember", {"entities": '[{"name": "Ines", "kind": ""}, "club"]'},
         {"entities": [{"name": "Ines"}, "club"]}),
        ("remember", {"entities": {"name": "Ines"}}, {"entities": [{"name": "Ines"}]}),
        ("remember", {"entities": ['{"name": "Ines"}']}, {"entities": [{"name": "Ines"}]}),
        ("remember", {"importance": "", "type": "null", "again": ""}, {}),
        ("forget_memory", {"ids": "a1b2c3d4, e5f6a7b8"}, {"ids": ["a1b2c3d4", "e5f6a7b8"]}),
        ("record_conversation", {"turns": json.dumps([TURN])}, {"turns": [TURN]}),
        ("record_conversation", {"turns": json.dumps(TURN)}, {"turns": [TURN]}),
        ("record_conversation", {"turns": [json.dumps(TURN)], "event": ""}, {"turns": [TURN]}),
        ("record_conversation", {"turns": [{**TURN, "at": "", "speaker": None}]},
         {"turns": [TURN]}),
        ("record_conversation", {"turns": [{**TURN, "tool_args": '{"a": 1}'}]},
         {"turns": [{**TURN, "tool_args": '{"a": 1}'}]}),
    ],
    ids=str,
)  # fmt: skip
def test_a_value_in_another_form_is_read_as_it_is_meant(
    tool: str, sent: dict[str, object], read: dict[str, object]
) -> None:
    required = {**REQUIRED[tool]}
    expected = {**required, **read} if "turns" not in read else {"turns": read["turns"]}
    assert read_as_meant({**required, **sent}, SCHEMAS[tool]) == expected


async def test_tools_take_what_models_write(agent: Agent) -> None:
    kept = await agent.call(
        "remember",
        content="The walnut desk is in room four",
        entities="walnut desk, room four",
        importance="0.7",
        until="",
        supersedes=None,
        scope="",
        again="false",
    )
    found = await agent.call(
        "search_memory", query="walnut desk", types="fact", limit="3", since="", workspace=""
    )
    assert [hit["id"] for hit in found["hits"]] == [kept["id"]]
    shown = await agent.call("get_memory", id=kept["id"], offset="0", max_chars="")
    assert set(shown["entities"]) == {"walnut desk", "room four"}
    receipt = await agent.call("record_conversation", turns=json.dumps(TURN), session_id="s-1")
    assert receipt["recorded"] == 1


@pytest.mark.parametrize(
    ("tool", "sent", "named"),
    [
        ("search_memory", {"query": ""}, "Ask in words"),
        ("get_memory", {"id": ""}, "search_memory"),
        ("remember", {"content": ""}, "say it in a sentence"),
        ("record_conversation", {"turns": ""}, "turns"),
        ("search_memory", {"query": "x", "types": "facts"}, "types"),
        ("search_memory", {"query": "x", "limit": "many"}, "limit"),
        ("remember", {"content": "x", "entities": '{"nom": "x"}'}, "entities"),
    ],
)
async def test_a_required_argument_left_empty_and_a_wrong_value_are_still_refused(
    standing: Agent, tool: str, sent: dict[str, object], named: str
) -> None:
    assert named in await standing.refusal(tool, **sent)


KINDS: list[tuple[type[SearchQuery], str, str]] = [
    (MemoryQuery, "search_memory", "search"),
    (TranscriptQuery, "search_conversation_traces", "traces"),
]
EVERY_KIND = pytest.mark.parametrize(
    ("kind", "method", "command"), KINDS, ids=["memories", "transcripts"]
)
OF_EVERY_COMMAND = {"words", "as_json", "help"}


def options_of(command: str) -> dict[str, Any]:
    """The options of a command, by the name of the field."""
    group: Any = typer.main.get_command(app)
    return {one.name: one for one in group.commands[command].params}


@EVERY_KIND
def test_the_library_has_the_arguments_of_the_query(
    kind: type[SearchQuery], method: str, command: str
) -> None:
    del command
    parameters = inspect.signature(getattr(Memoria, method)).parameters
    assert set(parameters) == {"self", *kind.model_fields}
    for name, field in kind.model_fields.items():
        if not field.is_required():
            assert parameters[name].default == field.default


@EVERY_KIND
def test_the_command_has_an_option_of_the_same_name_default_and_bounds_for_each(
    kind: type[SearchQuery], method: str, command: str
) -> None:
    del method
    options = options_of(command)
    assert set(options) - OF_EVERY_COMMAND == set(kind.model_fields) - {"query"}
    for name, option in options.items():
        if name in OF_EVERY_COMMAND:
            continue
        field = kind.model_fields[name]
        assert option.opts == [name_option(name), *(["-n"] if name == "limit" else [])]
        assert help_text(field).lower() in option.help.lower()
        assert (option.default or None) == (field.default or None)


@EVERY_KIND
async def test_the_tool_has_those_that_an_agent_needs_with_default_and_bounds(
    kind: type[SearchQuery], method: str, command: str, standing: Agent
) -> None:
    del command
    tools = {tool.name: tool for tool in (await standing.client.list_tools()).tools}
    offered = tools[method].input_schema["properties"]
    described = kind.model_json_schema()["properties"]
    shown = {name for name, field in kind.model_fields.items() if is_for_agents(field)}
    assert set(offered) == shown
    for name, schema in offered.items():
        for bound in ("minimum", "maximum", "default"):
            expected = described[name].get(bound)
            goes_without_saying = expected in ([], "") or expected is False
            assert schema.get(bound) == (None if goes_without_saying else expected), name


async def test_a_query_and_its_fields_as_arguments_give_the_same_answer(home: Path) -> None:
    async with memoria.open(home=home, settings=Settings(embedder="off")) as m:
        await m.remember("The kettle is blue", type="fact")
        await m.remember("Call me Kettle", type="rule")
        found = await m.search_memory("kettle", types=["rule"], limit=3)
        asked = MemoryQuery(query="kettle", types=(memoria.MemoryType.RULE,), limit=3)
        assert await m.search_memory(asked) == found
        assert [hit.type for hit in found.hits] == ["rule"]


async def test_a_query_of_the_other_kind_and_a_query_with_further_arguments_are_refused(
    home: Path,
) -> None:
    async with memoria.open(home=home, settings=Settings(embedder="off")) as m:
        with pytest.raises(InvalidInputError, match="search_memory: query"):
            await m.search_memory(TranscriptQuery(query="kettle"))
        with pytest.raises(InvalidInputError, match="search_memory: query"):
            await m.search_memory(MemoryQuery(query="kettle"), limit=3)


GREAT = 10**5_000


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError("no representation")


def ouroboros() -> list[object]:
    snake: list[object] = []
    snake.append(snake)
    return snake


def nested(levels: int) -> object:
    inner: object = "bottom"
    for _ in range(levels):
        inner = {"a": inner}
    return inner


def one_turn(**fields: object) -> dict[str, Any]:
    return {"turns": [{"role": "user", "content": "x", **fields}]}


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("search_memory", {"query": None}, "query"),
    ("search_memory", {"query": ["tea"]}, "query"),
    ("search_memory", {"query": b"tea"}, "query"),
    ("search_memory", {"query": Unprintable()}, "query"),
    ("search_memory", {}, "query"),
    ("search_memory", {"query": "tea", "sinse": "2026-03-01"}, "sinse"),
    ("search_memory", {"query": "tea", "limit": 1.5}, "limit"),
    ("search_memory", {"query": "tea", "limit": "8"}, "limit"),
    ("search_memory", {"query": "tea", "limit": True}, "limit"),
    ("search_memory", {"query": "tea", "limit": GREAT}, "limit: it is beyond 64 bits"),
    ("search_memory", {"query": "tea", "max_tokens": float("nan")}, "max_tokens"),
    ("search_memory", {"query": "tea", "types": "fact"}, "types"),
    ("search_memory", {"query": "tea", "types": ["fact", None]}, "types"),
    ("search_memory", {"query": "tea", "types": {"fact"}}, "types"),
    ("search_memory", {"query": "tea", "since": datetime(2026, 3, 2)}, "since"),  # noqa: DTZ001
    ("search_memory", {"query": "tea", "since": 1_772_414_045_000}, "since"),
    ("search_memory", {"query": "tea", "include_history": 1}, "include_history"),
    ("search_memory", {"query": "tea", "session_id": 7}, "session_id"),
    ("search_conversation_traces", {"query": "tea", "role": ["user"]}, "role"),
    ("search_conversation_traces", {"query": "tea", "context": "1"}, "context"),
    ("record_conversation", {"turns": None}, "turns must be a list"),
    ("record_conversation", {"turns": "hello"}, "turns must be a list"),
    ("record_conversation", {"turns": {"role": "user"}}, "turns must be a list"),
    ("record_conversation", {"turns": 3}, "turns must be a list"),
    ("record_conversation", {"turns": [None]}, "Turn 0"),
    ("record_conversation", {"turns": [["role", "user"]]}, "Turn 0"),
    ("record_conversation", one_turn(content=3), "Turn 0: content"),
    ("record_conversation", one_turn(content=Unprintable()), "Turn 0: content"),
    ("record_conversation", one_turn(at=True), "Turn 0: at"),
    ("record_conversation", one_turn(at=float("inf")), "Turn 0: at"),
    ("record_conversation", one_turn(at=GREAT), "Turn 0: at"),
    ("record_conversation", one_turn(tool_args={1, 2}), "Turn 0: tool_args"),
    ("record_conversation", one_turn(tool_args={1: "a"}), "Turn 0: tool_args"),
    ("record_conversation", one_turn(tool_args=ouroboros()), "Turn 0: tool_args"),
    ("record_conversation", one_turn(tool_args=nested(50_000)), "Turn 0: tool_args"),
    ("record_conversation", one_turn(tool_args=nested(150)), "pass it as text"),
    ("record_conversation", one_turn(tool_args=float("nan")), "write them as text"),
    ("record_conversation", one_turn(tool_args=GREAT), "write"),
    ("record_conversation", {"turns": [], "event": "tea_break"}, "'session_end'"),
    ("record_conversation", {"turns": [], "event": ["compaction"]}, "event"),
    ("record_conversation", {**one_turn(), "session_id": "s" * 501}, "500"),
    ("remember", {"content": 3}, "content"),
    ("remember", {"content": "x", "type": ["fact"]}, "type"),
    ("remember", {"content": "x", "importance": "high"}, "importance"),
    ("remember", {"content": "x", "importance": True}, "importance"),
    ("remember", {"content": "x", "importance": float("nan")}, "from 0 to 1"),
    ("revise_memory", {"memory_id": None, "action": "pin"}, "memory_id"),
    ("revise_memory", {"memory_id": "x", "action": None}, "'correct'"),
    ("get_record", {"record_id": 7}, "record_id"),
    ("get_record", {"record_id": "x", "context": -1}, "context"),
    ("get_memory", {"memory_id": ["x"]}, "memory_id"),
    ("get_turn", {"turn_id": b"x"}, "turn_id"),
    ("get_session", {"session_id": "s", "limit": -1}, "limit"),
    ("get_session", {"session_id": "s", "offset": GREAT}, "offset"),
    ("list_unverified", {"limit": 0}, "limit"),
    ("update_scratchpad", {"current_focus": ["tea"]}, "current_focus"),
    ("update_scratchpad", {"current_focus": "tea", "session_id": "s" * 501}, "500"),
    ("scratchpads", {"limit": "3"}, "limit"),
    ("wait_until_idle", {"timeout_s": -1}, "timeout_s"),
    ("rebuild_indexes", {"progress": "yes"}, "progress"),
]


@pytest.fixture
async def plain(home: Path) -> AsyncIterator[Memoria]:
    """A memory without vectors."""
    async with memoria.open(settings=Settings.from_values(home=home, embedder="off")) as opened:
        yield opened


async def test_a_wrong_type_is_named_and_nothing_is_done(plain: Memoria) -> None:
    await plain.record_conversation([{"role": "user", "content": "the bluebird nests"}])
    before = await plain.statistics()
    for method, arguments, named in WRONG:
        with pytest.raises(InvalidInputError) as caught:
            await getattr(plain, method)(**arguments)
        assert named in str(caught.value), method
        assert len(str(caught.value)) < 500
        assert "pydantic" not in str(caught.value)
        assert "\n" not in str(caught.value)
    assert await plain.statistics() == before
    assert len((await plain.search_memory("bluebird")).hits) == 1


async def test_arguments_in_place_are_named_too(plain: Memoria) -> None:
    with pytest.raises(InvalidInputError, match=r"^search_memory: query: "):
        await plain.search_memory(3)


async def test_a_turn_that_was_never_checked_is_checked(plain: Memoria) -> None:
    fine = Turn.model_validate({"role": "user", "content": "x"})
    with pytest.raises(InvalidInputError, match="Turn 1: content"):
        await plain.record_conversation([fine, fine.model_copy(update={"content": 3})])


async def test_an_error_of_the_callers_own_iterator_stays_its_own(plain: Memoria) -> None:
    with pytest.raises(ZeroDivisionError):
        await plain.record_conversation({"role": "user", "content": str(1 // i)} for i in (1, 0))
    assert (await plain.statistics()).turns == 0


async def test_a_thousand_bad_fields_are_counted_and_the_first_are_named(plain: Memoria) -> None:
    fields = {f"field {i}": i for i in range(1_000)}
    with pytest.raises(InvalidInputError, match="and 996 more") as caught:
        await plain.record_conversation([{"role": "user", **fields, "content": None}])
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"home": 3}, "home"),
        ({"home": "a\0b"}, "MEMORIA_HOME"),
        ({"home": "half \ud83d"}, "MEMORIA_HOME"),
        ({"home": "~nobody-of-that-name/x"}, "MEMORIA_HOME"),
        ({"tenant": ["me"]}, "tenant"),
        ({"tenant": ""}, "MEMORIA_TENANT"),
        ({"settings": "default"}, "settings"),
        ({"channel": "mcp"}, "channel"),
        ({"tenent": "me"}, "tenent"),
    ],
    ids=str,
)
async def test_a_memory_that_cannot_be_opened_says_why(
    arguments: dict[str, Any], named: str
) -> None:
    with pytest.raises(InvalidInputError, match=named):
        async with memoria.open(**arguments):
            pass


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"llm_attempts": "many"}, "MEMORIA_LLM_ATTEMPTS"),
        ({"llm_attempts": GREAT}, "MEMORIA_LLM_ATTEMPTS"),
        ({"embedder": "endpoint"}, "MEMORIA_EMBEDDING_BASE_URL"),
        ({"x" * 100_000: 1}, "MEMORIA_X"),
        ({"home": Unprintable()}, "MEMORIA_HOME"),
    ],
    ids=["text", "a great number", "half an endpoint", "an unknown name", "an object"],
)
def test_a_setting_that_cannot_be_used_is_named_in_a_sentence(
    fields: dict[str, Any], named: str
) -> None:
    with pytest.raises(InvalidInputError) as caught:
        Settings.from_values(**fields)
    assert named in str(caught.value)
    assert str(caught.value).endswith(". Mend the setting and start again.")
    assert "Value error" not in str(caught.value)
    assert len(str(caught.value)) < 400
