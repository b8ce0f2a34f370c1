"""The front page tells the truth."""

import json
import re
import tomllib
from pathlib import Path

import anyio
import pytest
from mcp import Client, StdioServerParameters
from tests.docs.commands import NOT_RUN
from tests.docs.pages import DOCS, README, ROOT, blocks, table_after, text_of
from tests.docs.settings_table import COMMAND, PAGE, with_table

from memoria.app import open_memoria
from memoria.surface.mcp.server import build_server

_MOST_WORDS = 1000


def test_the_readme_is_read_in_five_minutes() -> None:
    assert len(text_of(README).split()) < _MOST_WORDS


def test_the_readme_has_two_commands_to_begin_with() -> None:
    opening = text_of(README).partition("\n## ")[0]
    marked = re.findall(r"<!-- (\w+) -->\n```sh\n[^\n]+\n```", opening)
    assert marked == ["demo", "tests"]
    marks = [block.mark for block in blocks(README, "sh") if block.mark]
    assert [mark for mark in marks if not NOT_RUN.fullmatch(mark)] == marked


def test_a_newcomer_goes_from_install_to_export_in_under_ten_commands_of_the_readme_alone() -> None:
    path = ["install", "remember", "search", "connect", "list", "nightly", "export"]
    text = text_of(README)
    before = text[: text.index("memoria export")]
    commands = [line for block in blocks(README, "sh") for line in block.code.splitlines()]
    places = [
        next(n for n, line in enumerate(commands) if f" {step} " in f"{line} ") for step in path
    ]
    assert places == sorted(places)
    assert places[-1] + 1 < 10
    assert "talk with your agent" in before


def test_the_entry_in_the_documents_is_the_one_at_the_root() -> None:
    (shown,) = blocks(DOCS / "guide" / "connect.md", "json")
    assert json.loads(shown.code) == json.loads((ROOT / "mcp.json").read_text("utf-8"))


async def test_the_entry_at_the_root_starts_a_server(home: Path) -> None:
    entry = json.loads((ROOT / "mcp.json").read_text("utf-8"))["mcpServers"]["memoria"]
    if not (ROOT / entry["command"]).exists():
        pytest.skip(f"{entry['command']} is made by the README's commands")
    # Of a workspace that is named, nothing is noted in the checkout.
    environment = {"MEMORIA_HOME": str(home), "MEMORIA_WORKSPACE": "none"}
    server = StdioServerParameters(**entry, cwd=ROOT, env=environment)
    with anyio.fail_after(60):
        async with Client(server) as client:
            assert "search_memory" in {tool.name for tool in (await client.list_tools()).tools}


async def test_the_table_of_tools_is_the_tools(home: Path) -> None:
    async with Client(build_server(lambda: open_memoria(home))) as client:
        tools = (await client.list_tools()).tools
    listed = table_after(DOCS / "guide" / "connect.md", "<!-- tools -->")
    assert listed == [tool.name for tool in tools]


def test_the_table_of_settings_is_the_settings() -> None:
    assert with_table(text_of(PAGE)) == text_of(PAGE), f"write it anew: {COMMAND}"


def test_every_dependency_is_argued() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    lines = [line for extra in extras.keys() - {"dev", "training"} for line in extras[extra]]
    names = {re.split(r"[\[<>=; ]", line)[0] for line in lines}
    argued = "\n".join(map(text_of, (DOCS / "decisions").glob("*.md")))
    assert {name for name in names if f"**{name}**" not in argued} == set()
