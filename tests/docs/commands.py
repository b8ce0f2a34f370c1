"""The commands of the documents: taken apart, held against the program, run in this process.

A `sh` block is run, line by line, unless a comment above it says why that can't be done here:
`<!-- needs: … -->` (a client, a scheduler, a container) or `<!-- instead: … -->` (of another).
Of such a block it is checked that everything it names exists.
"""

import importlib.util
import re
import shlex
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import typer.main
from tests.docs.pages import ROOT, Block, blocks, pages
from typer.core import TyperGroup

from memoria.config import Settings
from memoria.surface.cli.main import app

NOT_RUN = re.compile(r"(?:needs|instead): .+")
README_COMMANDS = ("demo", "tests")
"""Marks of the two commands that CI itself runs."""

_OTHER_PROGRAMS = {"alias", "bash", "docker", "pip", "pipx", "pre-commit", "uv", "uvx"}
"""Programs that are not ours: a block with one must be marked."""


@dataclass(frozen=True)
class Line:
    """One command of a block."""

    page: Path
    words: tuple[str, ...]
    mark: str

    @property
    def is_run(self) -> bool:
        """Whether the command can be run on any machine."""
        return not self.mark and self.words[0] in {"memoria", "export"}


def lines() -> Iterator[Line]:
    """Every command of every document, in the order of the pages."""
    for page in pages():
        for block in blocks(page, "sh"):
            for words in _split(block):
                yield Line(page, words, block.mark)


def problem(line: Line) -> str | None:
    """What of a command does not exist; None if everything does."""
    program, *rest = line.words
    if program in {"python", "python3"} or program.endswith("/python"):
        return _module_problem(rest)
    if program.endswith("/pip"):
        return _extras_problem(rest)
    if program.endswith("/memoria") or program == "memoria":
        return _option_problem(rest)
    if program == "export":
        return _settings_problem(rest)
    if program.removeprefix(".venv/bin/") in _OTHER_PROGRAMS or line.mark in README_COMMANDS:
        return None if line.mark else f"say why {program} is not run, in a comment above the block"
    return f"{program} is a program that the tests do not know"


def command_names() -> list[str]:
    """The commands of the program, in the order of its help."""
    return list(_program().commands)


def all_options() -> set[str]:
    """Every option of every command, and those of the benchmarks."""
    found = _options(_program())
    waiting = list(_program().commands.values())
    while waiting:
        command = waiting.pop()
        found |= _options(command)
        waiting += getattr(command, "commands", {}).values()
    benchmarks = "".join(path.read_text("utf-8") for path in ROOT.glob("bench/**/*.py"))
    return found | set(re.findall(r'"(--[a-z][a-z-]*)"', benchmarks))


def _split(block: Block) -> Iterator[tuple[str, ...]]:
    for line in block.code.replace("\\\n", " ").splitlines():
        for command in re.split(r" && ", line):
            if words := tuple(shlex.split(command, comments=True)):
                yield words


def _option_problem(arguments: list[str]) -> str | None:
    """What of a `memoria …` line the program does not know."""
    if arguments[:1] == ["hook"]:
        return None  # typed by no person: `surface/front/main.py` knows it
    command: Any = _program()
    options = _options(command)
    for word in arguments:
        if word.startswith("-"):
            if word.partition("=")[0] not in options:
                return f"{command.name} has no option {word}"
        elif isinstance(command, TyperGroup) and word in command.commands:
            command = command.commands[word]
            options |= _options(command)
    is_named = command is not _program() or options.intersection(arguments)
    return None if is_named else f"{' '.join(arguments)} names no command"


@cache
def _program() -> Any:  # noqa: ANN401  (Typer's own class, whose base differs between versions)
    return typer.main.get_command(app)


def _options(command: Any) -> set[str]:  # noqa: ANN401  (as above)
    named = {name for param in command.params for name in (*param.opts, *param.secondary_opts)}
    return named | {"--help"}


def _module_problem(arguments: list[str]) -> str | None:
    """What of a `python -m …` line is not there."""
    if arguments[:1] != ["-m"]:
        return "python is run with -m"
    module, *rest = arguments[1:]
    if module in {"pytest", "pip", "venv", "zensical"}:
        return None
    if importlib.util.find_spec(module) is None:
        return f"there is no module {module}"
    sources = _sources(module)
    unknown = [word for word in rest if word.startswith("--") and f'"{word}"' not in sources]
    return f"{module} has no option {unknown[0]}" if unknown else None


def _sources(module: str) -> str:
    """What a benchmark says of its options: its own files and those that all share."""
    place = ROOT.joinpath(*module.split("."))
    own = place.rglob("*.py") if place.is_dir() else [place.with_suffix(".py")]
    return "".join(path.read_text("utf-8") for path in (*own, *ROOT.glob("bench/*.py")))


def _extras_problem(arguments: list[str]) -> str | None:
    """Which extras of an installation the project does not have."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    named = {
        extra
        for word in arguments
        for group in re.findall(r"\[([\w,-]+)\]", word)
        for extra in group.split(",")
    }
    unknown = named - set(project["optional-dependencies"])
    return f"there is no extra {', '.join(sorted(unknown))}" if unknown else None


def _settings_problem(assignments: list[str]) -> str | None:
    """Which variables of an `export` line are no settings."""
    known = {f"MEMORIA_{name.upper()}" for name in Settings.model_fields}
    unknown = [word for word in assignments if word.partition("=")[0] not in known]
    return f"no setting is called {unknown[0]}" if unknown else None
