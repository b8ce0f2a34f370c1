"""Guards before the application: each refuses a request before anything reads it."""

from collections.abc import Sequence

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from memoria.surface.http.problems import refuse

OPEN_PATHS = frozenset({"/healthz", "/readyz", "/openapi.json"})
"""Paths that need no token."""
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


class RequireToken:
    """Refuses whoever shows no token that holds."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it with status 401."""
        is_open = scope["type"] != "http" or scope["path"] in OPEN_PATHS
        if is_open or isinstance(scope.get("user"), AuthenticatedUser):
            await self._app(scope, receive, send)
            return
        await refuse(
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
            answer = refuse(421, "This server goes by another name; `--name` adds one.")
        elif origin is not None and _without_port(origin.partition("://")[2]) not in self._names:
            answer = refuse(403, "No page of another site may call this server.")
        else:
            await self._app(scope, receive, send)
            return
        await answer(scope, receive, send)


def _without_port(host: str) -> str:
    """Return the name of a host without its port.

    >>> _without_port("localhost:8420"), _without_port("[::1]:8420")
    ('localhost', '[::1]')
    """
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdigit() else host).lower()
