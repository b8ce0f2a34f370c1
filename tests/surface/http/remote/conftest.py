"""A server, the library on its home, and the library over HTTP, side by side."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from tests.surface.http.conftest import HttpServer, StartServer
from tests.surface.http.rest.conftest import start_seeded  # noqa: F401  (a fixture)

import memoria
from memoria import Memoria
from memoria.app.remote.memory import RemoteMemoria
from memoria.model import LIBRARY
from memoria.model.access import Access


@dataclass(frozen=True, slots=True)
class AskedBothWays:
    """What a method gives in this process, and over HTTP."""

    own: Any
    read: Any


@dataclass(frozen=True, slots=True)
class BothWays:
    """One memory, reached in this process and over HTTP."""

    server: HttpServer
    token: str
    local: Memoria
    remote: RemoteMemoria

    async def ask(self, method: str, *args: object, **kwargs: object) -> AskedBothWays:
        """Call a method both ways, one after the other."""
        own = await getattr(self.local, method)(*args, **kwargs)
        return AskedBothWays(own, await getattr(self.remote, method)(*args, **kwargs))


OpenBothWays = Callable[[], AbstractAsyncContextManager[BothWays]]


@pytest.fixture
def open_both_ways(start_server: StartServer) -> OpenBothWays:
    """Return a function that opens one memory both ways, until its block ends."""

    @asynccontextmanager
    async def start() -> AsyncIterator[BothWays]:
        async with start_server() as server:
            local = Memoria(server.home, LIBRARY)
            token = (await server.create_token(local.tenant, Access.ADMIN)).text
            async with memoria.open(url=server.url, token=token) as remote:
                yield BothWays(server, token, local, remote)

    return start
