"""Guards before the application: each refuses a request before anything reads it."""

from collections.abc import Sequence

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from memoria.surface.http.addresses import strip_port
from memoria.surface.http.bodies import answer_unread
from memoria.surface.http.callers import TokenVerifier
from memoria.surface.http.issuer import METADATA_PATH, SCOPES
from memoria.surface.http.problems import answer_problem
from memoria.surface.http.viewer.doors import STATIC_PATHS, ask_for_link, is_viewer

OPEN_PATHS = frozenset(
    {"/healthz", "/readyz", "/openapi.json", METADATA_PATH, f"{METADATA_PATH}/mcp"} | STATIC_PATHS
)
"""Paths that need no token."""
ASK_FOR_ONE = "On another machine, ask whoever runs the server for one."
ASK_FOR_ANOTHER = "On another machine, ask whoever runs the server for another token."
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_GIVEN_ONCE = (b"authorization", b"host", b"origin", b"content-length")
_LENGTHS = {b"content-length", b"transfer-encoding"}


class RequireToken:
    """Refuses whoever shows no token that holds, or one that allows nothing."""

    def __init__(self, app: ASGIApp, verifier: TokenVerifier) -> None:
        self._app = app
        self._verifier = verifier

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it with status 401 or 403."""
        user = scope.get("user")
        is_open = scope["type"] != "http" or scope["path"] in OPEN_PATHS
        if is_open or (isinstance(user, AuthenticatedUser) and user.scopes):
            await self._app(scope, receive, send)
            return
        if isinstance(user, AuthenticatedUser):
            challenge = {"error": "insufficient_scope", "scope": SCOPES[0]}
            answer = self._refuse(
                403, f"This token allows nothing: ask for {SCOPES[0]}.", challenge
            )
        elif is_viewer(scope["path"]):
            await self._verifier.note_refusal(scope, "a page was asked for without a visit")
            answer = ask_for_link(Request(scope))
        elif "authorization" in Request(scope).headers:
            told = (
                "This token does not hold. `memoria token`, on the machine that has the memory, "
                f"lists those that do. {ASK_FOR_ANOTHER}"
            )
            answer = self._refuse(401, told, {"error": "invalid_token"})
        else:
            await self._verifier.note_refusal(scope, "no token was shown")
            told = (
                "Show a token: `Authorization: Bearer mem_…`. `memoria token create` "
                f"makes one on the machine that has the memory. {ASK_FOR_ONE}"
            )
            answer = self._refuse(401, told, {})
        await answer_unread(answer, scope, receive, send)

    def _refuse(self, status: int, reason: str, challenge: dict[str, str]) -> Response:
        """Return a refusal that says by which scheme, and where the issuer is found (RFC 9728)."""
        issuer = self._verifier.issuer
        if issuer is not None:
            challenge = {**challenge, "resource_metadata": issuer.metadata_url}
            if status == 401:  # noqa: PLR2004
                challenge["scope"] = " ".join(SCOPES)
        told = ", ".join(f'{name}="{value}"' for name, value in challenge.items())
        return answer_problem(status, reason, {"WWW-Authenticate": f"Bearer {told}".strip()})


class CheckHead:
    """Refuses a request that a proxy in front may have read otherwise than this server would."""

    def __init__(self, app: ASGIApp, verifier: TokenVerifier) -> None:
        self._app = app
        self._verifier = verifier

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; refuse one with two tokens, hosts or origins, or two lengths."""
        names = [name for name, _ in scope["headers"]] if scope["type"] == "http" else []
        is_doubled = any(names.count(name) > 1 for name in _GIVEN_ONCE)
        if not is_doubled and not _LENGTHS.issubset(names):
            await self._app(scope, receive, send)
            return
        await self._verifier.note_refusal(scope, "a head that can be read in two ways")
        told = "Give one token, host, origin and length. Nothing was done."
        answer = answer_problem(400, told, {"Connection": "close"})
        await answer_unread(answer, scope, receive, send)


class CheckHost:
    """Refuses whoever addresses the server by another name, which a rebound DNS entry would."""

    def __init__(self, app: ASGIApp, names: Sequence[str], verifier: TokenVerifier) -> None:
        self._app = app
        self._verifier = verifier
        self._names = frozenset(name.lower() for name in names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it with status 421 or 403."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        host, origin = request.headers.get("host", ""), request.headers.get("origin")
        if strip_port(host) not in self._names:
            reason = "another name of the server"
            answer = answer_problem(421, "This server goes by another name; `--name` adds one.")
        elif origin is not None and strip_port(origin.partition("://")[2]) not in self._names:
            reason = "a page of another site"
            answer = answer_problem(403, "No page of another site may call this server.")
        else:
            await self._app(scope, receive, send)
            return
        await self._verifier.note_refusal(scope, reason)
        await answer_unread(answer, scope, receive, send)
