"""What rests on what is forgotten goes with it, whatever its type."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from tests.forgetting.histories import retype
from tests.forgetting.remains import remains
from tests.ingest.play import add, memories, opened, reader, said
from tests.llm.scripted import ScriptedModel

from memoria import Memoria
from memoria.model import MemoryType

WORD = "zanzibar4711"
TURN = f"Well, the combination of my locker is {WORD}, as you know."
CONCLUSION = f"Locker code: {WORD}"


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as scripted:
        yield scripted


@pytest.fixture
async def concluding(home: Path, model: ScriptedModel) -> AsyncIterator[Memoria]:
    """A memory in which a model draws the same conclusion from every turn with the word."""
    model.answer = reader(
        lambda n, _who, text, _known: [add(WORD, n, CONCLUSION)] if WORD in text else []
    )
    async with opened(home, model) as m:
        yield m


@pytest.mark.parametrize("kind", sorted(MemoryType))
async def test_a_conclusion_of_any_type_goes_with_the_only_turn_it_was_drawn_from(
    concluding: Memoria, home: Path, kind: MemoryType
) -> None:
    await said(concluding, TURN)
    (conclusion,) = await memories(concluding)
    retype(concluding, conclusion, kind)
    (turn,) = (await concluding.get_session("s")).turns
    await concluding.forget_memory([turn.id], include_source=True)
    assert await memories(concluding) == []
    assert remains(home, WORD) == set()
