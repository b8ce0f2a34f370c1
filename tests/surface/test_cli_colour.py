"""Colour says nothing that the words do not, and can be read on white and on black."""

import io
import re
from pathlib import Path

import pytest
from rich.console import Console
from tests.surface.shell import Shell
from typer.testing import CliRunner

from memoria.surface.cli.colour import has_colour, print_coloured
from memoria.surface.cli.console import err
from memoria.surface.cli.main import app

LISTED = """\
2026-03-02
  Mira drinks tea
    fact · superseded · 0c70cfd1
note: it is history
Remembered as a fact, seen in every project:
[memory 0c70cfd1] Mira drinks tea (fact, contradicted)
Take it back: memoria undo"""


def painted(text: str) -> str:
    output = io.StringIO()
    terminal = Console(file=output, force_terminal=True, color_system="standard", soft_wrap=True)
    print_coloured(text, terminal)
    return output.getvalue().removesuffix("\n")


def test_colours_mark_ids_doubts_and_what_is_done_and_change_no_character() -> None:
    shown = painted(LISTED)
    assert re.sub(r"\x1b\[[\d;]*m", "", shown) == LISTED
    for code, words in {
        "35": "superseded",
        "2": " · 0c70cfd1",
        "32": "Remembered",
    }.items():
        assert f"\x1b[{code}m{words}" in shown
    assert "\x1b[35mcontradicted" in shown
    assert "\x1b[35mnote:" in shown
    # Yellow, cyan, white and all bright ones vanish on white, blue on black.
    assert not re.search(r"\x1b\[[\d;]*\b(33|34|36|37|9\d)\b", shown)


@pytest.mark.parametrize("columns", ["80", "120"])
def test_what_is_no_terminal_gets_no_colour_and_no_line_is_wider_than_asked(
    home: Path, columns: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell = Shell(home, {"COLUMNS": columns}).begin()
    told = shell.json("remember", "The spare keys of the boathouse hang behind the calendar " * 3)
    short = told["id"][-8:]
    for words in (("list",), ("show", short), ("undo", "--list"), ("nightly",), ("stats",)):
        said = shell(*words).out
        assert "\x1b" not in said
        assert max(map(len, said.splitlines())) <= int(columns), words
    monkeypatch.setenv("NO_COLOR", "1")
    assert not has_colour()


def test_remember_says_where_it_went_what_it_replaces_and_how_to_take_it_back(home: Path) -> None:
    shell = Shell(home, {"COLUMNS": "80"}).begin()
    former = shell.json("remember", "我住在北京")["id"]
    told = ("I live in Oslo", "--until", "2099-05-01", "--supersedes", former)
    said = shell("remember", *told).out
    assert said.startswith("Remembered as a fact, seen in every project:\n  I live in Oslo\n")
    assert "until 2099-05-01, that day included" in said
    assert "replaces: 我住在北京" in said
    undo = said.rpartition("Take it back: memoria ")[2].split()
    assert shell(*undo, "--yes").code == 0
    assert "我住在北京" in shell("list").out
    tea = shell.json("remember", "I drink tea")["id"]
    assert shell("revise", tea[-8:], "pin").out.startswith("Pinned:\n  I drink tea\n")


def test_help_bars_and_spinners_have_no_colour_that_a_background_swallows() -> None:
    parts = ("remaining", "elapsed", "percentage", "spinner")
    names = [*(f"progress.{one}" for one in parts), "bar.complete", "bar.finished", "bar.pulse"]
    colours = {err().get_style(name).color for name in names}
    assert {one.name for one in colours if one} == {"green"}
    helped = CliRunner().invoke(app, ["list", "--help"], env={"FORCE_COLOR": "1"}, color=True)
    assert "\x1b[1m" in helped.stdout
    assert not re.search(r"\x1b\[[\d;]*\b(33|34|36|37|9\d)m", helped.stdout)
