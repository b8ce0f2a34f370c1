"""Over HTTP a tenant's clients are told of what changes in that tenant's memory alone."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import pytest
from mcp import Client, MCPDeprecationWarning
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ResourceUpdated
from mcp.types import ResourceUpdatedNotification
from tests.surface.http.conftest import Era, HttpServer, StartServer

from memoria.model.access import Access

PAD, USER = "memory://scratchpad", "memory://core/USER.md"
LONGEST_S = 60


@asynccontextmanager
async def hearing(server: HttpServer, token: str, era: Era, uri: str) -> AsyncIterator[list[str]]:
    """Subscribe to a resource; yield the list that grows by what the client is told of."""
    told: list[str] = []

    async def handle(message: object) -> None:
        if era == "legacy" and isinstance(message, ResourceUpdatedNotification):
            told.append(str(message.params.uri))

    async def listen(client: Client, task_status: anyio.abc.TaskStatus[None]) -> None:
        async with client.listen(resource_subscriptions=[uri]) as events:
            task_status.started()
            async for event in events:
                assert isinstance(event, ResourceUpdated)
                told.append(event.uri)

    async with server.client(token) as http, anyio.create_task_group() as tasks:
        streams = streamable_http_client(f"{server.url}/mcp", http_client=http)
        async with Client(streams, mode=era, message_handler=handle) as client:
            if era == "legacy":
                with pytest.warns(MCPDeprecationWarning):
                    await client.subscribe_resource(uri)
            else:
                await tasks.start(listen, client)
            yield told
            tasks.cancel_scope.cancel()


async def until(told: list[str], many: int = 1) -> None:
    """Wait until a client was told so often."""
    with anyio.fail_after(LONGEST_S):
        while len(told) < many:
            await anyio.lowlevel.checkpoint()


@pytest.mark.anyio
@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_what_one_tenant_s_client_changes_no_other_tenant_s_client_is_told_of(
    start_server: StartServer, era: Era
) -> None:
    async with start_server() as server:
        ann, ben = [await server.create_token(one, Access.WRITE) for one in ("ann", "ben")]
        async with (
            hearing(server, ann.text, era, PAD) as hers,
            hearing(server, ben.text, era, PAD) as his,
        ):
            for token, told in ((ann, hers), (ben, his)):
                async with server.connect(token.text) as client:
                    await client.call_tool("update_scratchpad", {"current_focus": "taxes"})
                await until(told)
            assert (hers, his) == ([PAD], [PAD])
