"""A client of either era, connected to the real server in this process."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.surface.agent import Agent, connected, server_on
from tests.surface.client_box import ClientBox
from tests.surface.shell import Shell

from memoria.inference.embedder import BundledEmbedder

ERAS = {"2026-era": "auto", "legacy": "legacy"}


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """One event loop, so that a connection can outlive a test."""
    return "asyncio"


@pytest.fixture(scope="module", params=list(ERAS.values()), ids=list(ERAS))
async def standing(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Agent]:
    """A connected client that many tests share: for whatever changes nothing."""
    home = tmp_path_factory.mktemp("standing") / "home"
    async with connected(server_on(home, None), request.param) as one:
        yield one


@pytest.fixture(params=list(ERAS.values()), ids=list(ERAS))
def mode(request: pytest.FixtureRequest) -> str:
    """How a client connects: whatever the wire could break holds in both eras."""
    return str(request.param)


@pytest.fixture
async def agent(home: Path, mode: str) -> AsyncIterator[Agent]:
    """A connected client; without vectors, which most promises do not need."""
    async with connected(server_on(home, None), mode) as one:
        yield one


@pytest.fixture
async def embedding_agent(home: Path, embedder: BundledEmbedder, mode: str) -> AsyncIterator[Agent]:
    """A connected client of a server that computes vectors."""
    async with connected(server_on(home, embedder), mode) as one:
        yield one


@pytest.fixture
def shell(home: Path) -> Shell:
    """The `memoria` command on a home of its own, without vectors: the model takes seconds."""
    return Shell(home).begin()


@pytest.fixture
def begun(home: Path) -> Shell:
    """The same beside a `shell` of a module's own."""
    return Shell(home).begin()


@pytest.fixture
def box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ClientBox:
    """A user with a home folder of their own, in a project, and no client yet."""
    return ClientBox(tmp_path, monkeypatch)
