"""The front page in two languages: in step, and true to what the program says."""

import json
import re
import shlex
import tomllib
from pathlib import Path

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.types import TextContent
from packaging.requirements import Requirement
from packaging.version import Version
from tests.databases import engine_variables
from tests.docs.commands import NOT_RUN, lines
from tests.docs.pages import (
    DOCS,
    README,
    README_ZH,
    ROOT,
    blocks,
    links,
    name_of,
    table_after,
    text_of,
)
from tests.docs.settings_table import COMMAND, PAGE, with_table
from typer.testing import CliRunner

from memoria.app import open_memoria
from memoria.surface.cli.main import app
from memoria.surface.mcp.instructions import unread_word
from memoria.surface.mcp.server import build_server

FRONT_PAGES = pytest.mark.parametrize("page", [README, README_ZH], ids=name_of)
_DAY = re.compile(r"(?m)^(\d{4}-\d{2}-\d{2})")
_SPOKEN = re.compile(r"(?m)^  (?:you|你) +(.+)$")
_ASKED = re.compile(r"(?m)^  (?:agent|智能体) +search_memory: (.+)$")
_ANSWER = re.compile(r"(?m)^ {9}((?:  )?\S.*)$")
_BAR = re.compile(r"(?m)^([\w-]+) +(█+) (\.\d{3})$")
_OF_A_BAR = 0.033
"""How much of the evidence a block of a bar stands for."""


def test_each_language_of_the_front_page_links_to_the_other_first() -> None:
    assert next(links(README)) == README_ZH.name
    assert next(links(README_ZH)) == README.name


def test_both_languages_have_the_same_headings_commands_and_links() -> None:
    english, chinese = _skeleton(README), _skeleton(README_ZH)
    assert english == chinese
    assert all(english)


@FRONT_PAGES
async def test_the_conversation_is_answered_as_the_front_page_shows_and_with_what_goes_unread(
    page: Path, home: Path
) -> None:
    (talk,) = (block.code for block in blocks(page, "text") if _ASKED.search(block.code))
    *told, asked = talk.strip().split("\n\n")
    (question,) = _ASKED.findall(asked)
    async with Client(build_server(lambda: open_memoria(home))) as client:
        for number, session in enumerate(told):
            turn = {"role": "user", "content": _SPOKEN.findall(session)[0]}
            turn |= {"message_id": f"m{number}", "at": f"{_DAY.findall(session)[0]}T09:00:00Z"}
            call = {"session_id": f"s{number}", "turns": [turn]}
            assert not (await client.call_tool("record_conversation", call)).is_error
    async with open_memoria(home) as memory:
        await memory.wait_until_idle()
        unread = await memory.count_unread()
    assert unread.turns == len(told)
    async with Client(build_server(lambda: open_memoria(home))) as client:
        answer = await client.call_tool("search_memory", {"query": question})
    (content,) = answer.content
    assert isinstance(content, TextContent)
    shown = [*_ANSWER.findall(asked), "", unread_word(unread)]
    assert list(map(_without_id, content.text.splitlines())) == list(map(_without_id, shown))


