"""What a client is told before it calls anything: small, complete, the same for everyone."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # the SDK's own dependency; it has no stubs
import pytest
from bench.tokens import count_tokens
from bench.tool_size import count_tool_tokens
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from tests.surface.agent import Agent

from memoria.model.access import Access
from memoria.surface.mcp.instructions import load_text
from memoria.surface.mcp.subscriptions import Subscribers
from memoria.surface.mcp.toolbox import Toolbox, slim_schema
from memoria.surface.mcp.tools import add_tools

TOKENS = 2000
SKILL = Path(__file__).parents[2] / "packages" / "skill.md"


async def listed(agent: Agent) -> dict[str, Any]:
    answer = await agent.client.list_tools()
    dumped: dict[str, Any] = json.loads(answer.model_dump_json(by_alias=True, exclude_none=True))
    return dumped


def subschemas(schema: object) -> list[dict[str, Any]]:
    match schema:
        case dict():
            return [schema, *(s for value in schema.values() for s in subschemas(value))]
        case list():
            return [s for value in schema for s in subschemas(value)]
        case _:
            return []


def test_the_tools_are_described_once_for_all_who_ask() -> None:
    toolbox = Toolbox(lambda _: Subscribers())
    add_tools(toolbox)
    first, again = [toolbox.describe(Access.ADMIN) for _ in range(2)]
    assert all(one is other for one, other in zip(first, again, strict=True))
    toolbox.add(later)
    named = [tool.name for tool in toolbox.describe(Access.ADMIN)]
    assert named == [*(tool.name for tool in first), "later"]


async def later() -> str:
    """A tool that is added when all were listed."""
    return ""


async def test_these_are_the_tools(standing: Agent) -> None:
    tools = (await listed(standing))["tools"]
    assert [tool["name"] for tool in tools] == snapshot(
        [
            "search_memory",
            "search_conversation_traces",
            "get_memory",
            "remember",
            "revise_memory",
            "forget_memory",
            "record_conversation",
            "update_scratchpad",
        ]
    )


async def test_clients_are_told_which_tools_only_read(standing: Agent) -> None:
    hints = {tool["name"]: tool["annotations"] for tool in (await listed(standing))["tools"]}
    reading = {name for name, hint in hints.items() if hint.get("readOnlyHint", False)}
    assert reading == {"search_memory", "search_conversation_traces", "get_memory"}
    assert all(hint["openWorldHint"] is False for hint in hints.values())
    writing = {name: hint for name, hint in hints.items() if name not in reading}
    assert {name for name, hint in writing.items() if hint["destructiveHint"]} == {"forget_memory"}
    assert {name for name, hint in writing.items() if not hint.get("idempotentHint", False)} == {
        "revise_memory"
    }


async def test_what_reaches_a_model_of_the_tools_is_at_most_2000_tokens(standing: Agent) -> None:
    tokens = count_tool_tokens((await listed(standing))["tools"])
    print(f"{sum(tokens.values())} tokens of o200k: {tokens}")  # noqa: T201
    assert sum(tokens.values()) <= TOKENS


def test_a_tool_costs_its_name_its_description_and_its_input_schema_and_no_more() -> None:
    tool = {"name": "n", "description": "d", "inputSchema": {"type": "object"}}
    text = '{"name":"n","description":"d","inputSchema":{"type":"object"}}'
    assert count_tool_tokens([{**tool, "outputSchema": {"x": 1}}]) == {"n": count_tokens(text)}
    assert count_tokens("Always name the units") == 4


async def test_every_tool_says_what_it_is_for_in_text_without_indentation(standing: Agent) -> None:
    for tool in (await listed(standing))["tools"]:
        assert len(tool["description"]) >= 40
        assert tool["description"] == " ".join(tool["description"].split())


async def test_every_schema_is_a_valid_object_schema(standing: Agent) -> None:
    for tool in (await listed(standing))["tools"]:
        for schema in (tool["inputSchema"], tool["outputSchema"]):
            jsonschema.Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"


async def test_no_schema_has_titles_or_null_alternatives(standing: Agent) -> None:
    for tool in (await listed(standing))["tools"]:
        for part in subschemas([tool["inputSchema"], tool["outputSchema"]]):
            assert not isinstance(part.get("title"), str), tool["name"]
            assert part.get("type") != "null", tool["name"]
            assert part.get("default", 0) is not None, tool["name"]


async def test_every_property_can_be_told_what_kind_of_value_it_takes(standing: Agent) -> None:
    # The Inspector warns of schemas that accept anything; only tool payloads may.
    for tool in (await listed(standing))["tools"]:
        for part in subschemas(tool["inputSchema"]):
            for name, value in part.get("properties", {}).items():
                assert value, f"{tool['name']}.{name} says nothing"


async def test_what_must_be_given_is_named(standing: Agent) -> None:
    tools = (await listed(standing))["tools"]
    assert {tool["name"]: tool["inputSchema"].get("required", []) for tool in tools} == snapshot(
        {
            "search_memory": [],
            "search_conversation_traces": [],
            "get_memory": ["id"],
            "remember": [],
            "revise_memory": ["id", "action"],
            "forget_memory": [],
            "record_conversation": ["turns"],
            "update_scratchpad": [],
        }
    )


@pytest.mark.parametrize("name", ["search_memory", "search_conversation_traces"])
async def test_other_wordings_stand_first_in_what_a_search_says_of_itself(
    standing: Agent, name: str
) -> None:
    tools = {tool["name"]: tool for tool in (await listed(standing))["tools"]}
    first_sentence = re.split(r"[.:]\s", tools[name]["description"])[0]
    assert "`queries`" in first_sentence
    properties = tools[name]["inputSchema"]["properties"]
    assert [*properties][:2] == ["queries", "query"]
    assert properties["queries"]["description"].startswith("always 2-4")


async def test_instructions_skill_and_guide_name_the_wordings_that_help(standing: Agent) -> None:
    texts = (
        standing.client.instructions,
        (await listed(standing))["tools"][0]["description"],
        load_text("guide.md"),
        load_text("session_start.md"),
        SKILL.read_text("utf-8"),
    )
    for text in texts:
        assert text is not None
        kinds = ("`queries`", "other words", "happenings", "help")
        assert [kind for kind in kinds if kind.lower() not in text.lower()] == []


async def test_no_argument_lets_an_agent_choose_tenant_trust_or_client(standing: Agent) -> None:
    for tool in (await listed(standing))["tools"]:
        names = {n for part in subschemas(tool["inputSchema"]) for n in part.get("properties", ())}
        assert not names & {"tenant", "trust", "client", "channel", "source", "verified", "home"}


async def test_the_instructions_are_short_and_name_what_to_do_first(standing: Agent) -> None:
    instructions = standing.client.instructions
    assert instructions is not None
    assert len(instructions) < 2000
    assert instructions.index("`search_memory`") < instructions.index("`remember`")
    names = {tool["name"] for tool in (await listed(standing))["tools"]}
    assert {name for name in names if f"`{name}`" not in instructions} <= {"get_memory"}


async def test_the_instructions_ask_to_answer_from_what_was_found_alone(standing: Agent) -> None:
    instructions = standing.client.instructions
    assert instructions is not None
    said = ("`search_memory`", "Answer only from what was found", "say that you have no record")
    places = [instructions.index(one) for one in said]
    assert places == sorted(places)


async def test_the_server_says_its_name_and_version(standing: Agent) -> None:
    info = standing.client.server_info
    assert info is not None
    assert info.name == "memoria"
    assert info.version


async def test_these_are_the_resources_and_prompts(standing: Agent) -> None:
    resources = (await standing.client.list_resources()).resources
    templates = (await standing.client.list_resource_templates()).resource_templates
    prompts = (await standing.client.list_prompts()).prompts
    assert {str(one.uri) for one in resources} >= {
        "memory://guide",
        "memory://scratchpad",
        "memory://status",
    }
    assert {one.uri_template for one in templates} >= {
        "memory://memories/{memory_id}",
        "memory://sessions/{session_id}",
    }
    assert [prompt.name for prompt in prompts] == ["briefing", "recall", "context", "review"]
    assert all(one.description for one in resources)
    assert all(one.description for one in templates)
    assert all(one.description for one in prompts)


async def test_the_core_files_are_listed_so_that_a_client_can_offer_them(standing: Agent) -> None:
    resources = (await standing.client.list_resources()).resources
    assert {str(one.uri) for one in resources} >= {
        "memory://core/MEMORY.md",
        "memory://core/PERSONA.md",
        "memory://core/USER.md",
    }


@pytest.mark.parametrize(
    ("schema", "slimmed"),
    [
        ({"title": "T", "type": "string"}, {"type": "string"}),
        (
            {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None, "title": "T"},
            {"type": "string"},
        ),
        (
            {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}], "description": "d"},
            {"$ref": "#/$defs/A", "description": "d"},
        ),
        (
            {"properties": {"title": {"title": "Title", "type": "string"}}, "title": "Book"},
            {"properties": {"title": {"type": "string"}}},
        ),
        (
            {"$defs": {"title": {"title": "title", "properties": {"title": {"type": "null"}}}}},
            {"$defs": {"title": {"properties": {"title": {"type": "null"}}}}},
        ),
        ({"type": "integer", "default": 0}, {"type": "integer", "default": 0}),
        ({"type": "boolean", "default": False}, {"type": "boolean"}),
        ({"type": "boolean", "default": True}, {"type": "boolean", "default": True}),
        ({"enum": ["title", "default"]}, {"enum": ["title", "default"]}),
        (
            {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        ),
        (
            {"items": {"anyOf": [{"title": "X", "type": "string"}, {"type": "null"}]}},
            {"items": {"type": "string"}},
        ),
    ],
)
def test_slim_drops_titles_and_nulls_but_no_property(schema: object, slimmed: object) -> None:
    assert slim_schema(schema) == slimmed


@pytest.mark.parametrize(
    "schema",
    [
        {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]},
        {"anyOf": [{"type": "null"}, {"type": "string"}]},
    ],
    ids=["of several alternatives", "first of two"],
)
def test_slim_drops_the_null_wherever_it_stands(schema: object) -> None:
    assert "null" not in json.dumps(slim_schema(schema))


@given(
    st.dictionaries(
        st.text(max_size=8), st.sampled_from(["string", "integer", "boolean"]), max_size=6
    )
)
def test_slim_keeps_every_property_whatever_its_name(kinds: dict[str, str]) -> None:
    schema = {
        "type": "object",
        "title": "Made",
        "properties": {name: {"title": name, "type": kind} for name, kind in kinds.items()},
    }
    slimmed = slim_schema(schema)
    assert slimmed == {
        "type": "object",
        "properties": {name: {"type": kind} for name, kind in kinds.items()},
    }
