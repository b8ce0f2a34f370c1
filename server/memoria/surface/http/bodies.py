"""Bodies: how long the body of a request may be, and how long it may take to come."""

from collections.abc import Awaitable, Callable, Collection
from typing import NamedTuple

import anyio
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memoria.surface.http.problems import answer_problem

MOST_BODY_BYTES = 4 * 1024 * 1024
_MOST_DRAINED_BYTES = 4 * MOST_BODY_BYTES
"""Length up to which a body that is too long is read all the same, and thrown away: many clients
hear no answer before they have sent everything."""
_NoteRefusal = Callable[[Scope, str], Awaitable[None]]


class _BodyFault(NamedTuple):
    status: int
    reason: str


_TOO_LONG = _BodyFault(413, f"a body may have {MOST_BODY_BYTES:,} bytes")
_TOO_SLOW = _BodyFault(408, "the body took too long")


class LimitBody:
    """Reads a body before the application does, and refuses one that is too long or too slow."""

    def __init__(
        self,
        app: ASGIApp,
        note_refusal: _NoteRefusal,
        within_s: float,
        own_limits: Collection[str] = (),
    ) -> None:
        """Put the limit before an application.

        Args:
            app: the application.
            note_refusal: notes a refused call.
            within_s: seconds in which a body must have come.
            own_limits: paths that read their bodies by limits of their own.
        """
        self._app = app
        self._note_refusal = note_refusal
        self._within_s = within_s
        self._own_limits = own_limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it with status 413 or 408."""
        if scope["type"] != "http" or scope["path"] in self._own_limits:
            await self._app(scope, receive, send)
            return
        try:
            body = await self._read(Request(scope).headers.get("content-length", ""), receive)
        except ClientDisconnect:
            return
        if isinstance(body, _BodyFault):
            await self._note_refusal(scope, body.reason)
            told = f"{body.reason[0].upper()}{body.reason[1:]}."
            answer = answer_problem(body.status, told, {"Connection": "close"})
            await answer(scope, receive, send)
            return
        waiting: list[Message] = [{"type": "http.request", "body": body}]

        async def receive_read() -> Message:
            return waiting.pop() if waiting else await receive()

        await self._app(scope, receive_read, send)

    async def _read(self, announced: str, receive: Receive) -> bytes | _BodyFault:
        """Read a body, unless it is too long or does not come in time."""
        if announced.isdigit() and int(announced) > _MOST_DRAINED_BYTES:
            return _TOO_LONG
        with anyio.move_on_after(self._within_s):
            return await _read_all(receive)
        return _TOO_SLOW


async def _read_all(receive: Receive) -> bytes | _BodyFault:
    """Read a body to its end.

    Raises:
        ClientDisconnect: the caller has left.
    """
    body, length = bytearray(), 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise ClientDisconnect
        part = message.get("body", b"")
        length += len(part)
        if length <= MOST_BODY_BYTES:
            body += part
        if length > _MOST_DRAINED_BYTES:
            return _TOO_LONG
        if not message.get("more_body", False):
            return bytes(body) if length <= MOST_BODY_BYTES else _TOO_LONG
