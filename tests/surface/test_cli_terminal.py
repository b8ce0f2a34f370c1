"""What a person at a terminal is told where there is nobody at the other end, or no question."""

import io
import os
import re
import signal
import subprocess
import sys
from io import StringIO
from pathlib import Path
from threading import Timer

import pytest
import typer
from rich.console import Console
from tests.databases import process_environment
from tests.surface.shell import Shell
from typer.testing import CliRunner

from memoria.surface.cli import progress
from memoria.surface.cli.console import err
from memoria.surface.cli.layout import has_colour, print_coloured
from memoria.surface.cli.main import app

pty = pytest.importorskip("pty", reason="needs a terminal as POSIX has it")


def start(home: Path, *words: str) -> tuple[subprocess.Popen[bytes], int]:
    ours, theirs = pty.openpty()
    environment = process_environment(home, MEMORIA_HOME=str(home), NO_COLOR="1")
    command = [sys.executable, "-m", "memoria", *words]
    running = subprocess.Popen(  # noqa: S603  (our own program)
        command, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )
    os.close(theirs)
    return running, ours


def test_serve_on_a_terminal_says_what_it_waits_for_and_how_to_stop_it(home: Path) -> None:
    running, terminal = start(home, "serve")
    assert running.stderr is not None
    said = b"".join(running.stderr.readline() for _ in range(3)).decode()
    assert "waits for a client" in said
    assert "memoria connect" in said
    assert "Ctrl-C" in said
    running.send_signal(signal.SIGINT)
    out, _ = running.communicate(timeout=60)
    os.close(terminal)
    assert (running.returncode, out) == (0, b"")


def test_search_without_words_asks_for_the_question_where_no_shell_reads_its_signs(
    home: Path,
) -> None:
    kept, terminal = start(home, "remember", "Which language? The user speaks Dutch")
    kept.communicate(timeout=60)
    os.close(terminal)
    running, terminal = start(home, "search")
    os.write(terminal, b"which language?\n")
    out, err = running.communicate(timeout=60)
    os.close(terminal)
    assert "What do you look for?" in err.decode()
    assert "speaks Dutch" in out.decode()


class PromptTimer(Timer):
    """A second that is over at once."""

    def start(self) -> None:
        self.function()

    def join(self, timeout: float | None = None) -> None:
        """Nothing was begun."""


def test_work_of_more_than_a_second_is_shown_also_while_nothing_is_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    output = StringIO()
    monkeypatch.setattr(progress, "err", lambda: Console(file=output, force_terminal=True))
    with progress.show_progress("Building indexes", "Checking the home"):
        pass
    assert "Checking the home" not in output.getvalue()
    monkeypatch.setattr(progress, "Timer", PromptTimer)
    with progress.show_progress("Building indexes", "Checking the home") as count:
        pass
    assert "Checking the home" in output.getvalue()
    with progress.show_progress("Building indexes", "Checking the home") as count:
        count(1, 2)
    assert "Building indexes" in output.getvalue()


def test_who_is_asked_what_a_statement_replaces_has_remembered_once_and_undoes_it_at_once(
    home: Path,
) -> None:
    shell = Shell(home)
    old = shell.json("remember", "my real name is Josip and I live in Split")
    running, terminal = start(home, "remember", "I live in Rijeka")
    os.write(terminal, b"y\n")
    said, asked = running.communicate(timeout=60)
    os.close(terminal)
    assert running.returncode == 0
    assert "and I live in Split” says more than that. Does it replace all of it?" in asked.decode()
    assert said.decode().lstrip().startswith("Remembered as a fact")
    assert "replaces: my real name is Josip and I live in Split" in said.decode()
    assert [one["action"] for one in shell.json("undo", "--list")["changes"]] == ["remember"] * 2
    assert shell("undo", "--yes").code == 0
    assert [one["id"] for one in shell.json("list")["memories"]] == [old["id"]]


def test_of_a_memory_that_says_no_more_it_is_asked_plainly(home: Path) -> None:
    Shell(home)("remember", "I live in Zadar now")
    running, terminal = start(home, "remember", "I live in Rijeka")
    os.write(terminal, b"n\n")
    said, asked = running.communicate(timeout=60)
    os.close(terminal)
    assert "Does it replace “I live in Zadar now”? [y/N]" in asked.decode()
    assert said.decode().lstrip().startswith("Remembered as a fact")


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
    for code, words in {"35": "superseded", "2": " · 0c70cfd1", "32": "Remembered"}.items():
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


COMMANDS = typer.main.get_command(app)


def paths() -> list[tuple[str, ...]]:
    """Every command, and every group of them."""
    found: list[tuple[str, ...]] = [()]
    for name, command in COMMANDS.commands.items():  # type: ignore[attr-defined]
        found += [(name,), *((name, below) for below in getattr(command, "commands", {}))]
    return found


@pytest.mark.parametrize("columns", [80, 120])
def test_help_cuts_no_word_and_names_values_in_words(columns: int, home: Path) -> None:
    shell = Shell(home)
    wide = [shell.run(*path, "--help", COLUMNS="400").out for path in paths()]
    known = {word for text in wide for word in words_of(text)}
    for path in paths():
        text = shell.run(*path, "--help", COLUMNS=str(columns)).out
        assert max(map(len, text.splitlines())) <= columns
        assert not re.search(r"<(bool|str|int|list|float)", text), path
        cut = {word for word in words_of(text) if word not in known}
        assert not cut, (path, cut)


def words_of(text: str) -> set[str]:
    return set(re.findall(r"[A-Za-z_-]{2,}", text))


def test_a_paragraph_is_broken_where_the_terminal_ends(home: Path) -> None:
    told = Shell(home).run("revise", "--help", COLUMNS="200").out
    assert "apart that they are two; memoria review lists which may be one." in told


@pytest.mark.parametrize(
    ("answer", "is_yes"),
    [
        *((word, True) for word in ("y", "Yes", "是", "是的", "好", "好的。", "对")),
        *((word, False) for word in ("n", "NO", "否", "不", "不要", "")),
        ("maybe\n是", True),
        ("也许\n否", False),
    ],
)
def test_who_is_asked_may_answer_in_chinese(home: Path, answer: str, is_yes: bool) -> None:
    shell = Shell(home)
    shell("remember", "The canary is yellow")
    line = ["--home", str(home), "forget", "--topic", "canary"]
    asked = CliRunner().invoke(app, line, input=f"{answer}\n", env={"MEMORIA_EMBEDDER": "off"})
    assert (asked.exit_code, "Answer y or n" in asked.stderr) == (int(not is_yes), "\n" in answer)
    assert ("canary" in shell("list").out) != is_yes
