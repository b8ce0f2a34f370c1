"""Bodies: how long the body of a request may be, and how long it may take to come."""

from collections.abc import Awaitable, Callable, Collection
from typing import NamedTuple

import anyio
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memoria.surface.http.problems import answer_problem

MOST_BODY_BYTES = 4 * 1024 * 1024
_MOST_DRAINED_BYTES = 4 * MOST_BODY_BYTES
"""Length up to which the body of a refused request is read and thrown away."""
_PATIENCE_S = 5.0
"""Seconds in which the body of a refused request must have come."""
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
            within_s = 0 if body is _TOO_SLOW else min(self._within_s, _PATIENCE_S)
            await answer_unread(answer, scope, receive, send, within_s)
            return
        waiting: list[Message] = [{"type": "http.request", "body": body}]

        async def receive_read() -> Message:
            return waiting.pop() if waiting else await receive()

        await self._app(scope, receive_read, send)

    async def _read(self, announced: str, receive: Receive) -> bytes | _BodyFault:
        """Read a body, unless it is too long or does not come in time."""
        if announced.isdigit() and int(announced) > MOST_BODY_BYTES:
            return _TOO_LONG
        with anyio.move_on_after(self._within_s):
            return await _read_all(receive)
        return _TOO_SLOW


async def _read_all(receive: Receive) -> bytes | _BodyFault:
    """Read a body to its end.

    Raises:
        ClientDisconnect: the caller has left.
    """
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise ClientDisconnect
        body += message.get("body", b"")
        if len(body) > MOST_BODY_BYTES:
            return _TOO_LONG
        if not message.get("more_body", False):
            return bytes(body)


async def answer_unread(
    answer: Response, scope: Scope, receive: Receive, send: Send, within_s: float = _PATIENCE_S
) -> None:
    """Answer a request whose body nobody wants, once it has come.

    A connection that was closed before would take the answer with it. One whose body does not come
    is closed all the same.
    """
    is_whole, length = False, 0
    with anyio.move_on_after(within_s):
        while not is_whole and length <= _MOST_DRAINED_BYTES:
            message = await receive()
            length += len(message.get("body", b""))
            is_whole = not message.get("more_body", False)
    if not is_whole:
        answer.headers["Connection"] = "close"
    await answer(scope, receive, send)
