"""Clients that call tools: over MCP on HTTP, or on a server of their own's standard streams.

The SDK's client would take as much of the processor as the server that is measured.
"""

import itertools
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Protocol

import anyio.to_thread
import httpx2

from bench.http.world import Call
from bench.stdio import MODERN, Session

_TIMEOUT_S = 120.0
_HEADERS = {
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": MODERN.name,
    "MCP-Method": "tools/call",
}


class Caller(Protocol):
    """A client of one tenant."""

    async def call(self, call: Call) -> dict[str, Any]:
        """Call a tool; return its result, refusals included.

        Raises:
            Exception: no answer came.
        """
        ...


class HttpCaller:
    """A client over HTTP, with connections of its own."""

    def __init__(self, http: httpx2.AsyncClient) -> None:
        self._http = http
        self._numbers = itertools.count(1)

    async def call(self, call: Call) -> dict[str, Any]:
        """Call a tool by one request."""
        params = {"name": call.tool, "arguments": call.arguments, "_meta": MODERN.meta}
        request = {
            "jsonrpc": "2.0",
            "id": next(self._numbers),
            "method": "tools/call",
            "params": params,
        }
        answer = await self._http.post("/mcp", json=request, headers={"MCP-Name": call.tool})
        answer.raise_for_status()
        document: Mapping[str, Any] = answer.json()
        if "error" in document:
            raise RuntimeError(f"the server refused: {document['error']}")
        result: dict[str, Any] = document["result"]
        return result


class RestCaller:
    """A client of the REST face, with connections of its own."""

    def __init__(self, http: httpx2.AsyncClient) -> None:
        self._http = http

    async def call(self, call: Call) -> dict[str, Any]:
        """Do by one request what a tool does; return the result as the tool would."""
        if call.tool == "get_memory":
            answer = await self._http.get(f"/memory/nodes/{call.arguments['id']}")
        else:
            answer = await self._http.post(_PATHS[call.tool], json=call.arguments)
        if answer.is_server_error:
            answer.raise_for_status()
        return {"isError": answer.is_error, "structuredContent": answer.json()}


_PATHS = {
    "search_memory": "/memory/search",
    "search_conversation_traces": "/memory/traces",
    "remember": "/memory/nodes",
    "record_conversation": "/memory/ingest",
}


@asynccontextmanager
async def open_http(url: str, token: str) -> AsyncIterator[HttpCaller]:
    """Open a client of MCP that shows a token."""
    headers = {**_HEADERS, "Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(base_url=url, headers=headers, timeout=_TIMEOUT_S) as http:
        yield HttpCaller(http)


@asynccontextmanager
async def open_rest(url: str, token: str) -> AsyncIterator[RestCaller]:
    """Open a client of the REST face that shows a token."""
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(base_url=url, headers=headers, timeout=_TIMEOUT_S) as http:
        yield RestCaller(http)


class StdioCaller:
    """A client with a server process of its own."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.pid = session.pid

    async def call(self, call: Call) -> dict[str, Any]:
        """Call a tool over the process's pipes."""
        params = {"name": call.tool, "arguments": call.arguments}
        work = partial(self._session.request, "tools/call", params)
        return await anyio.to_thread.run_sync(work)
