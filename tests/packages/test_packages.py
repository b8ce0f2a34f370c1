"""What is installed into a client by its own means is written from one source and holds up."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from packages.clients import CODEX, PACKAGED_CLIENTS, PackagedClient
from packages.write import (
    REGISTRY_NAME,
    ROOT,
    build_command,
    build_files,
    build_skill,
    list_written,
)
from tests.docs.pages import README, text_of

from memoria.app import open_memoria
from memoria.connectors.clients.interface import HookCall
from memoria.surface.hook.replies import MOST_CHARS
from memoria.surface.mcp.server import build_server

_CALL = re.compile(r"`(\w+)(?:\(([^`]*)\))?`")
_ARGUMENT = re.compile(r'(\w+)=("[^"]*"|\S+?)(?=[,)]|$)')
_LONE_ARGUMENT = re.compile(r'`(\w+)=("[^"`]*"|[^`]*)`')
posix = pytest.mark.skipif(os.name == "nt", reason="the command is for a POSIX shell")
clients = pytest.mark.parametrize("client", PACKAGED_CLIENTS, ids=lambda one: one.name)


def run_hook(
    client: PackagedClient, event: str, path: Path, told: str = "{}", **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603  (our own command)
        ["/bin/sh", "-c", build_command(client, event)],
        env={"PATH": str(path), **environment},
        input=told,
        capture_output=True,
        text=True,
        check=False,
    )


def test_what_is_committed_is_what_is_written() -> None:
    files = build_files()
    command = "python -m packages.write"
    for path, text in files.items():
        assert (ROOT / path).read_text("utf-8") == text, f"write {path} anew: {command}"
    assert list_written() <= files.keys(), f"a file too many: {command}"


def test_a_marketplace_names_folders_that_are_there() -> None:
    for path, text in build_files().items():
        if not path.endswith("marketplace.json"):
            continue
        for plugin in json.loads(text)["plugins"]:
            source = plugin["source"]
            folder = ROOT / (source if isinstance(source, str) else source["path"])
            assert list(folder.glob(".*-plugin/plugin.json")), path


@posix
@clients
def test_a_plugin_without_its_program_says_so_once_a_session_and_fails_no_hook(
    client: PackagedClient, tmp_path: Path
) -> None:
    first, *others = client.hooks.events
    answers = [run_hook(client, event, tmp_path) for event in (first, *others)]
    assert {(one.returncode, one.stderr) for one in answers} == {(0, "")}
    assert {one.stdout for one in answers[1:]} == {""}
    if client.shows_messages:
        assert "pipx install memoria-server" in json.loads(answers[0].stdout)["systemMessage"]


def test_codex_takes_the_longest_answer_whole_and_writes_no_copy_of_it() -> None:
    longest = "𠮷" * MOST_CHARS
    for event in ("SessionStart", "UserPromptSubmit"):
        (hook,) = CODEX.hooks.form(HookCall(event, "memoria hook codex", 5))["hooks"]
        assert len(longest.encode()) / 4 <= hook["additionalContextLimit"]


@posix
@clients
def test_a_plugin_whose_program_fails_refuses_no_prompt(
    client: PackagedClient, tmp_path: Path
) -> None:
    program = tmp_path / "memoria"
    program.write_text("#!/bin/sh\nexit 2\n", "utf-8")
    program.chmod(0o755)
    assert {run_hook(client, event, tmp_path).returncode for event in client.hooks.events} == {0}


@posix
@clients
def test_a_hook_of_a_package_is_the_hook_program(
    client: PackagedClient, tmp_path: Path, home: Path
) -> None:
    program = tmp_path / "memoria"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m memoria "$@"\n', "utf-8")
    program.chmod(0o755)
    first = next(iter(client.hooks.events))
    told = {
        "hook_event_name": first,
        "session_id": "s1",
        "conversation_id": "s1",
        "cwd": str(tmp_path),
        "workspace_roots": [str(tmp_path)],
        "transcript_path": str(tmp_path / "s1.jsonl"),
    }
    answer = run_hook(client, first, tmp_path, json.dumps(told), MEMORIA_HOME=str(home))
    assert (answer.returncode, answer.stderr) == (0, "")
    assert "search_memory" in answer.stdout
    assert list(home.rglob("spool/*.json"))


@clients
async def test_a_skill_speaks_of_tools_and_arguments_as_they_are(
    client: PackagedClient, home: Path
) -> None:
    async with Client(build_server(lambda: open_memoria(home))) as agent:
        tools = {one.name: one.input_schema for one in (await agent.list_tools()).tools}
    skill = build_skill(client)
    assert len(skill.splitlines()) < 60
    assert "{{" not in skill
    named = [(name, given) for name, given in _CALL.findall(skill) if "_" in name or given]
    assert {name for name, _ in named} - {"mcp_memoria_"} == {
        "search_memory",
        "search_conversation_traces",
        "get_memory",
        "remember",
        "revise_memory",
        "forget_memory",
        "record_conversation",
    }
    for tool, given in named:
        for argument, value in _ARGUMENT.findall(given):
            check_argument(tools[tool], argument, value)
    for argument, value in _LONE_ARGUMENT.findall(skill):
        schemas = [one for one in tools.values() if argument in one["properties"]]
        assert schemas, argument
        for schema in schemas:
            check_argument(schema, argument, value)


def check_argument(schema: dict[str, Any], argument: str, value: str) -> None:
    wanted = schema["properties"][argument]
    if "enum" in wanted:
        assert value.strip('"') in wanted["enum"]


def test_the_registry_finds_its_name_in_the_readme() -> None:
    entry = json.loads(build_files()["packages/server.json"])
    assert entry["name"] == REGISTRY_NAME
    assert f"mcp-name: {REGISTRY_NAME}" in text_of(README)
    assert len(entry["description"]) <= 100
    (package,) = entry["packages"]
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]
    assert package["identifier"] in scripts, "uvx starts the program of the package's own name"
