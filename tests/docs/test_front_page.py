"""The front page in two languages: in step, and true to what the program says."""

import re
import shlex
from pathlib import Path

import pytest
from mcp import Client
from mcp.types import TextContent
from tests.docs.commands import lines
from tests.docs.pages import DOCS, README, README_ZH, blocks, links, name_of, text_of
from typer.testing import CliRunner

from memoria.app import open_memoria
from memoria.surface.cli.main import app
from memoria.surface.mcp.server import build_server
from memoria.surface.unread_text import unread_word

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
