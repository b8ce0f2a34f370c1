"""Requests that were read and are not answered yet: a client that stops writing still gets answers.

The SDK ends everything that is under way when the input ends. Whoever writes some requests into a
pipe and closes it would lose the last ones, and at a start all those that waited for the server. So
the end of the input is passed on when all are answered.
"""

from collections.abc import AsyncIterable, AsyncIterator
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Protocol, Self

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse, RequestId

from memoria.surface.mcp.line_repair import Incoming

_FINISH_S = 10.0
"""Longest wait at the end for requests that wait for their client, as questions to the user do."""
_WITHOUT_END = "subscriptions/listen"


@asynccontextmanager
async def relay(
    messages: AsyncIterable[Incoming],
) -> AsyncIterator[MemoryObjectReceiveStream[Incoming]]:
    """Pass the messages on as a stream, which is what a server of the SDK reads."""
    onward, readable = anyio.create_memory_object_stream[Incoming](0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_pass_on, messages, onward)
        yield readable
        tasks.cancel_scope.cancel()


async def _pass_on(
    messages: AsyncIterable[Incoming], onward: MemoryObjectSendStream[Incoming]
) -> None:
    async with onward:
        async for item in messages:
            await onward.send(item)


class _Answers(Protocol):
    async def send(self, item: SessionMessage, /) -> None: ...
    async def aclose(self) -> None: ...


class OpenRequests:
    """A server's outgoing messages, which tell what is answered."""

    def __init__(self, answers: _Answers) -> None:
        """Read nothing yet. `answers` is where messages go."""
        self._answers = answers
        self._open: set[RequestId] = set()
        self._answered = anyio.Event()

    async def watch(self, messages: AsyncIterator[Incoming]) -> AsyncIterator[Incoming]:
        """Yield the incoming messages; their end comes when all requests are answered."""
        async for item in messages:
            self._note(item)
            yield item
        with anyio.move_on_after(_FINISH_S):
            while self._open:
                self._answered = anyio.Event()
                await self._answered.wait()

    async def send(self, item: SessionMessage, /) -> None:
        """Send a message to the client."""
        await self._answers.send(item)
        if isinstance(item.message, JSONRPCResponse | JSONRPCError):
            self._close(item.message.id)

    async def aclose(self) -> None:
        """Send nothing more."""
        await self._answers.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None:
        await self.aclose()

    def _note(self, item: Incoming) -> None:
        match item.message if isinstance(item, SessionMessage) else None:
            case JSONRPCRequest(id=number, method=method) if method != _WITHOUT_END:
                self._open.add(number)
            case JSONRPCNotification(
                method="notifications/cancelled", params={"requestId": number}
            ):
                self._close(number)

    def _close(self, number: object) -> None:
        self._open = {one for one in self._open if one != number}
        if not self._open:
            self._answered.set()
