"""Holding a caller's home open while the call runs, and answering where it can't be opened."""

import logging

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memoria.errors import StoreError
from memoria.surface.http.bodies import answer_unread
from memoria.surface.http.callers import TokenVerifier
from memoria.surface.http.problems import answer_problem

_LOG = logging.getLogger(__name__)


class HoldHome:
    """Keeps the home of the caller's tenant open while the call runs."""

    def __init__(self, app: ASGIApp, verifier: TokenVerifier) -> None:
        self._app = app
        self._verifier = verifier

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on while the home is open, or refuse it if the tenant has none."""
        homes, user = self._verifier.homes, scope.get("user")
        if homes is None or not isinstance(user, AuthenticatedUser):
            await self._app(scope, receive, send)
            return
        async with homes.hold(user.access_token.subject or "") as opened:
            if opened is not None:
                await self._app(scope, receive, send)
                return
        answer = answer_problem(403, "There is no memory of this tenant here.")
        await answer_unread(answer, scope, receive, send)


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
            await answer_unread(answer_problem(503, unusable), scope, receive, send)
