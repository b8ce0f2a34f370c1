"""Arguments as models write them: read as they are meant, the same by every tool."""

import json
from typing import Any

import pytest
from tests.surface.agent import Agent

from memoria.surface.mcp.argument_forms import read_as_meant
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
