"""A home with something in it, and the examples of the table as calls upon it."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest
from tests.surface.http.conftest import HttpServer, StartServer

from memoria.model.access import Access
from memoria.surface.http.rest.table import EXAMPLE_IDS, RestRoute

TENANT = "ann"
TURNS = [
    {
        "role": "user",
        "content": "We deploy the checkout on Tuesdays only.",
        "message_id": "a",
        "attachments": [{"name": "plan.txt", "data": "VHVlc2RheQ=="}],
    },
    {"role": "assistant", "content": "Then the next release is on Tuesday.", "message_id": "b"},
]
RULE = "The checkout is deployed on Tuesdays only."
STATEMENTS = {
    "memory": {"content": RULE, "entities": ["checkout"]},
    "outdated": {"content": "Carla reviews the billing service."},
    "wrong": {"content": "The mascot of the team is a blue heron."},
}


@dataclass(slots=True)
class SeededServer:
    """A server whose home holds what the examples name."""

    server: HttpServer
    clients: dict[Access | None, httpx2.AsyncClient]
    """Clients with a token of each access, and one without."""
    ids: dict[str, str]
    export: bytes = b""

    @property
    def admin(self) -> httpx2.AsyncClient:
        """A client that may do everything."""
        return self.clients[Access.ADMIN]

    def example(self, route: RestRoute[Any]) -> dict[str, Any]:
        """Return a route's example as arguments of a request, with ids of this home."""
        text = json.dumps(dict(route.example))
        for name, stands_for in EXAMPLE_IDS.items():
            text = text.replace(stands_for, self.ids.get(name, stands_for))
        request = build_request(route, json.loads(text))
        if route.method != "GET" and not route.reads_json:
            request |= {"content": self.export, "headers": {"Content-Type": route.body_type}}
        return request

    async def fill(self) -> None:
        """Say, state, forget and run what the examples name, and note the ids."""
        post = self.admin.post
        said = {"session_id": self.ids["session"], "turns": TURNS}
        self.ids["turn"] = (await post("/memory/ingest", json=said)).json()["turn_ids"][0]
        pad = {"current_focus": "Release the checkout"}
        await self.admin.put(f"/memory/scratchpads/{self.ids['session']}", json=pad)
        for name, stated in STATEMENTS.items():
            self.ids[name] = (await post("/memory/nodes", json=stated)).json()["id"]
        tokens = {}
        for name in ("wrong", "outdated"):
            shown = await post("/memory/forget/preview", json={"ids": [self.ids[name]]})
            tokens[name] = shown.json()["token"]
        order = {"ids": [self.ids["wrong"]], "token": tokens["wrong"]}
        self.ids["report"] = (await post("/memory/forget", json=order)).json()["report"]["id"]
        self.ids["forget_token"] = tokens["outdated"]
        self.ids["endpoint"] = "https://127.0.0.1:9/nobody-listens"
        added = await post("/memory/webhooks", json={"url": self.ids["endpoint"]})
        self.ids["webhook"] = added.json()["webhook"]["id"]
        night = await post("/memory/consolidate", json={"steps": ["metrics"]})
        self.ids["night"] = night.json()["id"]
        self.export = (await self.admin.get("/memory/export")).content
        await self.wait_for_night(self.ids["night"])

    async def wait_for_night(self, run_id: str) -> None:
        """Wait until a run of nightly maintenance has ended."""
        while True:
            night = (await self.admin.get(f"/memory/nights/{run_id}")).json()["run"]
            if night["state"] != "running":
                return


def build_request(route: RestRoute[Any], arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call as those of `client.request`."""
    named = {name: str(arguments[name]) for name in route.path_names}
    rest = {name: one for name, one in arguments.items() if name not in named}
    request: dict[str, Any] = {"method": route.method, "url": route.open_path.format(**named)}
    return request | ({"json": rest} if route.reads_json else {"params": rest})


StartSeeded = Callable[[], AbstractAsyncContextManager[SeededServer]]


@pytest.fixture
def start_seeded(start_server: StartServer) -> StartSeeded:
    """Return a function that starts a server over a home with a conversation and memories."""

    @asynccontextmanager
    async def start() -> AsyncIterator[SeededServer]:
        given = {"http_calls_per_second": 0, "private_networks": "127.0.0.1"}
        async with start_server(**given) as server, AsyncExitStack() as opened:
            clients: dict[Access | None, httpx2.AsyncClient] = {}
            for access in (None, *Access):
                created = access and await server.create_token(TENANT, access)
                client = server.client(created.text if created else "")
                clients[access] = await opened.enter_async_context(client)
            seeded = SeededServer(server, clients, {"session": EXAMPLE_IDS["session"]})
            await seeded.fill()
            yield seeded

    return start
