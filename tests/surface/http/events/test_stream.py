"""Whoever listens hears what changes in its own tenant's memory, as it changes, by ids alone."""

from contextlib import AsyncExitStack
from functools import partial

import anyio
import pytest
from tests.surface.http.conftest import StartServer
from tests.surface.http.events.conftest import Listener, client_of, kinds, listening, open_user

from memoria.app.events import MOST_LISTENERS
from memoria.model.access import Access
from memoria.model.events import EventPage, EventPosition
from memoria.store.rows.outbox import EventOutbox

SAID = [{"role": "user", "content": "The vault of the bees opens on Tuesdays."}]
FACT = "The spare key hangs behind the third shelf."


@pytest.mark.anyio
async def test_a_listener_hears_what_changes_and_no_word_of_it(start_server: StartServer) -> None:
    async with start_server() as server, client_of(server) as client:
        async with listening(client) as listener:
            said = (
                await client.post("/memory/ingest", json={"session_id": "s", "turns": SAID})
            ).json()
            kept = (await client.post("/memory/nodes", json={"content": FACT})).json()
            user = open_user(server)
            for action in ("pin", "upvote", "archive"):
                await user.revise_memory(kept["id"], action)
            await user.forget_memory([kept["id"]])
            await listener.until(lambda: ("Forgotten", "memory") in kinds(listener.events))
        heard = listener.events
        assert [
            (one["type"], one["data"]["id"])
            for one in heard
            if one["data"]["kind"] in ("memory", "turn")
        ] == [
            ("Memory.NodeCreated", said["turn_ids"][0]),
            ("Memory.NodeCreated", kept["id"]),
            ("Memory.MemoryUpdated", kept["id"]),
            ("Memory.WeightUpdated", kept["id"]),
            ("Memory.Archived", kept["id"]),
            ("Memory.Forgotten", kept["id"]),
        ]
        assert not {"vault", "bees", "key", "shelf"} & set(str(heard).lower().split())


@pytest.mark.anyio
async def test_another_tenants_listener_hears_nothing(start_server: StartServer) -> None:
    async with start_server() as server, client_of(server) as ann, client_of(server, "ben") as ben:
        async with listening(ann) as hers, listening(ben) as his:
            await ann.post("/memory/nodes", json={"content": FACT})
            await hers.until(lambda: bool(hers.events))
            await ben.post("/memory/nodes", json={"content": "Ben keeps goats."})
            await his.until(lambda: bool(his.events))
        ids = {one["data"].get("id") for one in hers.events}
        assert not ids & {one["data"].get("id") for one in his.events}
        assert his.events[0]["id"].startswith("1-"), "how much another has written is not told"


@pytest.mark.anyio
async def test_who_comes_back_hears_what_came_meanwhile_once_and_in_order(
    start_server: StartServer,
) -> None:
    async with start_server() as server, client_of(server) as client:
        user = open_user(server)
        async with listening(client) as first:
            await user.remember(FACT)
            await first.until(lambda: bool(first.events))
        turns = [{"role": "user", "content": f"Shelf {n} holds {n} jars."} for n in range(150)]
        await user.record_conversation(turns, session_id="s")  # more than are read at once
        async with listening(client, first.last_id) as second:
            await second.until(lambda: len(second.events) >= 150)
            numbers = [int(one["id"].split("-")[0]) for one in second.events]
        heard = [int(one["id"].split("-")[0]) for one in first.events]
        assert numbers == [*range(heard[-1] + 1, numbers[-1] + 1)]


@pytest.mark.anyio
async def test_who_comes_too_late_is_told_that_events_are_lost(start_server: StartServer) -> None:
    async with start_server() as server, client_of(server) as client:
        await open_user(server).remember(FACT)
        newest = await open_user(server).events.newest()
        for gone in (f"{newest.seq}-{newest.at - 1}", f"{newest.seq + 9}-{newest.at}"):
            answer = await client.get(f"/memory/events?follow=false&after={gone}")
            assert "event: Memory.EventsLost" in answer.text, gone
            assert f"id: {newest}\r\n" in answer.text
            assert "NodeCreated" not in answer.text
        answer = await client.get("/memory/events?follow=false&after=0-0")
        assert "event: Memory.NodeCreated" in answer.text
        assert "EventsLost" not in answer.text
        answer = await client.get("/memory/events", headers={"Last-Event-ID": "yesterday"})
        assert (answer.status_code, "no id of an event" in answer.text) == (422, True)


