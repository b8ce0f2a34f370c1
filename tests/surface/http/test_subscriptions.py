"""Over HTTP a tenant's clients are told of what changes in that tenant's memory alone."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress

import anyio
import httpx2
import pytest
from mcp import Client, MCPDeprecationWarning, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ResourceUpdated, SubscriptionLost
from mcp.types import ResourceUpdatedNotification
from tests.surface.http.conftest import Era, HttpServer, StartServer

from memoria.model import now_millis
from memoria.model.access import Access
from memoria.model.moments import use_clock
from memoria.surface.mcp.subscriptions import MOST_SUBSCRIBERS

PAD, USER = "memory://scratchpad", "memory://core/USER.md"
LONGEST_S = 60


class Told:
    """What a client was told of, in order."""

    def __init__(self) -> None:
        self.uris: list[str] = []
        self._more = anyio.Event()

    def add(self, uri: str) -> None:
        self.uris.append(uri)
        self._more.set()
        self._more = anyio.Event()

    async def until(self, many: int) -> None:
        """Wait until there are so many."""
        with anyio.fail_after(LONGEST_S):
            while len(self.uris) < many:
                await self._more.wait()


@asynccontextmanager
async def hearing(server: HttpServer, token: str, era: Era, uri: str) -> AsyncIterator[Told]:
    """Subscribe to a resource; yield what the client is told of."""
    told = Told()

    async def handle(message: object) -> None:
        if era == "legacy" and isinstance(message, ResourceUpdatedNotification):
            told.add(str(message.params.uri))

    async def listen(client: Client, task_status: anyio.abc.TaskStatus[None]) -> None:
        with suppress(SubscriptionLost):  # the server has ended it
            async with client.listen(resource_subscriptions=[uri]) as events:
                task_status.started()
                async for event in events:
                    assert isinstance(event, ResourceUpdated)
                    told.add(event.uri)

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


ERAS = pytest.mark.parametrize("era", ["auto", "legacy"])


@ERAS
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
                await told.until(1)
            assert (hers.uris, his.uris) == ([PAD], [PAD])


@ERAS
async def test_a_core_file_that_changes_is_told_to_its_own_tenant_s_clients(
    start_server: StartServer, era: Era
) -> None:
    async with start_server() as server:
        ann, ben = [await server.create_token(one, Access.READ) for one in ("ann", "ben")]
        async with (
            hearing(server, ann.text, era, USER) as hers,
            hearing(server, ben.text, era, USER) as his,
        ):
            for tenant in ("ann", "ben"):
                files = server.home.store.files.of(tenant)
                files.write("USER.md", f"# USER.md\n\nI am {tenant}.\n".encode())
            await hers.until(1)
            await his.until(1)
            assert (hers.uris, his.uris) == ([USER], [USER])
        async with server.connect(ben.text, era) as client:
            shown = str(await client.read_resource(USER))
            assert "I am ben" in shown
            assert "I am ann" not in shown


@ERAS
async def test_who_listens_with_a_token_that_has_ended_is_told_nothing_more(
    start_server: StartServer, era: Era
) -> None:
    at = [now_millis()]
    with use_clock(lambda: at[0]):
        async with start_server() as server:
            over = await server.create_token("ann", Access.READ, at[0] + 1)
            good = await server.create_token("ann", Access.WRITE)
            async with (
                hearing(server, over.text, era, PAD) as former,
                hearing(server, good.text, era, PAD) as present,
                server.connect(good.text) as client,
            ):
                await client.call_tool("update_scratchpad", {"current_focus": "taxes"})
                await former.until(1)
                at[0] += 1
                for focus in ("the garden", "the roof"):
                    await client.call_tool("update_scratchpad", {"current_focus": focus})
                await present.until(3)
                assert former.uris == [PAD]


async def test_a_tenant_that_opens_many_streams_takes_none_from_another(
    start_server: StartServer,
) -> None:
    listen = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "subscriptions/listen",
        "params": {
            "notifications": {"resourceSubscriptions": [PAD]},
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        },
    }
    headers = {
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "subscriptions/listen",
        "Accept": "application/json, text/event-stream",
    }
    async with start_server() as server, AsyncExitStack() as open_streams:
        tokens = [await server.create_token(one, Access.READ) for one in ("ann", "ben")]
        clients = [server.client(one.text) for one in tokens]
        kept = list[AsyncIterator[str]]()

        async def first_line(client: httpx2.AsyncClient) -> str:
            asked = client.stream("POST", "/mcp", json=listen, headers=headers)
            lines = (await open_streams.enter_async_context(asked)).aiter_lines()
            kept.append(lines)  # a stream ends when nobody reads it any more
            async for line in lines:
                if line.startswith(("data:", "{")):
                    return line
            return ""

        hers, his = [await open_streams.enter_async_context(one) for one in clients]
        told = [await first_line(hers) for _ in range(MOST_SUBSCRIBERS + 1)]
        assert all("acknowledged" in one for one in told[:-1])
        assert "Subscription limit reached" in told[-1]
        assert "acknowledged" in await first_line(his)


async def test_a_client_subscribes_to_a_hundred_resources_at_most(
    start_server: StartServer,
) -> None:
    many = [f"memory://memories/{number}" for number in range(101)]
    async with start_server() as server:
        token = await server.create_token("ann", Access.READ)
        async with server.connect(token.text) as client:
            with pytest.raises(MCPError, match="100 resources at most; these are 101"):
                async with client.listen(resource_subscriptions=many):
                    pass
        async with server.connect(token.text, "legacy") as client:
            for uri in many[:-1]:
                with pytest.warns(MCPDeprecationWarning):
                    await client.subscribe_resource(uri)
            with (
                pytest.warns(MCPDeprecationWarning),
                pytest.raises(MCPError, match="100 resources at most; these are 101"),
            ):
                await client.subscribe_resource(many[-1])
