"""A real MCP client as the tests hold it: it calls, and checks what every answer promises."""

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import jsonschema  # type: ignore[import-untyped]  # the SDK's own dependency; it has no stubs
import pytest
from mcp import Client, MCPError
from mcp.types import CallToolResult, Implementation, TextContent, TextResourceContents
from tests.empty_home import lay_empty_home

from memoria.app import open_memoria
from memoria.config import Settings
from memoria.inference.base import Embedder
from memoria.surface.mcp.server import MemoriaServer, build_server

Answer = dict[str, Any]
CLIENT = "surface-tests"
_LONGEST_WAIT_S = 600


class Agent:
    """A connection to a server. What it is told must be true in both channels."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self._schemas: dict[str, Any] = {}

    async def call(self, tool: str, /, **arguments: object) -> Answer:
        """Call a tool that must succeed; gives the structured content."""
        return (await self.both(tool, **arguments))[0]

    async def both(self, tool: str, /, **arguments: object) -> tuple[Answer, str]:
        """Structured content and its text twin, each checked."""
        result = await self.client.call_tool(tool, arguments)
        text = said(result)
        assert not result.is_error, text
        answer = result.structured_content
        assert answer is not None
        jsonschema.Draft202012Validator(await self._output_schema(tool)).validate(answer)
        assert list(nulls(answer)) == []
        return answer, text

    async def forget(self, **arguments: object) -> Answer:
        """Forget as a client that can't ask its user: look at the preview, then agree to it."""
        shown = await self.call("forget_memory", **arguments)
        return await self.call("forget_memory", **arguments, token=shown["token"])

    async def refusal(self, tool: str, /, **arguments: object) -> str:
        """Call a tool that must say no; gives what it says."""
        result = await self.client.call_tool(tool, arguments)
        assert result.is_error
        assert result.structured_content is None
        return said(result)

    async def read(self, uri: str) -> str:
        """A resource's text, as the server has it now."""
        answer = await self.client.read_resource(uri, cache_mode="bypass")
        (content,) = answer.contents
        assert isinstance(content, TextResourceContents)
        return content.text

    async def read_error(self, uri: str) -> MCPError:
        """What a resource that is not there answers."""
        with pytest.raises(MCPError) as caught:
            await self.client.read_resource(uri, cache_mode="bypass")
        return caught.value

    async def prompt(self, name: str, /, **arguments: str) -> str:
        """A prompt's text."""
        answer = await self.client.get_prompt(name, arguments)
        (message,) = answer.messages
        assert isinstance(message.content, TextContent)
        return message.content.text

    async def say(self, *contents: str, session_id: str = "s") -> list[str]:
        """Record what the user said; gives the turns' ids."""
        turns = [{"role": "user", "content": content} for content in contents]
        receipt = await self.call("record_conversation", turns=turns, session_id=session_id)
        return list(receipt["turn_ids"])

    async def settled(self) -> None:
        """Wait until all that was written has its vector."""
        with anyio.fail_after(_LONGEST_WAIT_S):
            while json.loads(await self.read("memory://status"))["backlog"]["pending"]:
                await anyio.lowlevel.checkpoint()

    async def _output_schema(self, tool: str) -> Any:  # noqa: ANN401  (JSON schema is free-form)
        if not self._schemas:
            listed = (await self.client.list_tools()).tools
            self._schemas = {one.name: one.output_schema for one in listed}
        return self._schemas[tool]


@asynccontextmanager
async def connected(server: MemoriaServer, mode: str, name: str = CLIENT) -> AsyncIterator[Agent]:
    """A client in this process, in either era."""
    info = Implementation(name=name, version="1")
    async with Client(server, mode=mode, client_info=info) as client:
        yield Agent(client)


def server_on(home: Path, embedder: Embedder | None) -> MemoriaServer:
    """The real server over a home; without vectors where there is no embedder."""
    lay_empty_home(home)
    settings = Settings.load(home=home, tenant="tests", embedder="bundled" if embedder else "off")
    return build_server(lambda: open_memoria(settings=settings, embedder=embedder))


def said(result: CallToolResult) -> str:
    """All that an answer says as text."""
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))


def nulls(value: object, path: str = "") -> Iterator[str]:
    """Where nulls stand, but for a tool call's own arguments and result, which are verbatim."""
    match value:
        case None:
            yield path
        case dict():
            for key, item in value.items():
                if not path.endswith(".tool") or key in ("name", "cut"):
                    yield from nulls(item, f"{path}.{key}")
        case list():
            for i, item in enumerate(value):
                yield from nulls(item, f"{path}[{i}]")
        case _:
            pass
