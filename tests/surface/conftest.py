"""A client of either era, connected to the real server in this process."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.surface.agent import Agent, connected, server_on
from tests.surface.shell import Shell

from memoria.inference.bundled import BundledEmbedder


@pytest.fixture(params=["auto", "legacy"], ids=["2026-era", "legacy"])
def mode(request: pytest.FixtureRequest) -> str:
    """How a client connects: every promise is kept in both eras."""
    return str(request.param)


@pytest.fixture
async def agent(home: Path, embedder: BundledEmbedder, mode: str) -> AsyncIterator[Agent]:
    """A connected client."""
    async with connected(server_on(home, embedder), mode) as one:
        yield one


@pytest.fixture
def shell(home: Path) -> Shell:
    """The `memoria` command on a home of its own, without vectors: the model takes seconds."""
    return Shell(home)
