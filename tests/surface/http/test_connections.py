"""A connection is closed when no request comes on it, and what is no HTTP fills no log."""

import logging
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import pytest
import uvicorn
from starlette.types import Receive, Scope, Send

from memoria.surface.http.connections import FewerWarnings, PatientConnection

pytestmark = pytest.mark.anyio
GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


class HastyConnection(PatientConnection):
    head_within_s = 0.05


class Answers:
    """An application that answers when it is let, and the address at which it listens."""

    def __init__(self) -> None:
        self.address: tuple[str, int] = ("", 0)
        self.may_answer = anyio.Event()
        self.has_come = anyio.Event()

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        self.has_come.set()
        await self.may_answer.wait()
        head = [(b"content-length", b"0")]
        await send({"type": "http.response.start", "status": 204, "headers": head})
        await send({"type": "http.response.body", "body": b""})


@asynccontextmanager
async def serve() -> AsyncIterator[Answers]:
    answers = Answers()
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        answers.address = listening.getsockname()
        config = uvicorn.Config(
            answers, http=HastyConnection, lifespan="off", log_level="critical", ws="none"
        )
        server = uvicorn.Server(config)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server.serve, [listening])
            while not server.started:
                await anyio.lowlevel.checkpoint()
            yield answers
            server.should_exit = True


async def read_to_end(stream: anyio.abc.SocketStream) -> bytes:
    found = b""
    while True:
        try:
            found += await stream.receive()
        except anyio.EndOfStream:
            return found


@pytest.mark.parametrize("head", [b"", b"GET / HTTP/1.1\r\nHost: x\r\n"], ids=["nothing", "half"])
async def test_a_connection_on_which_no_request_comes_is_closed(head: bytes) -> None:
    async with serve() as answers, await anyio.connect_tcp(*answers.address) as stream:
        if head:
            await stream.send(head)
        assert await read_to_end(stream) == b""


async def test_a_second_request_that_stays_half_is_closed_after_the_first_is_answered() -> None:
    async with serve() as answers, await anyio.connect_tcp(*answers.address) as stream:
        answers.may_answer.set()
        for _ in range(3):
            await stream.send(GET)
            assert (await stream.receive()).startswith(b"HTTP/1.1 204")
        await stream.send(GET[:10])
        assert await read_to_end(stream) == b""


async def test_a_request_whose_answer_takes_longer_than_a_head_may_is_answered() -> None:
    async with serve() as answers, await anyio.connect_tcp(*answers.address) as stream:
        await stream.send(GET)
        await answers.has_come.wait()
        async with await anyio.connect_tcp(*answers.address) as silent:
            assert await read_to_end(silent) == b""  # so long as a head may take
        answers.may_answer.set()
        assert (await stream.receive()).startswith(b"HTTP/1.1 204")


def test_a_thousand_warnings_of_a_kind_are_four_lines_and_errors_are_all_told() -> None:
    few = FewerWarnings()

    def told(level: int, text: str) -> int:
        record = logging.LogRecord("uvicorn.error", level, "", 0, text, None, None)
        return sum(few.filter(record) for _ in range(1_000))

    assert told(logging.WARNING, "Invalid HTTP request received.") == 4
    assert told(logging.WARNING, "Unsupported upgrade request.") == 4
    assert told(logging.ERROR, "Exception in ASGI application") == 1_000
