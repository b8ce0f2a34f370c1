"""A connection to a memory server as any MCP client has it, over the server's pipes."""

import json
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import TextContent, TextResourceContents

_START_S = 180
_CALL_S = 120.0
_NOBODY = "http://127.0.0.1:9"
"""A proxy that nobody listens on: a server that asks the network for anything is told no at once,
on any machine."""


class RefusedError(Exception):
    """A server could not be started, or a tool said that it could not."""


@dataclass(frozen=True, slots=True)
class Launch:
    """How a server is started."""

    command: Sequence[str]
    folder: Path
    """Its home and its working folder: whatever it keeps is kept there."""
    environment: Mapping[str, str] = field(default_factory=dict)


class Connection:
    """A server that answers."""

    def __init__(self, session: ClientSession) -> None:
        self._session = session

    async def call(self, tool: str, **arguments: object) -> str:
        """Call a tool; gives the text of its answer, all that a client shows a model.

        Raises:
            RefusedError: the tool said it could not.
        """
        answer = await self._session.call_tool(tool, arguments, read_timeout_seconds=_CALL_S)
        said = "\n".join(part.text for part in answer.content if isinstance(part, TextContent))
        if answer.is_error:
            raise RefusedError(f"{tool}: {said}")
        return said

    async def read(self, uri: str) -> dict[str, Any]:
        """A resource that holds a JSON object."""
        answer = await self._session.read_resource(uri)
        (content,) = answer.contents
        if not isinstance(content, TextResourceContents):
            raise RefusedError(f"{uri} is not text")
        held: dict[str, Any] = json.loads(content.text)
        return held


@asynccontextmanager
async def connected(launch: Launch) -> AsyncIterator[Connection]:
    """Start a server and open a session; the server ends with it."""
    launch.folder.mkdir(parents=True, exist_ok=True)
    server = StdioServerParameters(
        command=launch.command[0],
        args=list(launch.command[1:]),
        env=_environment(launch),
        cwd=launch.folder,
    )
    async with AsyncExitStack() as stack:
        said = stack.enter_context((launch.folder / "stderr.log").open("w"))
        pipes = await stack.enter_async_context(stdio_client(server, errlog=said))
        session = await stack.enter_async_context(ClientSession(*pipes))
        with anyio.fail_after(_START_S):
            await session.initialize()
        yield Connection(session)


def _environment(launch: Launch) -> dict[str, str]:
    proxies = ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")
    return {
        "PATH": os.environ.get("PATH", ""),
        "HOME": str(launch.folder),
        **dict.fromkeys(proxies, _NOBODY),
        **launch.environment,
    }
