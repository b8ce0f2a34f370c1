"""What a person at a terminal is told where there is nobody at the other end, or no question."""

import os
import signal
import subprocess
import sys
from io import StringIO
from pathlib import Path
from threading import Timer

import pytest
from rich.console import Console
from tests.surface.shell import Shell

from memoria.surface.cli import progress

pty = pytest.importorskip("pty", reason="needs a terminal as POSIX has it")


def start(home: Path, *words: str) -> tuple[subprocess.Popen[bytes], int]:
    ours, theirs = pty.openpty()
    environment = {
        "PATH": os.environ["PATH"],
        "MEMORIA_HOME": str(home),
        "MEMORIA_EMBEDDER": "off",
        "NO_COLOR": "1",
    }
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
