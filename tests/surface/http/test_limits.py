"""A caller asks so much and no more, and one tenant's burst leaves the others their turns."""

import json
from collections.abc import AsyncIterator, Callable

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.types import Message, Receive, Scope, Send
from tests.surface.http.conftest import HttpServer, StartServer
from tests.surface.http.test_log import logged

from memoria.model.access import Access
from memoria.surface.http.app import HttpOptions
from memoria.surface.http.bodies import MOST_BODY_BYTES, answer_unread
from memoria.surface.http.callers import TokenVerifier
from memoria.surface.http.limits import LimitCalls, TenantTurns
from memoria.surface.http.problems import answer_problem

pytestmark = pytest.mark.anyio


async def test_a_token_that_calls_too_fast_is_told_when_to_come_back(
    start_server: StartServer,
) -> None:
    async with start_server(http_calls_per_second=0.01) as server:
        tokens = [await server.create_token("ann", Access.READ) for _ in range(2)]
        async with server.client(tokens[0].text) as client:
            assert (await client.post("/mcp", json={})).status_code == 400
            answer = await client.post("/mcp", json={})
        assert answer.status_code == 429
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["status"] == 429
        assert 90 <= int(answer.headers["retry-after"]) <= 100
        async with server.client(tokens[1].text) as client:
            assert (await client.post("/mcp", json={})).status_code == 400
        (line,) = logged(server, "ann", "refuse")
        assert line.detail == "too many calls"


class Calls:
    """Calls through the limits, to an application that answers when it is let."""

    def __init__(self, rate: float = 0) -> None:
        self.now = 0.0
        self.at_work: list[str] = []
        self.statuses: list[int] = []
        self.may_end = anyio.Event()
        verifier = TokenVerifier()
        verifier.calls_per_second = rate
        self.limits = LimitCalls(self.work, verifier, TenantTurns(), lambda: self.now)

    async def work(self, scope: Scope, _receive: Receive, send: Send) -> None:
        self.at_work.append(scope["user"].access_token.subject)
        await self.may_end.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def call(self, tenant: str) -> None:
        user = AuthenticatedUser(
            AccessToken(token="", client_id="t", scopes=["read"], subject=tenant)
        )

        async def receive() -> Message:
            return {"type": "http.request", "body": b""}

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                self.statuses.append(message["status"])

        scope = {"type": "http", "path": "/v1/x", "headers": [], "user": user}
        await self.limits(scope, receive, send)

    async def until(self, is_so: Callable[[], bool]) -> None:
        while not is_so():
            await anyio.lowlevel.checkpoint()


async def test_a_burst_of_one_tenant_takes_no_turn_of_another() -> None:
    calls = Calls()
    async with anyio.create_task_group() as tasks:
        for _ in range(100):
            tasks.start_soon(calls.call, "ann")
        await calls.until(lambda: len(calls.at_work) == 8)
        tasks.start_soon(calls.call, "ben")
        await calls.until(lambda: "ben" in calls.at_work)
        assert calls.at_work.count("ann") == 8
        calls.may_end.set()
    assert calls.statuses == [200] * 101


async def test_no_more_than_two_hundred_calls_of_a_tenant_wait() -> None:
    calls = Calls()
    async with anyio.create_task_group() as tasks:
        for _ in range(205):
            tasks.start_soon(calls.call, "ann")
        await calls.until(lambda: len(calls.statuses) == 5)
        await calls.until(lambda: len(calls.at_work) == 8)
        calls.may_end.set()
    assert sorted(calls.statuses) == [200] * 200 + [429] * 5


async def test_a_token_may_make_five_seconds_worth_of_calls_at_once_and_its_rate_from_then() -> (
    None
):
    calls = Calls(rate=2)
    calls.may_end.set()

    async def make(number: int) -> list[int]:
        calls.statuses.clear()
        for _ in range(number):
            await calls.call("ann")
        return sorted(calls.statuses)

    assert await make(12) == [200] * 10 + [429] * 2
    calls.now += 3
    assert await make(7) == [200] * 6 + [429]
    calls.now += 1_000
    assert await make(11) == [200] * 10 + [429]


@given(st.floats(0, 1e7), st.floats(0.001, 1_000))
def test_a_first_call_is_never_one_too_many(now: float, rate: float) -> None:
    calls = Calls(rate)
    calls.may_end.set()
    calls.now = now
    anyio.run(calls.call, "ann")
    assert calls.statuses == [200]


async def exchange(server: HttpServer, head: str, body: bytes = b"") -> tuple[int, dict[str, str]]:
    """Send a request as it is, and read to the end of the connection."""
    host, port = server.url.removeprefix("http://").split(":")
    answer = b""
    async with await anyio.connect_tcp(host, int(port)) as stream:
        await stream.send(head.replace("\n", "\r\n").encode() + body)
        while True:
            try:
                answer += await stream.receive()
            except anyio.EndOfStream:
                break
    start, _, problem = answer.partition(b"\r\n\r\n")
    return int(start.split()[1]), json.loads(problem)


def head_of(token: str, length: int) -> str:
    return (
        f"POST /mcp HTTP/1.1\nHost: 127.0.0.1\nAuthorization: Bearer {token}\n"
        f"Content-Type: application/json\nContent-Length: {length}\n\n"
    )


async def test_a_body_that_does_not_come_ends_its_connection(start_server: StartServer) -> None:
    async with start_server(HttpOptions(body_within_s=0.1)) as server:
        token = await server.create_token("ann", Access.READ)
        status, problem = await exchange(server, head_of(token.text, 100), b"{")
        assert (status, problem["detail"]) == (408, "The body took too long.")
        assert logged(server, "ann", "refuse")[0].detail == "the body took too long"


async def test_a_body_that_is_too_long_is_refused_before_it_is_read(
    start_server: StartServer,
) -> None:
    async with start_server(HttpOptions(body_within_s=0.1)) as server:
        token = await server.create_token("ann", Access.READ)
        status, _ = await exchange(server, head_of(token.text, MOST_BODY_BYTES + 1), b"{")
        assert status == 413

    async with start_server() as server:
        token = await server.create_token("ann", Access.READ)

        async def endless() -> AsyncIterator[bytes]:
            for _ in range(MOST_BODY_BYTES // 65_536 + 1):
                yield b" " * 65_536

        async with server.client(token.text) as client:
            answer = await client.post("/mcp", content=endless())
            assert answer.status_code == 413
            longest = await client.post("/mcp", content=b" " * MOST_BODY_BYTES)
            assert longest.status_code == 400  # it is read, and is no JSON


async def test_the_body_of_a_refused_call_comes_first_and_its_connection_is_used_again(
    start_server: StartServer,
) -> None:
    async with start_server() as server, server.client("mem_x") as client:
        for length in (0, 100, 1_000_000):
            answer = await client.post("/mcp", content=b" " * length)
            assert answer.status_code == 401
            assert "connection" not in answer.headers


async def test_whoever_is_refused_holds_no_connection_by_a_body_that_does_not_come() -> None:
    sent: list[Message] = []

    async def receive() -> Message:
        await anyio.sleep_forever()
        raise AssertionError

    async def send(message: Message) -> None:
        sent.append(message)

    await answer_unread(answer_problem(401, "No."), {"type": "http"}, receive, send, within_s=0.01)
    assert (b"connection", b"close") in sent[0]["headers"]
