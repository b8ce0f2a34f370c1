"""The documents tell the truth."""

import ast
import json
import re
import tomllib
from itertools import pairwise
from pathlib import Path

import anyio
import pytest
from mcp import Client, StdioServerParameters

from memoria.app import open_memoria
from memoria.config import Settings
from memoria.surface.mcp.server import build_server

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def _table(after: str) -> list[str]:
    """The first cells of the table that follows some text."""
    part = README[README.index(after) :]
    rows = re.findall(
        r"^\| `([^`]+)` \|", part[: part.index("\n\n", part.index("|---"))], re.MULTILINE
    )
    return list(rows)


async def test_the_table_of_tools_is_the_tools(home: Path) -> None:
    server = build_server(lambda: open_memoria(home))
    assert _table("## The tools") == [tool.name for tool in await server.list_tools()]


def test_the_table_of_settings_is_the_settings() -> None:
    names = [f"MEMORIA_{name.upper()}" for name in Settings.model_fields]
    assert _table("<!-- settings -->") == names
    meanings = _docstrings_of_settings()
    for name, field in Settings.model_fields.items():
        line = next(
            row for row in README.splitlines() if row.startswith(f"| `MEMORIA_{name.upper()}`")
        )
        assert " ".join(meanings[name].split()) in line
        assert field.default is None or f"`{field.default}`" in line


def test_the_readme_has_two_commands_to_begin_with() -> None:
    opening = README[: README.index("## Plug it in")]
    assert len(re.findall(r"```sh\n[^\n]+\n```", opening)) == 2


def test_the_entry_in_the_readme_is_the_one_at_the_root() -> None:
    shown = re.search(r"```json\n(.*?)```", README, re.DOTALL)
    assert shown is not None
    assert json.loads(shown[1]) == json.loads((ROOT / "mcp.json").read_text("utf-8"))


async def test_the_entry_at_the_root_starts_a_server(home: Path) -> None:
    entry = json.loads((ROOT / "mcp.json").read_text("utf-8"))["mcpServers"]["memoria"]
    if not (ROOT / entry["command"]).exists():
        pytest.skip(f"{entry['command']} is made by the README's commands")
    server = StdioServerParameters(**entry, cwd=ROOT, env={"MEMORIA_HOME": str(home)})
    with anyio.fail_after(60):
        async with Client(server) as client:
            assert "search_memory" in {tool.name for tool in (await client.list_tools()).tools}


def test_every_dependency_is_argued() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    names = {re.split(r"[\[<>=; ]", line)[0] for line in project["dependencies"]}
    argued = " ".join(re.findall(r"^\*\*([^*]+)\*\*", _decisions(), re.MULTILINE))
    assert {name for name in names if name not in argued} == set()


def test_every_folder_and_file_the_architecture_names_exists() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    named = re.findall(r"`([a-z_]+(?:/[a-z_]+)*(?:\.py|/))`", text)
    package = ROOT / "server" / "memoria"
    assert [name for name in named if not (package / name).exists()] == []


def _docstrings_of_settings() -> dict[str, str]:
    """The text under each field of Settings."""
    tree = ast.parse((ROOT / "server" / "memoria" / "config.py").read_text("utf-8"))
    settings = next(n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "Settings")
    return {
        field.target.id: text.value.value
        for field, text in pairwise(settings.body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }


def _decisions() -> str:
    return (ROOT / "docs" / "decisions.md").read_text("utf-8")
