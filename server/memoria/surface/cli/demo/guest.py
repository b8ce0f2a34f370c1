"""A client like any other: starts the server as a process and talks MCP to it."""

import json
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters
from mcp.types import TextContent, TextResourceContents

from memoria.errors import MemoriaError

_POLL_S = 0.1
_LONGEST_WAIT_S = 60
_CACHE = "XDG_CACHE_HOME"

Answer = dict[str, Any]
"""Structured content of a tool's answer."""


class Guest:
    """A connection to a server of its own."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def call(self, tool: str, **arguments: object) -> Answer:
        """Call a tool.

        Raises:
            MemoriaError: the tool said it could not.
        """
        result = await self._client.call_tool(tool, arguments)
        if result.is_error:
            said = [part.text for part in result.content if isinstance(part, TextContent)]
            raise MemoriaError(" ".join(said))
        return result.structured_content or {}

    async def wait_for_vectors(self) -> Mapping[str, Any]:
        """Wait until all that was written has its vector; return the server's status."""
        with anyio.fail_after(_LONGEST_WAIT_S):
            while (status := await self._status())["backlog"]["pending"]:
                await anyio.sleep(_POLL_S)
        return status

    async def _status(self) -> dict[str, Any]:
        answer = await self._client.read_resource("memory://status", cache_mode="bypass")
        (content,) = answer.contents
        if not isinstance(content, TextResourceContents):
            raise MemoriaError("memory://status is not text")
        status: dict[str, Any] = json.loads(content.text)
        return status


@asynccontextmanager
async def guest(home: Path) -> AsyncIterator[Guest]:
    """Start `memoria serve` on a home and connect to it; stop it at the end."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "memoria", "--home", str(home), "serve"],
        env={"MEMORIA_TENANT": "demo", "MEMORIA_WORKSPACE": "none", **_find_cache()},
    )
    async with Client(server) as client:
        yield Guest(client)


def _find_cache() -> dict[str, str]:
    """Return the user's folder for caches, if one is set: the model need not be unpacked again."""
    return {_CACHE: os.environ[_CACHE]} if _CACHE in os.environ else {}
