"""A server over HTTP on loopback, in this process, and clients with tokens of its tenants."""

import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import anyio
import httpx2
import pytest
import uvicorn
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from starlette.applications import Starlette

from memoria import Settings
from memoria.app.compose import open_home
from memoria.app.open_home import OpenHome
from memoria.app.tokens import CreatedToken, TokenService
from memoria.model.access import Access
from memoria.model.provenance import COMMAND_LINE
from memoria.surface.http.app import HttpOptions, build_app
from memoria.surface.http.observing import NOBODY, Observation

Era = Literal["auto", "legacy"]


@dataclass(frozen=True, slots=True)
class HttpServer:
    """A server that runs, and its home."""

    url: str
    opened: OpenHome | None = None

    @property
    def home(self) -> OpenHome:
        """The home, of a server that has one."""
        assert self.opened is not None
        return self.opened

    async def create_token(
        self, tenant: str, access: Access, expires_at: int | None = None, label: str = ""
    ) -> CreatedToken:
        """Create a token as the user would in a shell."""
        tokens = TokenService(self.home.store, tenant, COMMAND_LINE)
        return await tokens.create(access, label, expires_at)

    def client(self, token: str) -> httpx2.AsyncClient:
        """Return a client that shows a token; of an empty text it shows none."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx2.AsyncClient(base_url=self.url, headers=headers, timeout=30)

    @asynccontextmanager
    async def connect(self, token: str, era: Era = "auto") -> AsyncIterator[Client]:
        """Connect an MCP client that shows a token."""
        async with self.client(token) as http:
            streams = streamable_http_client(f"{self.url}/mcp", http_client=http)
            async with Client(streams, mode=era) as client:
                yield client


StartServer = Callable[..., AbstractAsyncContextManager[HttpServer]]


@pytest.fixture
def start_server(home: Path) -> StartServer:
    """Return a function that starts a server over the test's home, until its block ends."""

    @asynccontextmanager
    async def start(
        options: HttpOptions | None = None,
        observation: Observation = NOBODY,
        **settings_given: object,
    ) -> AsyncIterator[HttpServer]:
        with listen() as (listening, url):
            given = {
                name: value.replace("{url}", url) if isinstance(value, str) else value
                for name, value in settings_given.items()
            }
            given = {"http_calls_per_second": 0} | given  # tests are faster than anybody
            settings = Settings.from_values(home=home, embedder="off", **given)
            async with open_home(settings) as opened:

                @asynccontextmanager
                async def share() -> AsyncIterator[OpenHome]:
                    yield opened

                app = build_app(share, options, observation)
                async with serve_app(app, opened, listening) as server:
                    yield server

    return start


@contextmanager
def listen() -> Iterator[tuple[socket.socket, str]]:
    """Listen on loopback until the block ends; yield the socket and its URL."""
    with socket.socket() as listening:
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        listening.bind(("127.0.0.1", 0))
        yield listening, f"http://127.0.0.1:{listening.getsockname()[1]}"


@asynccontextmanager
async def serve_app(
    app: Starlette, opened: OpenHome | None = None, listening: socket.socket | None = None
) -> AsyncIterator[HttpServer]:
    """Serve an application on loopback until the block ends; by default on a port of its own."""
    with ExitStack() as stack:
        if listening is None:
            listening, _ = stack.enter_context(listen())
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        config = uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server.serve, [listening])
            while not server.started:
                await anyio.lowlevel.checkpoint()
            yield HttpServer(url, opened)
            server.should_exit = True
