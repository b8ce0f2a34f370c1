"""What was recorded before there was a chat model is read when it is asked for."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.ingest.play import add, answers, entries, memories, opened, reader, said
from tests.llm.scripted import ScriptedModel

import memoria
from memoria import Settings
from memoria.errors import InvalidInputError

SAID = "The roof came up again today, and Ida thinks that it needs new tiles before winter."


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as scripted:
        extract = reader(
            lambda n, _who, text, _: [add("Ida", n, f"Ida: {text[-20:]}")] if "Ida" in text else []
        )
        scripted.answer = answers(extract=extract)
        yield scripted


async def test_what_was_recorded_without_a_model_is_read_once_by_one(
    home: Path, model: ScriptedModel
) -> None:
    async with memoria.open(settings=Settings(home=home, embedder="off")) as m:
        for session in ("a", "b"):
            await said(
                m, SAID, ("assistant", "I see."), "Yes.", ("assistant", "Good."), session=session
            )
        await said(m, SAID, session="open", event=None)
        assert await m.queue.list_entries() == []
    async with opened(home, model) as m:
        assert await memories(m) == []
        assert await m.queue.fill() == 2
        assert await m.queue.fill() == 0
        await m.wait_until_idle(60)
        assert {entry.session_id for entry in await entries(m)} == {"a", "b"}
        assert len(await entries(m, "episode")) == 2
        (memory,) = await memories(m)
        asked = len(model.requests)
        assert await m.queue.fill() == 0
        await m.wait_until_idle(60)
    assert memory.evidence == 2
    assert len(model.requests) == asked


async def test_without_a_model_nothing_is_queued_and_it_says_what_to_set(home: Path) -> None:
    async with memoria.open(settings=Settings(home=home, embedder="off")) as m:
        await said(m, SAID)
        with pytest.raises(InvalidInputError, match="memoria model"):
            await m.queue.fill()
        assert await m.queue.list_entries() == []
