"""Incoming messages: mended lines, and an end that waits until all requests are answered.

The SDK ends everything that is under way when the input ends. Whoever writes some requests into a
pipe and closes it would lose the last ones, and at a start all those that waited for the server. So
the end of the input is passed on when all are answered.
"""

import re
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Protocol, Self

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp.types import (
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from memoria.bare.lazy_regex import lazy_regex

Incoming = SessionMessage | Exception
Answer = Callable[[SessionMessage], Awaitable[None]]


# Neither pattern can fail once it has begun, so that a string without an end is not tried again
# from every quote in it.
_STRING = lazy_regex(r'"(?:[^"\\]|\\.?)*"?', re.DOTALL)
_ESCAPE = lazy_regex(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|(?P<half>\\u[dD][89a-fA-F]..)|\\.")
_BARE = lazy_regex(r"[\x00-\x1f]")
_PART = lazy_regex(rf"{_STRING.pattern}|[{{}}\[\]]", re.DOTALL)
_VALUE = lazy_regex(r'\s*:\s*(?:(?P<number>-?\d{1,18})(?!\d)|"(?P<text>[^"\\]{1,200})")')


async def repair_lines(
    messages: AsyncIterable[Incoming], answer: Answer
) -> AsyncIterator[Incoming]:
    """Yield a server's incoming messages; lines that the SDK can't parse are mended or answered.

    Args:
        messages: what the SDK's transport reads.
        answer: writes a message back.
    """
    async for item in messages:
        line = _invalid_line(item)
        try:
            yield item if line is None else _parse(repair_line(line))
        except ValidationError as error:
            await _refuse_line(line or "", error, answer)


def _parse(line: str) -> SessionMessage:
    return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))


async def _refuse_line(line: str, error: ValidationError, answer: Answer) -> None:
    request = request_id(line)
    if request is None:
        return  # an answer must name its request
    problem = error.errors(include_input=False, include_url=False)[0]["msg"]
    text = f"The request can't be read: {problem}. Nothing was done; mend it and send it again."
    refused = ErrorData(code=PARSE_ERROR, message=text)
    await answer(SessionMessage(JSONRPCError(jsonrpc="2.0", id=request, error=refused)))


def repair_line(line: str) -> str:
    """Replace half characters in a line, and escape bare control characters."""
    return _STRING.sub(lambda string: _repair_string(string[0]), line.lstrip("\ufeff"))


def request_id(line: str) -> int | str | None:
    """Return the id of the request in a line that is not quite JSON: the outermost object's id."""
    depth = 0
    for part in _PART.finditer(line):
        if part[0] in "{[":
            depth += 1
        elif part[0] in "}]":
            depth -= 1
        elif depth == 1 and part[0] == '"id"' and (value := _VALUE.match(line, part.end())):
            return int(value["number"]) if value["number"] else value["text"]
    return None


def _repair_string(string: str) -> str:
    whole = _ESCAPE.sub(lambda escape: "\\ufffd" if escape["half"] else escape[0], string)
    return _BARE.sub(lambda bare: f"\\u{ord(bare[0]):04x}", whole)


def _invalid_line(item: Incoming) -> str | None:
    """Return the line that the SDK could not parse as JSON; None for any other item."""
    if not isinstance(item, ValidationError):
        return None
    first = item.errors(include_url=False)[0]
    line = first["input"]
    return line if first["type"] == "json_invalid" and isinstance(line, str) else None


_FINISH_S = 10.0
"""Longest wait at the end for requests that wait for their client, such as questions."""
_WITHOUT_END = "subscriptions/listen"


@asynccontextmanager
async def relay(
    messages: AsyncIterable[Incoming],
) -> AsyncIterator[MemoryObjectReceiveStream[Incoming]]:
    """Pass messages on as a stream, as the SDK's server reads one."""
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
    """Outgoing messages of a server, and with them the requests that are not answered yet."""

    def __init__(self, answers: _Answers) -> None:
        """Keep the stream that outgoing messages go to."""
        self._answers = answers
        self._open: set[RequestId] = set()
        self._answered = anyio.Event()

    async def watch(self, messages: AsyncIterator[Incoming]) -> AsyncIterator[Incoming]:
        """Yield the incoming messages, and end when all requests are answered."""
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
