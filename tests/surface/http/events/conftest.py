"""A program that takes events, with a signature check of its own, and listeners to streams."""

import base64
import hashlib
import hmac
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from tests.surface.http.conftest import HttpServer, serve_app

from memoria.app import Memoria
from memoria.model.access import Access
from memoria.model.provenance import COMMAND_LINE

PATIENCE_S = 60
HERE = "127.0.0.1"


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process looks for events and for due webhooks so often that no test waits for it."""
    monkeypatch.setattr("memoria.app.events._EVERY_S", 0.05)
    monkeypatch.setattr("memoria.app.delivery._EVERY_S", 0.05)


@dataclass(slots=True)
class Taken:
    """A message that came, and whether its signature is right."""

    id: str
    events: list[dict[str, Any]]
    is_signed: bool
    type: str


@dataclass(slots=True)
class Receiver:
    """A program that takes events at `/events`, and never answers at `/silent`."""

    url: str = ""
    secret: str = ""
    status: int = 204
    headers: dict[str, str] = field(default_factory=dict)
    taken: list[Taken] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    on_message: Callable[[], None] = lambda: None
    _more: anyio.Event = field(default_factory=anyio.Event)

    @property
    def events(self) -> list[dict[str, Any]]:
        """Every event that came, each repetition included."""
        return [event for message in self.taken for event in message.events]

    async def take(self, request: Request) -> Response:
        """Take a message."""
        body = await request.body()
        self.asked.append(request.headers["host"])
        self.taken.append(check(request.headers, body, self.secret))
        self._more.set()
        self._more = anyio.Event()
        self.on_message()
        return Response(status_code=self.status, headers=self.headers)

    async def keep_silent(self, request: Request) -> Response:
        """Read a message and never answer it."""
        self.asked.append(request.url.path)
        self._more.set()
        self._more = anyio.Event()
        await anyio.sleep_forever()
        raise AssertionError

    async def until(self, is_enough: Callable[[], bool]) -> None:
        """Wait until enough has come."""
        with anyio.fail_after(PATIENCE_S):
            while not is_enough():
                await self._more.wait()


def check(headers: Any, body: bytes, secret: str) -> Taken:  # noqa: ANN401  (headers of any library)
    """Check a message as its receiver would, by the text of the specification alone."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    message = json.loads(body)
    return Taken(
        headers["webhook-id"],
        message["data"]["events"],
        headers["webhook-signature"] == f"v1,{expected}",
        message["type"],
    )


@asynccontextmanager
async def receiving() -> AsyncIterator[Receiver]:
    """Run a receiver on loopback until the block ends."""
    receiver = Receiver()
    app = Starlette(
        routes=[
            Route("/events", receiver.take, methods=["POST"]),
            Route("/silent", receiver.keep_silent, methods=["POST"]),
        ]
    )
    async with serve_app(app) as server:
        receiver.url = server.url
        yield receiver


def open_user(server: HttpServer, tenant: str = "ann") -> Memoria:
    """Return a tenant's memory as its user has it in a shell."""
    return Memoria(server.home.for_tenant(tenant), COMMAND_LINE)


class Listener:
    """What a listener to the stream of events hears."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self.last_id = ""
        self.has_ended = False
        self._more = anyio.Event()

    async def read(self, answer: httpx2.Response) -> None:
        """Read a stream to its end, as the standard of server-sent events says."""
        fields: dict[str, str] = {}
        async for line in answer.aiter_lines():
            name, _, value = line.partition(": ")
            if name:
                fields[name] = value
                continue
            self.last_id = fields.get("id", self.last_id)
            if "data" in fields:
                event = json.loads(fields["data"])
                assert (event["id"], event["type"]) == (fields["id"], fields["event"])
                self.events.append(event)
            fields = {}
            self._note()
        self.has_ended = True
        self._note()

    async def until(self, is_enough: Callable[[], bool]) -> None:
        """Wait until enough was heard."""
        with anyio.fail_after(PATIENCE_S):
            while not is_enough():
                await self._more.wait()

    def _note(self) -> None:
        self._more.set()
        self._more = anyio.Event()


@asynccontextmanager
async def listening(
    client: httpx2.AsyncClient, last_id: str | None = None
) -> AsyncIterator[Listener]:
    """Listen to the events of a client's tenant until the block ends."""
    headers = {} if last_id is None else {"Last-Event-ID": last_id}
    listener = Listener()
    async with (
        client.stream("GET", "/memory/events", headers=headers) as answer,
        anyio.create_task_group() as tasks,
    ):
        assert answer.status_code == 200, await answer.aread()
        tasks.start_soon(listener.read, answer)
        await listener.until(lambda: bool(listener.last_id))
        yield listener
        tasks.cancel_scope.cancel()


@asynccontextmanager
async def client_of(
    server: HttpServer, tenant: str = "ann", access: Access = Access.ADMIN
) -> AsyncIterator[httpx2.AsyncClient]:
    """Yield a client with a token of a tenant."""
    token = await server.create_token(tenant, access)
    async with server.client(token.text) as client:
        yield client


def kinds(events: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Type and kind of each event."""
    return [(one["type"].removeprefix("Memory."), one["data"].get("kind", "")) for one in events]
