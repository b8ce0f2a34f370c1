"""The application: MCP at `/mcp`, health beside it, and a token asked of everybody but health."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

import anyio
from mcp.server import Server
from mcp.server.auth.middleware.auth_context import AuthContextMiddleware
from mcp.server.auth.middleware.bearer_auth import BearerAuthBackend
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from memoria.app.open_home import OpenHome, in_thread
from memoria.model.access import Access
from memoria.surface.http.bodies import LimitBody
from memoria.surface.http.callers import TenantMemories, TokenVerifier
from memoria.surface.http.guards import LOOPBACK, CheckHost, RequireToken
from memoria.surface.http.issuer import METADATA_PATH
from memoria.surface.http.limits import LimitCalls, TenantTurns
from memoria.surface.http.problems import answer_http_error, answer_problem
from memoria.surface.http.rest.face import RestFace
from memoria.surface.http.sessions import BoundSessions, check_token
from memoria.surface.http.spools import follow_spools
from memoria.surface.mcp.calls import ServedMemories
from memoria.surface.mcp.idle import run_idle_maintenance
from memoria.surface.mcp.instructions import static_instructions
from memoria.surface.mcp.server import MemoriaServer
from memoria.surface.mcp.subscriptions import Subscriptions
from memoria.surface.mcp.toolbox import UnreadWord
from memoria.surface.mcp.tools import add_tools


@dataclass(frozen=True, slots=True)
class HttpOptions:
    """Options of a server over HTTP."""

    names: tuple[str, ...] = ()
    """Names by which callers may address it, such as memory.example.com, beside loopback's."""
    most: Access = Access.ADMIN
    """What callers may do at most, whatever their tokens say."""
    body_within_s: float = 30.0
    """Seconds in which the body of a request must have come."""


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
    subscriptions = Subscriptions(check_token(verifier))
    rest, turns = RestFace(), TenantTurns()

    @asynccontextmanager
    async def lifespan(_: Server[ServedMemories]) -> AsyncIterator[ServedMemories]:
        async with open_home() as home, anyio.create_task_group() as tasks:
            memories = TenantMemories(home, verifier, chosen.most)
            await in_thread(memories.purge_hidden)
            verifier.open(home)
            rest.memories = memories
            tasks.start_soon(subscriptions.watch)
            tasks.start_soon(follow_spools, str(home.settings.home_path), memories.open)
            tasks.start_soon(
                run_idle_maintenance,
                home.settings,
                lambda: server.tools.last_call,
                home.store.tenants,
            )
            try:
                yield memories
            finally:
                tasks.cancel_scope.cancel()
                verifier.close()
                rest.memories = None
                memories.close()

    server = MemoriaServer(
        lifespan, subscriptions, static_instructions(), {"search_memory": UnreadWord().add_to}
    )
    add_tools(server.tools)
    server.middleware.append(turns.take_for_call)
    app = server.streamable_http_app(
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        custom_starlette_routes=[*_list_open_routes(verifier), *rest.list_routes()],
    )
    app.add_exception_handler(HTTPException, answer_http_error)
    _add_guards(app, chosen, verifier, turns, rest)
    return app


def _list_open_routes(verifier: TokenVerifier) -> list[Route]:
    """List the routes that need no token."""

    async def answer_resource(_request: Request) -> Response:
        issuer = verifier.issuer
        if issuer is None:
            return answer_problem(404, "This memory takes its own tokens alone.")
        return JSONResponse(issuer.metadata)

    async def answer_ready(_request: Request) -> Response:
        is_ready = verifier.checker is not None
        return JSONResponse({"ready": is_ready}, 200 if is_ready else 503)

    return [
        Route("/healthz", _answer_alive),
        Route("/readyz", answer_ready),
        Route(METADATA_PATH, answer_resource),
        Route(f"{METADATA_PATH}/mcp", answer_resource),
    ]


def _add_guards(
    app: Starlette, chosen: HttpOptions, verifier: TokenVerifier, turns: TenantTurns, rest: RestFace
) -> None:
    """Put before the application what refuses calls; the last one added sees a request first."""
    app.add_middleware(BoundSessions)
    app.add_middleware(
        LimitBody,
        note_refusal=verifier.note_refusal,
        within_s=chosen.body_within_s,
        own_limits=rest.own_limits,
    )
    app.add_middleware(LimitCalls, verifier=verifier, turns=turns)
    app.add_middleware(RequireToken, verifier=verifier)
    app.add_middleware(AuthContextMiddleware)
    app.add_middleware(AuthenticationMiddleware, backend=BearerAuthBackend(verifier))
    app.add_middleware(CheckHost, names=[*LOOPBACK, *chosen.names], verifier=verifier)


async def _answer_alive(_request: Request) -> Response:
    return JSONResponse({"alive": True})
