"""What these tests share: the `memoria` command and a memory, both on a home of their own."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.surface.shell import Shell

import memoria
from memoria import Memoria, Settings


@pytest.fixture
def shell(home: Path) -> Shell:
    """Without vectors: the model takes seconds to load."""
    return Shell(home)


@pytest.fixture
async def quiet(home: Path) -> AsyncIterator[Memoria]:
    """An opened memory without vectors."""
    settings = Settings.load(home=str(home), tenant="tests", embedder="off")
    async with memoria.open(settings=settings) as opened:
        yield opened