@pytest.mark.anyio
async def test_a_stream_ends_with_its_token_and_tells_nothing_more(
    start_server: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoria.surface.http.events._CHECKED_S", 0.2)
    async with start_server() as server:
        token = await server.create_token("ann", Access.READ)
        user = open_user(server)
        async with server.client(token.text) as client, listening(client) as listener:
            await user.remember(FACT)
            await listener.until(lambda: bool(listener.events))
            heard = len(listener.events)
            await user.tokens.revoke(token.token.id)
            await listener.until(lambda: listener.has_ended)
            await user.remember("Nobody hears of it.")
        assert len(listener.events) == heard


@pytest.mark.anyio
async def test_listeners_hold_no_turn_of_calls_and_are_so_many_at_most(
    start_server: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoria.app.events.MOST_LISTENERS", 12)
    assert MOST_LISTENERS == 64
    async with start_server() as server, client_of(server) as client, AsyncExitStack() as stack:
        heard = [
            await stack.enter_async_context(listening(client)) for _ in range(12)
        ]  # more than a tenant's calls at work
        assert (await client.post("/memory/search", json={"query": "key"})).status_code == 200
        refused = await client.get("/memory/events")
        assert (refused.status_code, "End other" in refused.text) == (429, True)
        await client.post("/memory/nodes", json={"content": FACT})
        for one in heard:
            await one.until(partial(bool, one.events))


@pytest.mark.anyio
async def test_there_is_one_look_however_many_listen(
    start_server: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = list[str]()
    newest, read = EventOutbox.newest, EventOutbox.read

    def look(self: EventOutbox) -> EventPosition:
        looks.append("look")
        return newest(self)

    def read_page(self: EventOutbox, after: EventPosition, limit: int) -> EventPage:
        looks.append("read")
        return read(self, after, limit)

    monkeypatch.setattr(EventOutbox, "newest", look)
    monkeypatch.setattr(EventOutbox, "read", read_page)
    async with (
        start_server() as server,
        client_of(server) as client,
        listening(client),
        listening(client),
        listening(client),
    ):
        with anyio.fail_after(60):
            while looks.count("read") < 3:
                await anyio.sleep(0.01)
            before = len(looks)
            while len(looks) < before + 3:
                await anyio.sleep(0.01)
        assert looks[before:] == ["look"] * (len(looks) - before)


@pytest.mark.anyio
async def test_a_head_is_answered_and_ends(start_server: StartServer) -> None:
    async with start_server() as server, client_of(server) as client:
        answer = await client.head("/memory/events")
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert answer.headers["cache-control"] == "no-store"


@pytest.mark.anyio
async def test_events_of_a_private_project_are_not_told(start_server: StartServer) -> None:
    async with start_server(private_workspaces="/srv/diary") as server, client_of(server) as client:
        user = open_user(server)
        async with listening(client) as listener:
            await user.record_conversation(SAID, session_id="d", workspace="/srv/diary")
            await user.remember(FACT, workspace="/srv/diary")
            await user.record_conversation(SAID, session_id="o", workspace="/srv/open")
            await listener.until(lambda: ("NodeCreated", "turn") in kinds(listener.events))
        told = [one["data"]["id"] for one in listener.events if one["data"]["kind"] == "turn"]
        assert [(await user.get_turn(one)).turn.session_id for one in told] == ["o"]
        assert ("NodeCreated", "memory") not in kinds(listener.events)


@pytest.mark.anyio
async def test_a_stream_ends_properly_when_the_server_stops(start_server: StartServer) -> None:
    listener = Listener()
    async with anyio.create_task_group() as tasks:
        async with start_server() as server:
            token = await server.create_token("ann", Access.READ)

            async def listen() -> None:
                async with (
                    server.client(token.text) as client,
                    client.stream("GET", "/memory/events") as answer,
                ):
                    await listener.read(answer)  # raises where it is cut off

            tasks.start_soon(listen)
            await listener.until(lambda: bool(listener.last_id))
        await listener.until(lambda: listener.has_ended)