@FRONT_PAGES
@pytest.mark.parametrize("embedder", ["off", "bundled"])
def test_the_first_search_of_the_front_page_answers_with_what_was_told_right_before(
    page: Path, embedder: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORIA_HOME", str(home))
    monkeypatch.setenv("MEMORIA_EMBEDDER", embedder)
    remember, search = [line.words[1:] for line in lines() if line.page == page and line.is_run][:2]
    assert (remember[0], search[0]) == ("remember", "search")
    assert CliRunner().invoke(app, list(remember)).exit_code == 0
    found = CliRunner().invoke(app, list(search))
    assert found.exit_code == 0
    assert found.stdout.splitlines()[0].strip() == remember[1]


@FRONT_PAGES
def test_the_chart_shows_the_best_row_of_each_server_of_the_benchmarks(page: Path) -> None:
    (chart,) = (block.code for block in blocks(page, "text") if block.mark == "chart")
    drawn = _BAR.findall(chart)
    part = text_of(DOCS / "benchmarks.md").partition("## Beside other memory servers\n")[2]
    best: dict[str, str] = {}
    for server, recall in re.findall(r"(?m)^\| ([\w-]+) \| [^|]+ \| (\.\d{3}) \(", part):
        best[server] = max(best.get(server, ""), recall)
    assert {server: figure for server, _, figure in drawn} == best
    assert [len(bar) for _, bar, _ in drawn] == [round(float(f) / _OF_A_BAR) for _, _, f in drawn]


def _skeleton(page: Path) -> tuple[list[str], list[list[str]], list[str]]:
    """What a page has in any language: levels of headings, commands without texts, links."""
    levels = re.findall(r"(?m)^(#+) ", re.sub(r"(?ms)^```.*?^```$", "", text_of(page)))
    commands = [
        [word for word in shlex.split(line, comments=True) if " " not in word and word.isascii()]
        for block in blocks(page, "sh")
        for line in block.code.splitlines()
    ]
    named = re.findall(r"`(memoria [a-z -]+|[a-z]+_[a-z_]+|\.venv[^`]*)`", text_of(page))
    return levels, [*commands, sorted(named)], list(links(page))[1:]


def _without_id(line: str) -> str:
    return re.sub(r"\[(turn|memory) \w+\]", r"[\1]", line)


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
    environment = {"MEMORIA_HOME": str(home), "MEMORIA_WORKSPACE": "none", **engine_variables(home)}
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


_LOCKED = r"^[\w.-]+==[^\n]*\\\n(?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+"
LOCK = (ROOT / "requirements.lock").read_text("utf-8")


def _needed() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    groups = (project["dependencies"], *project["optional-dependencies"].values())
    return [Requirement(line) for group in groups for line in group]


def _locked() -> dict[str, list[Version]]:
    found: dict[str, list[Version]] = {}
    for name, version in re.findall(r"^([\w.-]+)==([\w.]+)", LOCK, re.MULTILINE):
        found.setdefault(_plain(name), []).append(Version(version))
    return found


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_lock_holds_every_dependency_in_versions_the_project_allows() -> None:
    locked = _locked()
    needed = _needed()
    assert {one.name for one in needed if _plain(one.name) not in locked} == set()
    assert [
        f"{one.name} {version}"
        for one in needed
        for version in locked[_plain(one.name)]
        if not one.specifier.contains(version)
    ] == []


def test_every_locked_version_has_its_hashes() -> None:
    versions = re.findall(_LOCKED, LOCK, re.MULTILINE)
    assert len(versions) == len(re.findall(r"^[\w.-]+==", LOCK, re.MULTILINE))


def test_the_lock_names_no_registry_and_no_folder_of_a_machine() -> None:
    assert re.findall(r"https?:|file:|--index|--find-links|^-e|/[a-z]+/", LOCK, re.MULTILINE) == []


def test_the_checks_are_run_on_three_systems_as_they_are_here() -> None:
    workflow = (ROOT / ".github" / "workflows" / "checks.yml").read_text("utf-8")
    assert "os: [ubuntu-latest, macos-latest, windows-latest]" in workflow
    assert "run: bash .ci/run\n" in workflow


def test_the_checks_before_a_commit_are_checks_of_ci() -> None:
    hooks = (ROOT / ".pre-commit-config.yaml").read_text("utf-8")
    ci = (ROOT / ".ci" / "run").read_text("utf-8")
    programs = set(re.findall(r"entry: \.venv/bin/([\w-]+)", hooks)) - {"python"}
    assert programs
    assert {program for program in programs if f'"$bin/{program}"' not in ci} == set()


def test_the_container_is_made_of_what_the_wheel_is_made_of() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    sources = {path.split("/")[0] for path in (*wheel["packages"], *wheel["force-include"])}
    files = {project["project"]["readme"], *project["project"]["license-files"], "pyproject.toml"}
    container = (ROOT / "Dockerfile").read_text("utf-8")
    copied = {
        word
        for line in re.findall(r"^COPY (?!--)(.+)$", container, re.MULTILINE)
        for word in line.split()[:-1]
    }
    sent = set(re.findall(r"^!(.+)$", (ROOT / ".dockerignore").read_text("utf-8"), re.MULTILINE))
    assert sources | files <= copied
    assert copied == sent
