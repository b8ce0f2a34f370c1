"""LlamaIndex: a memory block that records what leaves the short-term memory and recalls it."""

from collections.abc import Iterator, Sequence
from typing import Any

try:
    from llama_index.core.base.llms.types import ChatMessage, ToolCallBlock
    from llama_index.core.memory import BaseMemoryBlock
except ImportError as error:
    from memoria.adapters.shared import missing_extra

    raise missing_extra("llama-index", error) from error

from pydantic import Field

from memoria.adapters.shared import find_awaitable, name_source
from memoria.app.memory import Memoria
from memoria.app.sync import SyncMemoria
from memoria.model import Role, Turn

_CLIENT = "llama-index"
_ROLES = {
    "user": Role.USER,
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "tool": Role.TOOL,
    "function": Role.TOOL,
}
"""Roles of speakers; any other, by whatever name, is the model."""


class MemoriaBlock(BaseMemoryBlock[str]):
    """A block of LlamaIndex's `Memory`, kept in Memoria.

    It records what the short-term memory gives up, and gives a context package for what was said
    last. The memory stays the caller's, to close.
    """

    name: str = "memoria"
    memory: Memoria | SyncMemoria = Field(exclude=True)
    """Memory from `memoria.open`, or from `memoria.open_sync` where nothing is awaited."""
    max_tokens: int = 800
    """Largest size of the package, in estimated tokens."""

    async def _aget(
        self,
        messages: list[ChatMessage] | None = None,
        session_id: str | None = None,
        **_more: Any,  # noqa: ANN401  (what other blocks are given)
    ) -> str:
        """Return the text of a context package for the user's last message."""
        asked = (each.content for each in reversed(messages or ()) if each.role.value == "user")
        query = next(asked, None)
        if not query or not query.strip():
            return ""
        package = await find_awaitable(self.memory).build_context(
            query, max_tokens=self.max_tokens, session_id=session_id, short_term_turns=0
        )
        return package.text

    async def _aput(self, messages: list[ChatMessage]) -> None:
        """Record messages. Those that are on record already are recognised by their order."""
        turns = [turn for message in messages for turn in _to_turns(message)]
        if turns:
            await name_source(_CLIENT, find_awaitable(self.memory)).record_conversation(turns)


def _to_turns(message: ChatMessage) -> Iterator[Turn]:
    """Yield a message's words as a turn, then one turn for each tool that it calls."""
    role = _ROLES.get(message.role.value, Role.ASSISTANT)
    more = message.additional_kwargs
    session, words = more.get("session_id"), message.content or ""
    if words.strip() and role is Role.TOOL:
        yield Turn(session_id=session, role=role, tool_name=more.get("name"), tool_result=words)
    elif words.strip():
        yield Turn(session_id=session, role=role, content=words)
    for block in _list_calls(message.blocks):
        yield Turn(
            session_id=session,
            role=Role.TOOL,
            tool_name=block.tool_name,
            tool_args=block.tool_kwargs,
        )


def _list_calls(blocks: Sequence[object]) -> list[ToolCallBlock]:
    return [block for block in blocks if isinstance(block, ToolCallBlock)]
