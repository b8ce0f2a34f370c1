"""Holding a caller's home open while the call runs, and answering where it can't be opened."""

import logging

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memoria.errors import StoreError
from memoria.surface.http.callers import HomeMemories, TokenVerifier
from memoria.surface.http.problems import refuse

_LOG = logging.getLogger(__name__)


class HoldHome:
    """Keeps the home of the caller's tenant open while the call runs."""

    def __init__(self, app: ASGIApp, verifier: TokenVerifier) -> None:
        self._app = app
        self._verifier = verifier

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on while the home is open, or refuse it if the tenant has none."""
        memories = self._verifier.checker
        is_call = isinstance(scope.get("user"), AuthenticatedUser)
        if not (is_call and isinstance(memories, HomeMemories)):
            await self._app(scope, receive, send)
            return
        async with memories.hold(HTTPConnection(scope)) as has_home:
            if has_home:
                await self._app(scope, receive, send)
                return
        await refuse(401, "This memory is gone, and its tokens with it.")(scope, receive, send)


class AnswerUnavailable:
    """Answers that a home can't be opened, with the reason, where nothing else has answered."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; answer with status 503 if the home that it needs can't be used."""
        has_begun = False

        async def note_and_send(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await self._app(scope, receive, note_and_send)
        except StoreError as error:
            if has_begun:
                raise
            _LOG.warning("A home can't be used: %s", error)
            unusable = "This memory can't be opened; the log of the server says why."
            await refuse(503, unusable)(scope, receive, send)
