"""Call of a server elsewhere as a client would make it, to see whether and what it answers."""

import ssl
import time

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from memoria.bare.remote import RemoteServer
from memoria.connectors.clients.probe import ProbeResult


def probe_remote(server: RemoteServer, wait_s: float) -> ProbeResult:
    """Say hello to a server with its token, and ask for its tools."""
    began = time.monotonic()

    async def ask() -> ProbeResult:
        headers = {"Authorization": f"Bearer {server.token}"}
        trusted = ssl.create_default_context()
        async with httpx2.AsyncClient(headers=headers, timeout=wait_s, verify=trusted) as http:
            streams = streamable_http_client(server.mcp_url, http_client=http)
            async with Client(streams) as client:
                names = tuple(tool.name for tool in (await client.list_tools()).tools)
                version = client.server_info.version if client.server_info else None
        return ProbeResult(version=version, tools=names, seconds=time.monotonic() - began)

    async def ask_in_time() -> ProbeResult:
        with anyio.fail_after(wait_s):
            return await ask()

    try:
        return anyio.run(ask_in_time)
    except BaseExceptionGroup as group:
        reason = _first(group)
    except Exception as error:  # noqa: BLE001  (whatever is wrong with it is told)
        reason = error
    return ProbeResult(problem=_describe(reason, wait_s), seconds=time.monotonic() - began)


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the first exception in a group of groups."""
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _describe(error: BaseException, wait_s: float) -> str:
    if isinstance(error, TimeoutError | httpx2.TimeoutException):
        return f"it did not answer within {wait_s:g} s"
    return str(error) or type(error).__name__
