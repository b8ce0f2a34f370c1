"""Limits: how many calls a token and a tenant may make, and how many of them are at work."""

import math
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any
from weakref import WeakValueDictionary

import anyio
from mcp.server import ServerRequestContext
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.context import CallNext, HandlerResult
from starlette.types import ASGIApp, Receive, Scope, Send

from memoria.surface.http.bodies import answer_unread
from memoria.surface.http.callers import TokenVerifier, find_token
from memoria.surface.http.events import EVENTS_PATH, VIEWER_EVENTS_PATH
from memoria.surface.http.problems import answer_problem
from memoria.surface.mcp.calls import ServedMemories

_MOST_OPEN = 200
"""Number of requests of a tenant that are open at once, those that listen included."""
_BURST_S = 5
"""Seconds' worth of calls that a token may make at once."""
_MOST_TOKENS = 10_000
_WITHOUT_TURN = frozenset(("/mcp", EVENTS_PATH, VIEWER_EVENTS_PATH))
"""Paths of calls that take turns by themselves, and of those that listen and need none."""
_ROUNDING_S = 1e-6
_AT_WORK = 8
"""Number of calls of a tenant that are at work at once."""


class TenantTurns:
    """Turns of calls at work: each tenant has a few, and those beyond wait for the tenant's own."""

    def __init__(self) -> None:
        self._turns = WeakValueDictionary[str, anyio.Semaphore]()
        self.last_call = time.monotonic()
        """Time when anybody last called, by the monotonic clock; at first, when this was made."""

    @asynccontextmanager
    async def take(self, tenant: str) -> AsyncIterator[None]:
        """Hold a turn of a tenant in the block, which begins when one is free."""
        self.last_call = time.monotonic()
        turns = self._turns.get(tenant)
        if turns is None:
            turns = self._turns[tenant] = anyio.Semaphore(_AT_WORK)
        async with turns:
            yield

    async def take_for_call(
        self, ctx: ServerRequestContext[ServedMemories, Any], call_next: CallNext
    ) -> HandlerResult:
        """Hold a turn while a call over MCP is at work; whoever listens for news holds none."""
        if ctx.request_id is None or ctx.method == "subscriptions/listen":
            return await call_next(ctx)
        async with self.take(find_token(ctx.request).subject or ""):
            return await call_next(ctx)


class LimitCalls:
    """Refuses calls beyond a rate for each token, and beyond a number at once for each tenant."""

    def __init__(
        self,
        app: ASGIApp,
        verifier: TokenVerifier,
        turns: TenantTurns,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Put the limits before an application.

        Args:
            app: the application.
            verifier: knows the rate, and notes what is refused.
            turns: of the tenants; a call over MCP takes its own.
            clock: seconds that only grow.
        """
        self._app = app
        self._verifier = verifier
        self._turns = turns
        self._clock = clock
        self._full_at: dict[str, float] = {}
        """When each token may make all calls of a burst again."""
        self._open = Counter[str]()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it with status 429 and the seconds to wait."""
        user = scope.get("user")
        if not isinstance(user, AuthenticatedUser):
            await self._app(scope, receive, send)
            return
        tenant = user.access_token.subject or ""
        wait_s = self._take(user.access_token.client_id)
        if wait_s == 0 and self._open[tenant] >= _MOST_OPEN:
            wait_s = 1.0
        if wait_s > 0:
            await self._verifier.note_refusal(scope, "too many calls")
            after = {"Retry-After": str(math.ceil(wait_s))}
            answer = answer_problem(429, "Too many calls: wait as `Retry-After` says.", after)
            await answer_unread(answer, scope, receive, send)
            return
        self._open[tenant] += 1
        try:
            if scope["path"] in _WITHOUT_TURN:
                await self._app(scope, receive, send)
            else:
                async with self._turns.take(tenant):
                    await self._app(scope, receive, send)
        finally:
            self._open[tenant] -= 1
            if not self._open[tenant]:
                del self._open[tenant]

    def _take(self, token: str) -> float:
        """Take a call from what a token may make; return the seconds to wait, 0 for none."""
        rate, now = self._verifier.calls_per_second, self._clock()
        if rate == 0:
            return 0
        if len(self._full_at) >= _MOST_TOKENS:
            self._full_at = {one: at for one, at in self._full_at.items() if at > now}
        full_at = max(self._full_at.get(token, now), now) + 1 / rate
        wait_s = full_at - now - max(_BURST_S, 1 / rate)
        if wait_s > _ROUNDING_S:
            return wait_s
        self._full_at[token] = full_at
        return 0
