"""Observation: each request and each call of MCP, without a word of what they say.

What is known of a request is its method, the template of its path, its status, its time and the end
of its token's id. Never its path, which may have an id in it, nor its query, headers or body.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Protocol

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from starlette.applications import Starlette
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memoria.surface.http.health import PROBES
from memoria.surface.http.tracing import Tracing
from memoria.surface.mcp.server import MemoriaServer

MCP_PATH = "/mcp"
UNMATCHED = "unmatched"
"""Name of a path that no route has, of a method, a tool or a call that nobody knows."""
_METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
_NOTE = "memoria.request"
_ID_END = 8
"""Number of an id's characters by which people know it."""
_FAILED = 500
_LEFT = 499
"""Status of a request that nobody waited for, as proxies count it."""


@dataclass(slots=True)
class ObservedRequest:
    """A request over HTTP, as far as it may be told."""

    method: str
    route: str = UNMATCHED
    """Template of the path, such as `/memory/{id}`."""
    call: str = ""
    """Method of MCP and the tool, such as `tools/call remember`; empty for other requests."""
    status: int = 0
    """Status of the answer; 0 until there is one."""
    seconds: float = 0.0
    """Time until the last byte of the answer."""
    token_end: str = ""
    """End of the id of the caller's token, or of the digest of an issuer's subject; empty where no
    token was shown that holds."""


class Observer(Protocol):
    """Whoever is told of requests. It must be quick, and must not raise."""

    def begin_request(self) -> None:
        """Note that a request has come."""
        ...

    def end_request(self, request: ObservedRequest) -> None:
        """Note that a request was answered."""
        ...

    def end_call(self, name: str, outcome: str, seconds: float) -> None:
        """Note that a call of MCP was answered.

        Args:
            name: the tool, or the method of any other call.
            outcome: `ok` or `error`.
            seconds: how long it took.
        """
        ...


@dataclass(frozen=True, slots=True)
class Observation:
    """Everybody who is told of a server's requests."""

    observers: Sequence[Observer] = ()
    tracing: Tracing | None = None
    """What makes spans of calls; None for none."""

    def install(self, app: Starlette, server: MemoriaServer) -> None:
        """Have every request and call observed, if anybody wants to be told.

        Args:
            app: the application, with all its other middleware.
            server: the MCP server in it.
        """
        if self.observers or self.tracing is not None:
            app.add_middleware(ObserveRequests, observation=self)
            server.middleware.insert(0, ObserveCalls(server, self))

    def stop(self) -> None:
        """Send what is left of spans."""
        if self.tracing is not None:
            self.tracing.stop()


NOBODY = Observation()
"""Nobody is told of anything."""


class ObserveRequests:
    """Tells observers of each request; outside of every guard, so that refusals count."""

    def __init__(self, app: ASGIApp, observation: Observation) -> None:
        self._app = app
        self._observers = observation.observers
        self._tracing = observation.tracing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and tell of it when it was answered."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        method = scope["method"] if scope["method"] in _METHODS else UNMATCHED
        request = scope[_NOTE] = ObservedRequest(method)
        began = perf_counter()
        for observer in self._observers:
            observer.begin_request()

        async def send_noted(message: Message) -> None:
            if message["type"] == "http.response.start":
                request.status = message["status"]
            await send(message)

        try:
            await self._run(scope, receive, send_noted, request)
        except Exception:
            raise
        except BaseException:  # it was cancelled: nobody waits for it any more
            request.status = request.status or _LEFT
            raise
        finally:
            request.seconds = perf_counter() - began
            request.status = request.status or _FAILED
            request.route = _find_route(scope)
            request.token_end = _find_token_end(scope)
            for observer in self._observers:
                observer.end_request(request)

    async def _run(
        self, scope: Scope, receive: Receive, send: Send, request: ObservedRequest
    ) -> None:
        """Run the application, in a span where the request is a call by itself."""
        if self._tracing is None or scope["path"] in (MCP_PATH, *PROBES):
            await self._app(scope, receive, send)
            return
        carriers = ({name.decode(): value.decode() for name, value in scope["headers"]},)
        with self._tracing.time_call(request.method, carriers) as span:
            try:
                await self._app(scope, receive, send)
            finally:
                route, status = _find_route(scope), request.status or _FAILED
                span.name(f"{request.method} {route}")
                span.note({"http.route": route, "http.response.status_code": status})
                if status >= _FAILED:
                    span.fail(str(status))


class ObserveCalls:
    """Tells observers of each call of MCP."""

    def __init__(self, server: MemoriaServer, observation: Observation) -> None:
        self._server = server
        self._observers = observation.observers
        self._tracing = observation.tracing

    async def __call__(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Pass a call on, and tell of it when it was answered."""
        if ctx.request_id is None:
            return await call_next(ctx)
        tool = self._name_tool(ctx)
        method = self._name_method(ctx.method)
        _note_call(ctx.request, f"{method} {tool}" if tool else method)
        outcome, began = "error", perf_counter()
        try:
            result = await self._run(ctx, call_next, method, tool)
            outcome = "error" if _is_error(result) else "ok"
            return result
        finally:
            seconds = perf_counter() - began
            for observer in self._observers:
                observer.end_call(tool or method, outcome, seconds)

    async def _run(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext, method: str, tool: str
    ) -> HandlerResult:
        if self._tracing is None:
            return await call_next(ctx)
        headers = {} if ctx.request is None else dict(ctx.request.headers)
        name = f"{method} {tool}" if tool else method
        with self._tracing.time_call(name, (dict(ctx.meta or {}), headers)) as span:
            span.note({"mcp.method.name": method, **({"gen_ai.tool.name": tool} if tool else {})})
            result = await call_next(ctx)
            if _is_error(result):
                span.fail("tool_error")
            return result

    def _name_method(self, method: str) -> str:
        is_known = method == "initialize" or self._server.get_request_handler(method) is not None
        return method if is_known else UNMATCHED

    def _name_tool(self, ctx: ServerRequestContext[Any, Any]) -> str:
        """Return the name of the called tool; empty where the call is of no tool."""
        if ctx.method != "tools/call":
            return ""
        name = (ctx.params or {}).get("name")
        is_known = isinstance(name, str) and self._server.tools.input_schema(name) is not None
        return str(name) if is_known else UNMATCHED


def _is_error(result: HandlerResult) -> bool:
    return isinstance(result, dict) and result.get("isError") is True


def _note_call(request: Any, call: str) -> None:  # noqa: ANN401  (the SDK's own type)
    noted = None if request is None else request.scope.get(_NOTE)
    if isinstance(noted, ObservedRequest):
        noted.call = call


def _find_route(scope: Scope) -> str:
    """Return the template of the path by which a request was routed."""
    template = getattr(scope.get("route"), "path_format", None)
    return template if isinstance(template, str) else UNMATCHED


def _find_token_end(scope: Scope) -> str:
    user = scope.get("user")
    return user.access_token.client_id[-_ID_END:] if isinstance(user, AuthenticatedUser) else ""
