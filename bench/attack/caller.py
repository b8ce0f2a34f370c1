"""A connected client in an attacker's hands: it calls, and looks at all that a model would see."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp import Client, MCPError
from mcp.types import CallToolResult, TextContent, TextResourceContents

_SEEN_BY_A_MODEL = ("MEMORY.md", "USER.md", "PERSONA.md")


class RefusedError(Exception):
    """A call that an attack needs to succeed was refused."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a call came to."""

    refusal: str | None
    data: dict[str, Any] = field(default_factory=dict)
    text: str = ""

    @property
    def everything(self) -> str:
        """Refusal, text and structured content, as a model may be shown them."""
        return "\n".join((self.refusal or "", self.text, json.dumps(self.data, ensure_ascii=False)))


class Caller:
    """A client and the server it talks to."""

    def __init__(self, client: Client, pid: int = 0, errors: Path | None = None) -> None:
        self.client = client
        self.pid = pid
        self._errors = errors

    @property
    def stderr(self) -> str:
        """What a server of its own process wrote on standard error."""
        return self._errors.read_text("utf-8", "replace") if self._errors else ""

    async def ask(self, tool: str, /, **arguments: object) -> Answer:
        """Call a tool, whatever comes of it."""
        try:
            result = await self.client.call_tool(tool, arguments)
        except MCPError as error:
            return Answer(str(error))
        text = _text_of(result)
        return Answer(text if result.is_error else None, result.structured_content or {}, text)

    async def call(self, tool: str, /, **arguments: object) -> dict[str, Any]:
        """Call a tool that must succeed.

        Raises:
            RefusedError: it did not.
        """
        answer = await self.ask(tool, **arguments)
        if answer.refusal is not None:
            raise RefusedError(f"{tool}: {answer.refusal[:300]}")
        return answer.data

    async def read(self, uri: str) -> str:
        """A resource's text, or why there is none."""
        try:
            answer = await self.client.read_resource(uri, cache_mode="bypass")
        except MCPError as error:
            return f"refused: {error}"
        return "\n".join(c.text for c in answer.contents if isinstance(c, TextResourceContents))

    async def prompt(self, name: str, /, **arguments: str) -> str:
        """A prompt's text, or why there is none."""
        try:
            answer = await self.client.get_prompt(name, arguments)
        except MCPError as error:
            return f"refused: {error}"
        texts = (message.content for message in answer.messages)
        return "\n".join(one.text for one in texts if isinstance(one, TextContent))

    async def say(
        self, *texts: str, session_id: str = "s", role: str = "user", **more: object
    ) -> list[str]:
        """Record what somebody said; gives the turns' ids."""
        turns = [{"role": role, "content": text} for text in texts]
        data = await self.call("record_conversation", turns=turns, session_id=session_id, **more)
        return list(data["turn_ids"])

    async def remember(self, content: str, **more: object) -> str:
        """State something; gives the memory's id."""
        return str((await self.call("remember", content=content, **more))["id"])

    async def find(
        self,
        query: str,
        tool: str = "search_memory",
        **more: Any,  # noqa: ANN401
    ) -> list[Any]:
        """The hits of a search that must succeed."""
        return list((await self.call(tool, query=query, **more))["hits"])

    async def texts(self, query: str, **more: Any) -> list[str]:  # noqa: ANN401
        """What first-level hits say."""
        return [hit["text"] for hit in await self.find(query, **more)]

    async def show_model(self, query: str, *ids: str, session_id: str = "s") -> dict[str, str]:
        """Everything that a model is shown of a question and of some ids, by where it is shown."""
        shown = {
            "search_memory": (await self.ask("search_memory", query=query)).everything,
            "search_memory with history": (
                await self.ask("search_memory", query=query, include_history=True, workspace="*")
            ).everything,
            "search_conversation_traces": (
                await self.ask("search_conversation_traces", query=query, context=3)
            ).everything,
            "instructions": self.client.instructions or "",
            "prompt briefing": await self.prompt("briefing"),
            "prompt recall": await self.prompt("recall", query=query),
            "prompt context": await self.prompt("context", query=query, session_id=session_id),
            "prompt review": await self.prompt("review"),
            "resource scratchpad": await self.read("memory://scratchpad"),
            "resource status": await self.read("memory://status"),
            f"resource session {session_id}": await self.read(f"memory://sessions/{session_id}"),
        }
        for name in _SEEN_BY_A_MODEL:
            shown[f"resource {name}"] = await self.read(f"memory://core/{name}")
        for one in ids:
            shown[f"get_memory {one}"] = (await self.ask("get_memory", id=one)).everything
            shown[f"resource memory {one}"] = await self.read(f"memory://memories/{one}")
        return shown

    async def forget(self, *ids: str, **more: object) -> Answer:
        """Have memories forgotten, and say yes to whatever is asked before it happens."""
        answer = await self.ask("forget_memory", ids=list(ids), **more)
        token = answer.data.get("token")
        if answer.refusal is None and token is not None:
            return await self.ask("forget_memory", ids=list(ids), token=token, **more)
        return answer


def _text_of(result: CallToolResult) -> str:
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))
