"""How many sessions of the older era a tenant may have, and tokens that end before a stream."""

import logging
from collections import OrderedDict

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memoria.errors import MemoriaError
from memoria.model.access import VISIT_BEGINS
from memoria.surface.http.callers import TokenVerifier
from memoria.surface.http.viewer.doors import VISIT, is_viewer
from memoria.surface.mcp.subscriptions import Holds

_SESSION = "mcp-session-id"
_LOG = logging.getLogger(__name__)
_REFUSALS = 400
"""Status at which refusals begin."""
MOST_SESSIONS = 64
"""Largest number of a tenant's sessions."""


class BoundSessions:
    """Ends the session that a tenant has used longest ago, where the tenant opens too many.

    Few clients end their sessions, so that a refusal would lock a user out for half an hour. A
    client whose session has ended begins another.
    """

    def __init__(self, app: ASGIApp, most: int = MOST_SESSIONS) -> None:
        self._app = app
        self._most = most
        self._open = dict[str, OrderedDict[str, AuthenticatedUser]]()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and note the session that its answer names."""
        user = scope.get("user")
        if scope["type"] != "http" or not isinstance(user, AuthenticatedUser):
            await self._app(scope, receive, send)
            return

        async def note(message: Message) -> None:
            # A refused opening also names a session, which has ended already.
            if message["type"] == "http.response.start" and message["status"] < _REFUSALS:
                session = Headers(raw=message["headers"]).get(_SESSION)
                if session is not None:
                    await self._note(scope, session, user)
            await send(message)

        await self._app(scope, receive, note)

    async def _note(self, scope: Scope, session: str, user: AuthenticatedUser) -> None:
        tenant = user.access_token.subject or ""
        if scope["method"] == "DELETE":
            self._open.get(tenant, OrderedDict()).pop(session, None)
            return
        known = self._open.setdefault(tenant, OrderedDict())
        known[session] = user
        known.move_to_end(session)
        if len(known) > self._most:
            await self._end(scope, *known.popitem(last=False))

    async def _end(self, scope: Scope, session: str, owner: AuthenticatedUser) -> None:
        """End a session as its owner would."""

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(_message: Message) -> None:
            return

        headers = [(_SESSION.encode(), session.encode())]
        await self._app(
            {**scope, "method": "DELETE", "headers": headers, "user": owner}, receive, send
        )


def check_token(verifier: TokenVerifier) -> Holds:
    """Return a function that tells whether the token of a request holds still."""

    async def holds(request: object) -> bool:
        if not isinstance(request, HTTPConnection):
            return False
        try:
            if is_viewer(request.url.path):
                visit = request.cookies.get(VISIT, "")
                return await verifier.verify(visit, VISIT_BEGINS) is not None
            token = request.headers["authorization"].partition(" ")[2]
            return await verifier.verify_token(token) is not None
        except MemoriaError as error:
            _LOG.warning("A listener is told nothing: its token could not be checked: %s", error)
            return False

    return holds
