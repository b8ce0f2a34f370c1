"""`--help` at 80 columns: whole words, values in sentences, and no type of a program's."""

import re
from pathlib import Path

import pytest
import typer
from tests.surface.shell import Shell

from memoria.surface.cli.main import app

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
