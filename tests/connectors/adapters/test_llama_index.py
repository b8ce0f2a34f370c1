"""`MemoriaBlock` in LlamaIndex's `Memory`, with its own chat engine and mock model."""

import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.databases import process_environment

from memoria import Memoria

pytest.importorskip("llama_index", reason="LlamaIndex is large; it is in the extra llama-index")

from llama_index.core.base.llms.types import ChatMessage, TextBlock, ToolCallBlock
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import MockLLM
from llama_index.core.memory import Memory
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from memoria.adapters.llama_index import MemoriaBlock

_TALK = [
    ("user", "The spare key of the boathouse hangs behind the oar rack"),
    ("assistant", "Noted: behind the oar rack."),
    ("user", "我对花生过敏"),
    ("assistant", "知道了。"),
]


@pytest.fixture
async def database() -> AsyncIterator[AsyncEngine]:
    """Where LlamaIndex has its short-term memory. It closes none that it opens itself."""
    engine = create_async_engine("sqlite+aiosqlite:///:memory:")
    yield engine
    await engine.dispose()


def _with_block(
    memory: Memoria, session_id: str, token_limit: int, database: AsyncEngine
) -> Memory:
    block = MemoriaBlock(memory=memory, priority=1)
    return Memory.from_defaults(
        async_engine=database,
        session_id=session_id,
        token_limit=token_limit,
        token_flush_size=10,
        chat_history_token_ratio=0.5,
        memory_blocks=[block],
    )


async def test_what_the_short_term_memory_gives_up_is_recorded_and_recalled_in_another_session(
    memory: Memoria, database: AsyncEngine
) -> None:
    talk = _with_block(memory, "s1", 40, database)
    for role, words in _TALK:
        await talk.aput(ChatMessage(role=role, content=words))
    left = [message.content for message in await talk.aget_all()]
    recorded = [turn.content for turn in (await memory.get_session("s1")).turns]
    assert recorded
    assert len(left) >= len(_TALK)  # archived, not deleted
    assert recorded == [words for _, words in _TALK][: len(recorded)]
    await memory.wait_until_idle(30)

    later = _with_block(memory, "s2", 3000, database)
    engine = SimpleChatEngine.from_defaults(llm=MockLLM(is_chat_model=True), memory=later)
    answer = await engine.achat("Where does the spare key of the boathouse hang?")
    assert "behind the oar rack" in str(answer)  # the mock says what it was shown


async def test_a_conversation_that_is_put_whole_at_its_end_is_recorded_once(
    memory: Memoria,
) -> None:
    block = MemoriaBlock(memory=memory)
    talk = [ChatMessage(role=role, content=words) for role, words in _TALK]
    call = ToolCallBlock(tool_call_id="c1", tool_name="larder", tool_kwargs={"shelf": 2})
    talk += [
        ChatMessage(role="assistant", blocks=[TextBlock(text="I look."), call]),
        ChatMessage(role="tool", content="six eggs", additional_kwargs={"name": "larder"}),
    ]
    await block.aput(talk[:3], from_short_term_memory=True, session_id="s1")
    await block.aput(talk, session_id="s1")
    turns = (await memory.get_session("s1")).turns
    assert [turn.content for turn in turns[:4]] == [words for _, words in _TALK]
    assert [(turn.tool_name, turn.tool_args or turn.tool_result) for turn in turns[5:]] == [
        ("larder", {"shelf": 2}),
        ("larder", "six eggs"),
    ]
    assert await block.aget([]) == ""
    assert await block.aget([ChatMessage(role="user", content=" ")]) == ""
    assert block.model_dump()["max_tokens"] == 800


_WITHOUT_ASYNC = """
import sys

import memoria
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import ChatMessage, MockLLM
from llama_index.core.memory import Memory
from memoria.adapters.llama_index import MemoriaBlock

with memoria.open_sync(home=sys.argv[1], tenant="tests") as m:
    m.remember("The spare key of the boathouse hangs behind the oar rack")
    block = MemoriaBlock(memory=m, priority=1)
    talk = Memory.from_defaults(session_id="s1", token_limit=3000, memory_blocks=[block])
    engine = SimpleChatEngine.from_defaults(llm=MockLLM(is_chat_model=True), memory=talk)
    print("behind the oar rack" in str(engine.chat("Where does the spare key hang?")))
    few = Memory.from_defaults(
        session_id="s2", token_limit=40, token_flush_size=10, memory_blocks=[block]
    )
    for n in range(8):
        few.put(ChatMessage(role="user", content=f"Boat number {n} is called Wren {n}"))
    print(len(m.get_session("s2").turns) > 0)
"""


def test_a_chat_engine_without_async_recalls_and_records(home: Path) -> None:
    done = subprocess.run(  # noqa: S603  (our own script)
        [sys.executable, "-c", _WITHOUT_ASYNC, str(home)],
        env=process_environment(home),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "True\nTrue\n", done
