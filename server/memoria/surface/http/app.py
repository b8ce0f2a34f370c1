"""The application: MCP at `/mcp`, health beside it, and a token asked of everybody but health."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from mcp.server import Server
from mcp.server.auth.middleware.auth_context import AuthContextMiddleware
from mcp.server.auth.middleware.bearer_auth import BearerAuthBackend
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from memoria.app.open_home import OpenHome, in_thread
from memoria.app.tokens import TokenChecker
from memoria.model.access import Access
from memoria.surface.http.callers import TenantMemories, TokenVerifier
from memoria.surface.http.guards import LOOPBACK, CheckHost, RequireToken
from memoria.surface.http.hooks import FindLiveSessions, HookRoutes
from memoria.surface.mcp.calls import ServedMemories
from memoria.surface.mcp.instructions import static_instructions
from memoria.surface.mcp.server import MemoriaServer, Subscribers
from memoria.surface.mcp.tools import add_tools


@dataclass(frozen=True, slots=True)
class HttpOptions:
    """Options of a server over HTTP."""

    names: tuple[str, ...] = ()
    """Names by which callers may address it, such as memory.example.com, beside loopback's."""
    most: Access = Access.ADMIN
    """What callers may do at most, whatever their tokens say."""


def build_app(
    open_home: Callable[[], AbstractAsyncContextManager[OpenHome]],
    options: HttpOptions | None = None,
) -> Starlette:
    """Build the application.

    Args:
        open_home: opens the home when the server starts.
        options: how it serves.
    """
    chosen = options or HttpOptions()
    verifier = TokenVerifier()
    subscribers = Subscribers()
    hooks = HookRoutes()

    @asynccontextmanager
    async def lifespan(_: Server[ServedMemories]) -> AsyncIterator[ServedMemories]:
        async with open_home() as home:
            memories = TenantMemories(home, chosen.most)
            await in_thread(memories.purge_hidden)
            verifier.checker = TokenChecker(home.store)
            hooks.memories = memories
            try:
                yield memories
            finally:
                verifier.checker = hooks.memories = None
                memories.close()

    async def answer_ready(_request: Request) -> Response:
        is_ready = verifier.checker is not None
        return JSONResponse({"ready": is_ready}, 200 if is_ready else 503)

    server = MemoriaServer(lifespan, subscribers, static_instructions(), {})
    add_tools(server.tools)
    app = server.streamable_http_app(
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        custom_starlette_routes=[
            Route("/healthz", _answer_alive),
            Route("/readyz", answer_ready),
            *hooks.list_routes(),
        ],
    )
    # The last one added sees a request first.
    app.add_middleware(FindLiveSessions, routes=hooks)
    app.add_middleware(RequireToken)
    app.add_middleware(AuthContextMiddleware)
    app.add_middleware(AuthenticationMiddleware, backend=BearerAuthBackend(verifier))
    app.add_middleware(CheckHost, names=[*LOOPBACK, *chosen.names])
    return app


async def _answer_alive(_request: Request) -> Response:
    return JSONResponse({"alive": True})
