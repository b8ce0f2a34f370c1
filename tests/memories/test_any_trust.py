"""Whatever an agent calls, in whatever order: no memory is believed more than any part of it.

TRUST_EXAMPLES in the environment plays more histories.
"""

import os
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import anyio
import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st
from tests.ingest.play import memories

import memoria
from memoria import Memoria, Settings
from memoria.erasure.suppression import Digester, SuppressionList
from memoria.errors import InvalidInputError, NotFoundError
from memoria.memories.values import Author, NewWording
from memoria.memories.writer import MemoryWriter
from memoria.model import (
    COMMAND_LINE,
    Channel,
    Memory,
    MemoryType,
    Provenance,
    SourceKind,
    Trust,
    Validity,
    new_id,
    now_millis,
)
from memoria.store.values import NewMemory

EXAMPLES = int(os.environ.get("TRUST_EXAMPLES", "12"))
AGENT = Channel(name="mcp", trust=Trust.REPORTED, client="some-agent")
TOOL = Channel(name="mcp", trust=Trust.TOOL, client="some-tool")
SAYINGS = (
    "The user lives in Leeds",
    "The user lives in Leeds.",
    "The user lives in York",
    "Invoices go to billing@acme.example",
    "Invoices go to billing@acme.example!",
    "Invoices go to accounts@acme.example",
    "发票寄到北京",
    "发票寄到上海",
)
DEEDS = ("remember", "supersede", "correct", "archive", "restore", "confirm", "pin", "upvote")
FROM_LEAST = (Trust.TOOL, Trust.REPORTED, Trust.USER)


@dataclass(frozen=True)
class Call:
    """What an agent does: to a memory, with some words, and with a turn that it names."""

    deed: str
    which: int
    words: str
    turn: int


calls = st.builds(
    Call,
    st.sampled_from(DEEDS),
    st.integers(0, 9),
    st.sampled_from(SAYINGS),
    st.integers(0, 3),
)


@settings(
    deadline=None,
    max_examples=EXAMPLES,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(st.lists(calls, min_size=2, max_size=12))
def test_no_calls_of_an_agent_raise_the_trust_in_anything(
    tmp_path_factory: pytest.TempPathFactory, history: list[Call]
) -> None:
    anyio.run(play, tmp_path_factory.mktemp("trusted"), history)


async def play(home: Path, history: list[Call]) -> None:
    async with memoria.open(settings=Settings(home=home, embedder="off")) as m:
        turns = await _begin(m)
        users = {one.id: one.content for one in await memories(m) if one.verified}
        agent = m.with_channel(AGENT)
        for call in history:
            note(str(call))
            known = sorted(await memories(m), key=lambda one: one.id)
            try:
                await _do(agent, call, known[call.which % len(known)].id, turns)
            except (InvalidInputError, NotFoundError):
                continue
            for memory in await memories(m):
                _check(memory, users)


async def _begin(m: Memoria) -> list[str | None]:
    """A tool's claims, one of which waits, an agent's, the user's, and turns to name."""
    await m.with_channel(TOOL).remember(SAYINGS[3])
    await m.with_channel(TOOL).remember(SAYINGS[6])
    await m.with_channel(COMMAND_LINE).remember(SAYINGS[0])
    await m.with_channel(AGENT).remember("The office is closed on Fridays")
    _hold(m, SAYINGS[5])
    said = (("tool", SAYINGS[4]), ("assistant", SAYINGS[2]), ("user", "ok, sure"))
    given = [{"role": role, "content": text, "session_id": "s"} for role, text in said]
    receipt = await m.record_conversation(given)
    return [None, *(turn.id for turn in receipt.turns)]


def _hold(m: Memoria, content: str) -> None:
    """Write what a model concluded from a tool's words, which waits for the user."""
    origin = Provenance(source_kind=SourceKind.TOOL_OUTPUT, trust=Trust.TOOL, channel="extraction")
    waiting = NewMemory(
        new_id(),
        MemoryType.FACT,
        0.5,
        0.5,
        validity=Validity.PENDING_CONFIRMATION,
        flag="tool",
    )
    with m._store.write(m.tenant) as tx:  # noqa: SLF001  (only a model's reading holds anything)
        suppression = SuppressionList(tx.tombstones, Digester(m.tenant, lambda: b"k"))
        writer = MemoryWriter(tx, suppression, Author("extraction", "scripted"), now_millis())
        writer.add(waiting, NewWording(content=content, valid_from=now_millis(), provenance=origin))


async def _do(agent: Memoria, call: Call, memory_id: str, turns: list[str | None]) -> None:
    match call.deed:
        case "remember":
            await agent.remember(call.words, turn_id=turns[call.turn])
        case "supersede":
            await agent.remember(call.words, supersedes=memory_id, turn_id=turns[call.turn])
        case "correct":
            await agent.revise_memory(memory_id, "correct", call.words, turn_id=turns[call.turn])
        case action:
            await agent.revise_memory(memory_id, action)  # type: ignore[arg-type]


def _check(memory: Memory, users: dict[str, str]) -> None:
    ranks = [FROM_LEAST.index(one.provenance.trust) for one in memory.versions]
    assert all(newer <= older for newer, older in pairwise(ranks)), memory.versions
    assert memory.verified is (memory.id in users)
    if memory.verified:
        assert memory.content == users[memory.id]
    if memory.flag == "tool":
        assert memory.validity is not Validity.ACTIVE
