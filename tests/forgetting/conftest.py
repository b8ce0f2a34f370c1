"""A home that remembers without vectors; whoever wants them opens one of their own."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.empty_home import lay_empty_home
from tests.ingest.conftest import m, model

import memoria
from memoria.app import Memoria
from memoria.config import Settings

__all__ = ["m", "memory", "model"]


@pytest.fixture
async def memory(home: Path) -> AsyncIterator[Memoria]:
    lay_empty_home(home)
    async with memoria.open(settings=Settings(home=home, embedder="off")) as opened:
        yield opened
