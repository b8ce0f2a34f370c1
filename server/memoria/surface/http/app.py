"""The application: MCP at `/mcp`, health beside it, and a token asked of everybody but health."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

import anyio
from anyio.abc import TaskGroup
from mcp.server import Server
from mcp.server.auth.middleware.auth_context import AuthContextMiddleware
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from memoria.app.delivery import deliver_events
from memoria.app.homes import TenantHomes
from memoria.app.open_home import OpenHome, in_thread
from memoria.bare.remote import RECORD
from memoria.model.access import Access
from memoria.surface.http.bodies import LimitBody
from memoria.surface.http.callers import TenantMemories, TokenVerifier
from memoria.surface.http.events import Listening
from memoria.surface.http.guards import LOOPBACK, CheckHead, CheckHost, RequireToken
from memoria.surface.http.health import Readiness, answer_alive
from memoria.surface.http.holding import AnswerUnavailable, HoldHome
from memoria.surface.http.hooks import FindLiveSessions, HookRoutes
from memoria.surface.http.issuer import METADATA_PATH
from memoria.surface.http.limits import LimitCalls, TenantTurns
from memoria.surface.http.observing import NOBODY, Observation
from memoria.surface.http.problems import answer_http_error, answer_problem
from memoria.surface.http.rest.face import RestFace
from memoria.surface.http.sessions import BoundSessions, check_token
from memoria.surface.http.spools import follow_open_homes, follow_spools
from memoria.surface.http.viewer.doors import CallerBackend
from memoria.surface.http.viewer.face import ViewerFace
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
    keeps_sessions: bool = True
    """True if a client of the older era has a session in this process; False where its next call
    may reach another."""
    seal: bytes = b""
    """Key that seals what a client echoes while its user is asked; empty for one that no other
    process has."""


@dataclass(frozen=True, slots=True)
class _Parts:
    """Parts of the application that wait for the home to be open."""

    verifier: TokenVerifier
    rest: RestFace
    hooks: HookRoutes
    viewer: ViewerFace
    readiness: Readiness

    def begin(self, home: OpenHome | TenantHomes, memories: TenantMemories) -> None:
        """Begin to serve an opened home."""
        self.verifier.open(home)
        self.rest.memories = self.hooks.memories = self.viewer.memories = memories
        look = home.store.needs_scrub if isinstance(home, OpenHome) else None
        self.readiness.begin(look, home.embedder)

    def end(self) -> None:
        """Serve nobody any more."""
        self.readiness.end()
        self.verifier.close()
        self.rest.memories = self.hooks.memories = self.viewer.memories = None


def build_app(
    open_home: Callable[[], AbstractAsyncContextManager[OpenHome | TenantHomes]],
    options: HttpOptions | None = None,
    observation: Observation = NOBODY,
) -> Starlette:
    """Build the application.

    Args:
        open_home: opens the home, or the tenants' homes, when the server starts.
        options: how it serves.
        observation: whoever is told of requests.
    """
    chosen = options or HttpOptions()
    verifier = TokenVerifier()
    subscriptions = Subscriptions(check_token(verifier))
    listening = Listening(holds=check_token(verifier))
    hooks = HookRoutes(chosen.body_within_s)
    parts = _Parts(verifier, RestFace(listening), hooks, ViewerFace(listening), Readiness())
    turns = TenantTurns()

    @asynccontextmanager
    async def lifespan(_: Server[ServedMemories]) -> AsyncIterator[ServedMemories]:
        async with open_home() as home, anyio.create_task_group() as tasks:
            memories = TenantMemories(home, verifier, chosen.most)
            await in_thread(memories.purge_hidden)
            parts.begin(home, memories)
            tasks.start_soon(subscriptions.watch)
            _start_upkeep(tasks, home, memories, turns, listening)
            try:
                yield memories
            finally:
                tasks.cancel_scope.cancel()
                observation.stop()
                parts.end()
                memories.close()

    server = MemoriaServer(
        lifespan,
        subscriptions,
        static_instructions(),
        {"search_memory": UnreadWord().add_to},
        chosen.seal,
    )
    add_tools(server.tools)
    server.middleware.append(turns.take_for_call)
    app = server.streamable_http_app(
        stateless_http=not chosen.keeps_sessions,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        custom_starlette_routes=[
            *_list_open_routes(parts),
            *parts.hooks.list_routes(),
            *parts.rest.list_routes(),
            *parts.viewer.list_routes(),
        ],
    )
    app.add_exception_handler(HTTPException, answer_http_error)
    app.add_middleware(FindLiveSessions, routes=parts.hooks)  # after all guards, added last
    _add_guards(app, chosen, parts, turns)
    observation.install(app, server)
    return app


def _start_upkeep(
    tasks: TaskGroup,
    home: OpenHome | TenantHomes,
    memories: TenantMemories,
    turns: TenantTurns,
    listening: Listening,
) -> None:
    """Start what goes on beside the calls: hooks' words taken in, events told, nights at idle."""
    tasks.start_soon(listening.feeds.watch)
    tasks.start_soon(deliver_events, home)
    if isinstance(home, OpenHome):
        tasks.start_soon(follow_spools, str(home.settings.home_path), memories.open)
    else:
        tasks.start_soon(follow_open_homes, home)
    tasks.start_soon(
        run_idle_maintenance, home.settings, lambda: turns.last_call, memories.list_tenants
    )


def _list_open_routes(parts: _Parts) -> list[Route]:
    """List the routes that need no token."""

    async def answer_resource(_request: Request) -> Response:
        issuer = parts.verifier.issuer
        if issuer is None:
            return answer_problem(404, "This memory takes its own tokens alone.")
        return JSONResponse(issuer.metadata)

    return [
        Route("/healthz", answer_alive),
        Route("/readyz", parts.readiness.answer),
        Route(METADATA_PATH, answer_resource),
        Route(f"{METADATA_PATH}/mcp", answer_resource),
    ]


def _add_guards(app: Starlette, chosen: HttpOptions, parts: _Parts, turns: TenantTurns) -> None:
    """Put before the application what refuses calls; the last one added sees a request first."""
    verifier, rest = parts.verifier, parts.rest
    app.add_middleware(HoldHome, verifier=verifier)
    app.add_middleware(BoundSessions)
    app.add_middleware(
        LimitBody,
        note_refusal=verifier.note_refusal,
        within_s=chosen.body_within_s,
        own_limits={*rest.own_limits, RECORD},
    )
    app.add_middleware(LimitCalls, verifier=verifier, turns=turns)
    app.add_middleware(RequireToken, verifier=verifier)
    app.add_middleware(AuthContextMiddleware)
    app.add_middleware(AuthenticationMiddleware, backend=CallerBackend(verifier))
    app.add_middleware(AnswerUnavailable)
    app.add_middleware(CheckHost, names=[*LOOPBACK, *chosen.names], verifier=verifier)
    app.add_middleware(CheckHead, verifier=verifier)
