"""A search has the same arguments in the library, on the command line and in the tools."""

import inspect
from pathlib import Path
from typing import Any

import pytest
import typer
from tests.surface.agent import Agent

import memoria
from memoria import Memoria, Settings
from memoria.errors import InvalidInputError, name_option
from memoria.model.query import MemoryQuery, SearchQuery, TranscriptQuery, help_text, is_for_agents
from memoria.surface.cli.main import app

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
            goes_without_saying = expected == [] or expected is False
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
