"""What these tests share: the `memoria` command and a memory, both on a home of their own."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.databases import copy_home
from tests.empty_home import lay_empty_home
from tests.surface.shell import Shell

import memoria
from memoria import Memoria, Settings


@pytest.fixture
def shell(home: Path) -> Shell:
    """Without vectors: the model takes seconds to load."""
    return Shell(home, {"MEMORIA_WORKSPACE": "none"})


@pytest.fixture
async def quiet(home: Path) -> AsyncIterator[Memoria]:
    """An opened memory without vectors."""
    settings = Settings.load(home=lay_empty_home(home), tenant="tests", embedder="off")
    async with memoria.open(settings=settings) as opened:
        yield opened


@pytest.fixture(scope="session")
def pattern(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a few hundred turns and a memory: made once, copied for each test."""
    folder = tmp_path_factory.mktemp("pattern")
    file = folder / "chat.jsonl"
    turns = ({"role": "user", "content": f"bluebird {i} " + f"word{i} " * 40} for i in range(300))
    file.write_text("".join(json.dumps(turn) + "\n" for turn in turns))
    shell = Shell(folder / "home", {"MEMORIA_WORKSPACE": "none"})
    shell.json("import", file)
    shell.json("remember", "The launch code name is bluebird")
    return shell.home


@pytest.fixture
def filled(shell: Shell, pattern: Path) -> Shell:
    """The command on a home with a few hundred turns and a memory in one file."""
    copy_home(pattern, shell.home)
    return shell
