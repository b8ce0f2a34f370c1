"""What the database can't hold is refused in our own words, and nothing is half written."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import pytest

import memoria
from memoria import Memoria, Settings
from memoria.errors import MemoriaError

LONE = "a\ud800"  # half a surrogate pair, as broken JSON encoders send it
TOO_GREAT = 10**30


@pytest.fixture
async def plain(home: Path) -> AsyncIterator[Memoria]:
    """A memory without vectors."""
    settings = Settings.load(home=home, tenant="ann", embedder="off")
    async with memoria.open(settings=settings) as opened:
        yield opened


CALLS: dict[str, Callable[[Memoria], Awaitable[object]]] = {
    "session_id": lambda m: m.record_conversation([turn(session_id=LONE)]),
    "message_id": lambda m: m.record_conversation([turn(message_id=LONE)]),
    "speaker": lambda m: m.record_conversation([turn(speaker=LONE)]),
    "tool_name": lambda m: m.record_conversation([turn(tool_name=LONE)]),
    "a time far off": lambda m: m.record_conversation([turn(at=10**18)]),
    "a time no integer holds": lambda m: m.record_conversation([turn(at=TOO_GREAT)]),
    "a session to read": lambda m: m.get_session(LONE),
    "a memory to read": lambda m: m.get_memory(LONE),
    "a session to search": lambda m: m.search_memory("tea", session_id=LONE),
    "a tool to search": lambda m: m.search_conversation_traces("tea", tool=LONE),
    "a scratchpad": lambda m: m.update_scratchpad(current_focus="tea", session_id=LONE),
    "a page too large": lambda m: m.get_session("s", limit=TOO_GREAT),
}


def turn(**fields: object) -> dict[str, object]:
    return {"role": "user", "content": "tea", "session_id": "s", **fields}


@pytest.mark.parametrize("name", CALLS)
async def test_what_sqlite_can_not_bind_is_named_or_mended(plain: Memoria, name: str) -> None:
    before = await plain.statistics()
    with suppress(MemoriaError):
        await CALLS[name](plain)
        return
    assert await plain.statistics() == before


@pytest.mark.parametrize("question", [f"tea {LONE}", LONE])
async def test_a_question_with_half_a_character_is_a_question(
    memory: Memoria, question: str
) -> None:
    await memory.record_conversation([turn()])
    found = await memory.search_conversation_traces(question)
    assert [hit.text for hit in found.hits] == ["tea"]
    assert found.answered == ("tea" in question)
