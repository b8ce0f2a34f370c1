"""The application: MCP at `/mcp`, health beside it, and a token asked of everybody but health."""

import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from mcp.server import Server
from mcp.server.auth.middleware.auth_context import AuthContextMiddleware
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser, BearerAuthBackend
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from memoria.app.open_home import OpenHome, in_thread
from memoria.app.tokens import TokenChecker
from memoria.model.access import Access
from memoria.surface.http.callers import TenantMemories, TokenVerifier
from memoria.surface.mcp.calls import ServedMemories
from memoria.surface.mcp.instructions import static_instructions
from memoria.surface.mcp.server import MemoriaServer, Subscribers
from memoria.surface.mcp.tools import add_tools

_OPEN_PATHS = frozenset({"/healthz", "/readyz"})
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True, slots=True)
class HttpOptions:
    """Options of a server over HTTP."""

    names: tuple[str, ...] = ()
    """Names by which callers may address it, such as memory.example.com, beside loopback's."""
    most: Access = Access.ADMIN
    """What callers may do at most, whatever their tokens say."""


class RequireToken:
    """Refuses whoever shows no token that holds."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it with status 401."""
        is_open = scope["type"] != "http" or scope["path"] in _OPEN_PATHS
        if is_open or isinstance(scope.get("user"), AuthenticatedUser):
            await self._app(scope, receive, send)
            return
        await _refuse(
            401,
            "Show a token: `Authorization: Bearer mem_…`. `memoria token create` "
            "makes one on the machine that has the memory.",
        )(scope, receive, send)


class CheckHost:
    """Refuses whoever addresses the server by another name, which a rebound DNS entry would."""

    def __init__(self, app: ASGIApp, names: Sequence[str]) -> None:
        self._app = app
        self._names = frozenset(name.lower() for name in names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it with status 421 or 403."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        host, origin = request.headers.get("host", ""), request.headers.get("origin")
        if _without_port(host) not in self._names:
            answer = _refuse(421, "This server goes by another name; `--name` adds one.")
        elif origin is not None and _without_port(origin.partition("://")[2]) not in self._names:
            answer = _refuse(403, "No page of another site may call this server.")
        else:
            await self._app(scope, receive, send)
            return
        await answer(scope, receive, send)


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

    @asynccontextmanager
    async def lifespan(_: Server[ServedMemories]) -> AsyncIterator[ServedMemories]:
        async with open_home() as home:
            memories = TenantMemories(home, chosen.most)
            await in_thread(memories.purge_hidden)
            verifier.checker = TokenChecker(home.store)
            try:
                yield memories
            finally:
                verifier.checker = None
                memories.close()

    async def answer_ready(_request: Request) -> Response:
        is_ready = verifier.checker is not None
        return JSONResponse({"ready": is_ready}, 200 if is_ready else 503)

    server = MemoriaServer(lifespan, subscribers, static_instructions(), {})
    add_tools(server.tools)
    app = server.streamable_http_app(
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        custom_starlette_routes=[Route("/healthz", _answer_alive), Route("/readyz", answer_ready)],
    )
    # The last one added sees a request first.
    app.add_middleware(RequireToken)
    app.add_middleware(AuthContextMiddleware)
    app.add_middleware(AuthenticationMiddleware, backend=BearerAuthBackend(verifier))
    app.add_middleware(CheckHost, names=[*_LOOPBACK, *chosen.names])
    return app


async def _answer_alive(_request: Request) -> Response:
    return JSONResponse({"alive": True})


def _without_port(host: str) -> str:
    """Return the name of a host without its port.

    >>> _without_port("localhost:8420"), _without_port("[::1]:8420")
    ('localhost', '[::1]')
    """
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdigit() else host).lower()


def _refuse(status: int, reason: str) -> Response:
    """Return a refusal as `application/problem+json` (RFC 9457)."""
    problem = {"title": reason, "status": status}
    headers = {"WWW-Authenticate": 'Bearer error="invalid_token"'} if status == 401 else None  # noqa: PLR2004
    return Response(json.dumps(problem), status, headers, "application/problem+json")
