"""Pydantic AI: a message history kept in Memoria, and its two searches as a toolset."""

from collections.abc import Iterable
from typing import cast

try:
    from pydantic_ai import FunctionToolset
    from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter
except ImportError as error:
    from memoria.adapters.shared import missing_extra

    raise missing_extra("pydantic-ai", error) from error

import anyio
from pydantic import JsonValue

from memoria.adapters.shared import (
    Entry,
    History,
    Item,
    Path,
    find_awaitable,
    join_item,
    list_texts,
    split_item,
    to_entry,
)
from memoria.app.memory import Memoria
from memoria.app.sync import SyncMemoria
from memoria.model import Role, SearchResult

_CLIENT = "pydantic-ai"
_SAID = {"user-prompt": Role.USER, "text": Role.ASSISTANT}
"""The kinds of parts in which somebody says something."""


class MemoriaHistory:
    """The messages of a conversation, kept in Memoria.

    What was said is found by every search, in this conversation and in later ones. Messages come
    back equal, but for secrets, which are redacted, and context that Memoria itself has put in.
    """

    def __init__(self, session_id: str, memory: Memoria | SyncMemoria) -> None:
        """Use a memory that the caller opens and closes.

        Args:
            session_id: which conversation.
            memory: from `memoria.open`, or from `memoria.open_sync` for `agent.run_sync`.
        """
        self._history = History(memory, _CLIENT, session_id)

    async def load(self) -> list[ModelMessage]:
        """Load all messages so far, for `message_history=`."""
        entries = map(to_entry, await self._history.read())
        items = [join_item(entry.words, entry.rest) for entry in entries]
        return ModelMessagesTypeAdapter.validate_python(items)

    def load_sync(self) -> list[ModelMessage]:
        """Load all messages so far, where no event loop runs: for `agent.run_sync`."""
        return anyio.run(self.load)

    async def save(self, new_messages: Iterable[ModelMessage]) -> None:
        """Record what a run has added: `result.new_messages()`. It is on disk afterwards."""
        await self._history.append(map(_to_entry, new_messages))

    def save_sync(self, new_messages: Iterable[ModelMessage]) -> None:
        """Record what a run has added, where no event loop runs."""
        anyio.run(self.save, new_messages)

    async def clear(self) -> None:
        """Erase the conversation, and what was concluded from it alone."""
        await self._history.erase(await self._history.read())


def memory_toolset(
    memory: Memoria | SyncMemoria,
    *,
    max_tokens: int = 1500,
    id: str = "memoria",  # noqa: A002  (Pydantic AI's own name)
) -> FunctionToolset[object]:
    """Return the two searches, for `Agent(toolsets=[…])`.

    Args:
        memory: from `memoria.open` or `memoria.open_sync`; it stays the caller's, to close.
        max_tokens: of an answer, estimated.
        id: tells this toolset from others of an agent.
    """
    toolset, asked = FunctionToolset[object](id=id), find_awaitable(memory)

    @toolset.tool_plain
    async def search_memory(query: str) -> list[Item]:
        """Search what is known from earlier conversations: conclusions, a line each, cited."""
        return _to_items(await asked.search_memory(query, max_tokens=max_tokens))

    @toolset.tool_plain
    async def search_conversation_traces(query: str) -> list[Item]:
        """Search what was said in earlier conversations, word for word, tool calls included."""
        return _to_items(await asked.search_conversation_traces(query, max_tokens=max_tokens))

    return toolset


def _to_entry(message: ModelMessage) -> Entry:
    item = _dump(message)
    parts = item.get("parts")
    places: list[Path] = []
    said_by: Role | None = None
    for n, part in enumerate(parts if isinstance(parts, list) else []):
        role = _SAID.get(str(part.get("part_kind"))) if isinstance(part, dict) else None
        if role is not None and isinstance(part, dict):
            said_by = said_by or role
            places += list_texts(part.get("content"), ["parts", n, "content"])
    words, rest = split_item(item, places)
    return Entry(said_by or Role.TOOL, words, rest)


def _dump(message: ModelMessage) -> Item:
    """Dump the message as JSON, without what is empty where that makes no difference."""
    whole, short = (
        ModelMessagesTypeAdapter.dump_python([message], mode="json", exclude_none=spare)
        for spare in (False, True)
    )
    is_same = ModelMessagesTypeAdapter.validate_python(short) == [message]
    return cast("Item", (short if is_same else whole)[0])


def _to_items(result: SearchResult) -> list[Item]:
    """Render hits as a model reads them; a note of the search, where there is no hit."""
    hits: list[Item] = []
    for hit in result.hits:
        tool: JsonValue = None if hit.tool is None else hit.tool.model_dump(mode="json")
        fields = {"text": hit.text, "said_at": hit.source.at, "by": hit.source.role, "tool": tool}
        hits.append({name: value for name, value in fields.items() if value})
    return hits or [{"note": result.hint or "Nothing is on record."}]
