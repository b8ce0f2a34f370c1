"""A model that follows a script, and a memory that it reads for."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from tests.ingest.play import answers, opened
from tests.llm.scripted import ScriptedModel

from memoria import Memoria


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    """A model that concludes nothing, until a test gives it other answers."""
    with ScriptedModel(answer=answers()) as scripted:
        yield scripted


@pytest.fixture
async def m(home: Path, model: ScriptedModel) -> AsyncIterator[Memoria]:
    async with opened(home, model) as memory:
        yield memory
