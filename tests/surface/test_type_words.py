"""The command line, the tools and the library take the same words for types of memories."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.surface.agent import Agent, connected, server_on
from tests.surface.shell import Shell
from typer.testing import CliRunner

import memoria
from memoria import Settings
from memoria.errors import InvalidInputError
from memoria.model import MemoryType
from memoria.model.memory_types import STATABLE_TYPES
from memoria.surface.cli.main import app

WORDS = [*(one.value for one in MemoryType), "feeling", "Fact", "task_rule", ""]
STATEMENT = "The kettle is in the left cupboard"
LEFT_OPEN = {""}
"""To a model an optional argument that is empty is one that it has not given."""


def taken_by_command(home: Path, line: Callable[[str], list[str]]) -> set[str]:
    """The words with which a command succeeds."""
    environment = {"MEMORIA_EMBEDDER": "off"}
    run = CliRunner().invoke
    return {
        word
        for word in WORDS
        if run(app, ["--home", str(home), *line(word)], env=environment).exit_code == 0
    }


async def taken_by_tool(agent: Agent, tool: str, arguments: Callable[[str], object]) -> set[str]:
    """The words with which a tool succeeds."""
    fields = {word: arguments(word) for word in WORDS}
    results = {
        word: await agent.client.call_tool(tool, given)  # type: ignore[arg-type]
        for word, given in fields.items()
    }
    return {word for word, result in results.items() if not result.is_error}


async def taken_by_library(home: Path, method: str, field: str) -> set[str]:
    """The words with which the library succeeds."""
    taken = set[str]()
    async with memoria.open(home=home, settings=Settings(embedder="off")) as m:
        for word in WORDS:
            try:
                given = [word] if field == "types" else word
                await getattr(m, method)(STATEMENT, **{field: given})
            except InvalidInputError:
                continue
            taken.add(word)
    return taken


@pytest.fixture
def words_to_state() -> set[str]:
    return {one.value for one in STATABLE_TYPES}


async def test_the_words_to_state_with_are_the_same_everywhere(
    home: Path, words_to_state: set[str]
) -> None:
    assert await taken_by_library(home, "remember", "type") == words_to_state
    async with connected(server_on(home, None), "auto") as agent:
        assert words_to_state | LEFT_OPEN == await taken_by_tool(
            agent, "remember", lambda word: {"content": STATEMENT, "type": word}
        )


def test_the_words_to_state_with_are_those_of_the_command_line(
    home: Path, words_to_state: set[str]
) -> None:
    assert words_to_state == taken_by_command(
        home, lambda word: ["remember", STATEMENT, "--type", word]
    )


async def test_the_words_to_search_with_are_the_same_everywhere(home: Path) -> None:
    every = {one.value for one in MemoryType}
    assert await taken_by_library(home, "search_memory", "types") == every
    async with connected(server_on(home, None), "auto") as agent:
        assert every | LEFT_OPEN == await taken_by_tool(
            agent, "search_memory", lambda word: {"query": STATEMENT, "types": [word]}
        )


def test_the_words_to_search_with_are_those_of_the_command_line(home: Path) -> None:
    Shell(home).begin()
    assert {one.value for one in MemoryType} == taken_by_command(
        home, lambda word: ["search", STATEMENT, "--type", word]
    )


async def test_a_tool_offers_the_words_that_it_takes(
    standing: Agent, words_to_state: set[str]
) -> None:
    tools = {tool.name: tool for tool in (await standing.client.list_tools()).tools}
    properties = {name: tool.input_schema["properties"] for name, tool in tools.items()}
    assert properties["search_memory"]["types"]["items"]["enum"] == list(MemoryType)
    assert set(properties["remember"]["type"]["enum"]) == words_to_state


def test_the_command_line_offers_the_words_that_it_takes(
    home: Path, words_to_state: set[str]
) -> None:
    line = ["--home", str(home), "remember", STATEMENT, "--type", "no such type"]
    offered = "".join(CliRunner().invoke(app, line).stderr.split())
    assert all(f"'{word}'" in offered for word in words_to_state)
    assert "episode" not in offered
