"""What tests share: a home of their own, the real bundled model, an opened memory."""

import gc
import os
from collections.abc import AsyncIterator, Generator
from pathlib import Path

import hypothesis
import pytest

import memoria
from memoria import Memoria
from memoria.inference.bundled import BUNDLED, BundledEmbedder

# The embedding model is kept here for the next run, not in the cache of whoever runs the tests.
os.environ["XDG_CACHE_HOME"] = str(Path(__file__).parents[1] / ".pytest_cache" / "user")

# A machine that is slow for a moment fails no property.
hypothesis.settings.register_profile("no deadline", deadline=None)
hypothesis.settings.load_profile("no deadline")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected stays to the end; nobody need look through it for garbage, now or later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of the machine the tests run on reaches them."""
    for name in list(os.environ):
        is_ours = name.startswith("MEMORIA_") and name != "MEMORIA_DATA"
        if is_ours or name == "CLAUDE_CODE_SESSION_ID":
            monkeypatch.delenv(name)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def embedder() -> BundledEmbedder:
    """The bundled model, loaded once for all tests."""
    return BundledEmbedder(BUNDLED)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A data folder that does not exist yet."""
    return tmp_path / "home"


@pytest.fixture
async def memory(home: Path, embedder: BundledEmbedder) -> AsyncIterator[Memoria]:
    """An opened memory with the bundled model."""
    async with memoria.open(home=home, tenant="tests", embedder=embedder) as opened:
        yield opened
