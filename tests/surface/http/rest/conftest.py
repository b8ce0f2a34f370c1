"""A home with something in it, and the examples of the table as calls upon it."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest
from tests.surface.http.conftest import HttpServer, StartServer

from memoria.model.access import Access
from memoria.surface.http.rest.table import EXAMPLE_IDS, RestRoute

TENANT = "ann"
TURNS = [
    {"role": "user", "content": "We deploy the checkout on Tuesdays only.", "message_id": "a"},
    {"role": "assistant", "content": "Then the next release is on Tuesday.", "message_id": "b"},
]
RULE = "The checkout is deployed on Tuesdays only."
STATEMENTS = {
    "memory": {"content": RULE, "entities": ["checkout"]},
    "outdated": {"content": "Carla reviews the billing service."},
    "wrong": {"content": "The mascot of the team is a blue heron."},
}


@dataclass(frozen=True, slots=True)
class SeededServer:
    """A server whose home holds what the examples name."""

    server: HttpServer
    tokens: dict[Access, str]
    ids: dict[str, str]
    export: bytes

    def client(self, access: Access = Access.ADMIN) -> httpx2.AsyncClient:
        """Return a client with a token of an access."""
        return self.server.client(self.tokens[access])

    def example(self, route: RestRoute[Any]) -> dict[str, Any]:
        """Return a route's example as arguments of a request, with ids of this home."""
        text = json.dumps(dict(route.example))
        for name, stands_for in EXAMPLE_IDS.items():
            text = text.replace(stands_for, self.ids.get(name, stands_for))
        request = build_request(route, json.loads(text))
        if route.method != "GET" and not route.reads_json:
            request |= {"content": self.export, "headers": {"Content-Type": route.body_type}}
        return request

    async def wait_for_night(self, run_id: str) -> None:
        """Wait until a run of nightly maintenance has ended."""
        async with self.client() as client:
            while True:
                night = (await client.get(f"/memory/nights/{run_id}")).json()["run"]
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
        async with start_server() as server:
            tokens = {one: (await server.create_token(TENANT, one)).text for one in Access}
            ids = {"session": EXAMPLE_IDS["session"]}
            async with server.client(tokens[Access.ADMIN]) as client:
                turns = {"session_id": ids["session"], "turns": TURNS}
                receipt = (await client.post("/memory/ingest", json=turns)).json()
                ids["turn"] = receipt["turn_ids"][0]
                pad = {"current_focus": "Release the checkout"}
                await client.put(f"/memory/scratchpads/{ids['session']}", json=pad)
                for name, said in STATEMENTS.items():
                    stated = await client.post("/memory/nodes", json=said)
                    ids[name] = stated.json()["id"]
                shown = await client.post("/memory/forget/preview", json={"ids": [ids["wrong"]]})
                order = {"ids": [ids["wrong"]], "token": shown.json()["token"]}
                done = await client.post("/memory/forget", json=order)
                ids["report"] = done.json()["report"]["id"]
                shown = await client.post("/memory/forget/preview", json={"ids": [ids["outdated"]]})
                ids["forget_token"] = shown.json()["token"]
                night = await client.post("/memory/consolidate", json={"steps": ["metrics"]})
                ids["night"] = night.json()["id"]
                export = (await client.get("/memory/export")).content
            seeded = SeededServer(server, tokens, ids, export)
            await seeded.wait_for_night(ids["night"])
            yield seeded

    return start
