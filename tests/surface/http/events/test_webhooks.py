"""Events arrive at webhooks signed, each at least once and in order, and hold nobody up."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import anyio
import httpx2
import pytest
from anyio.abc import TaskGroup
from tests.surface.http.conftest import HttpServer, StartServer
from tests.surface.http.events.conftest import (
    HERE,
    PATIENCE_S,
    Receiver,
    client_of,
    kinds,
    open_user,
    receiving,
)

from memoria.app.delivery import Delivery, find_places
from memoria.app.engine import open_store
from memoria.app.outward import open_client
from memoria.app.webhooks import MOST_WEBHOOKS
from memoria.config import Settings
from memoria.model import system_millis
from memoria.model.access import Access
from memoria.store.rows.outbox import DueWebhook

FACT = "The spare key hangs behind the third shelf."


async def add(client: httpx2.AsyncClient, receiver: Receiver, path: str = "/events") -> str:
    """Add a webhook; return its id. The receiver gets the secret."""
    answer = await client.post("/memory/webhooks", json={"url": f"{receiver.url}{path}"})
    assert answer.status_code == 201, answer.text
    receiver.secret = answer.json()["secret"]
    webhook_id: str = answer.json()["webhook"]["id"]
    return webhook_id


def numbers(receiver: Receiver) -> list[int]:
    """Number of each event that came."""
    return [int(one["id"].split("-")[0]) for one in receiver.events]


@pytest.mark.anyio
async def test_what_changes_arrives_signed_and_in_order(start_server: StartServer) -> None:
    async with (
        receiving() as receiver,
        start_server(private_networks=HERE) as server,
        client_of(server) as client,
    ):
        user = open_user(server)
        await user.remember("This was before.")
        before = await user.events.newest()
        webhook_id = await add(client, receiver)
        turns = [{"role": "user", "content": f"Jar {n} is full."} for n in range(230)]
        await user.record_conversation(turns, session_id="s")
        await user.remember(FACT)
        newest = await user.events.newest()
        await receiver.until(lambda: len(receiver.events) >= newest.seq - before.seq)
        assert numbers(receiver) == [*range(before.seq + 1, newest.seq + 1)]
        assert all(one.is_signed and one.type == "memory.events" for one in receiver.taken)
        assert max(len(one.events) for one in receiver.taken) == 100
        assert not {"Jar", "key", "shelf"} & set(str(receiver.events).split())
        with anyio.fail_after(PATIENCE_S):  # until it is written that all has arrived
            while (await user.webhooks.list())[0].sent != newest:
                await anyio.sleep(0.01)
        (shown,) = (await client.get("/memory/webhooks")).json()["webhooks"]
        assert (shown["id"], shown["last_event"]) == (webhook_id, str(newest))
        assert "secret" not in shown
        await client.post(f"/memory/webhooks/{webhook_id}/remove")
        assert (await client.get("/memory/webhooks")).json()["webhooks"] == []


@pytest.mark.anyio
async def test_webhooks_need_admin_and_are_so_many_at_most(start_server: StartServer) -> None:
    async with (
        receiving() as receiver,
        start_server(private_networks=HERE) as server,
        client_of(server) as admin,
        client_of(server, access=Access.FORGET) as other,
        client_of(server, "ben") as ben,
    ):
        url = {"url": f"{receiver.url}/events"}
        assert (await other.post("/memory/webhooks", json=url)).status_code == 403
        assert (await other.get("/memory/webhooks")).status_code == 403
        webhook_id = await add(admin, receiver)
        for path in (f"{webhook_id}/test", f"{webhook_id}/remove"):
            assert (await other.post(f"/memory/webhooks/{path}")).status_code == 403
            assert (await ben.post(f"/memory/webhooks/{path}")).status_code == 404
        for _ in range(MOST_WEBHOOKS - 1):
            await add(admin, receiver)
        refused = await admin.post("/memory/webhooks", json=url)
        assert (refused.status_code, "the most" in refused.text) == (409, True)
        log = (await admin.get("/memory/audit")).json()["actions"]
        assert {one["detail"] for one in log if one["action"] == "add webhook"} == {HERE}


@pytest.mark.anyio
async def test_a_webhook_that_never_answers_holds_up_nobody(start_server: StartServer) -> None:
    with anyio.fail_after(9):  # an attempt has ten seconds
        async with (
            receiving() as silent,
            receiving() as receiver,
            start_server(private_networks=HERE) as server,
            client_of(server) as client,
        ):
            await add(client, silent, "/silent")
            await add(client, receiver)
            await open_user(server).remember(FACT)
            await silent.until(lambda: bool(silent.asked))
            await receiver.until(lambda: bool(receiver.events))
            came = len(receiver.events)
            await open_user(server).remember("The other key hangs there, too.")
            await receiver.until(lambda: len(receiver.events) > came)
        # The server has stopped, in spite of the attempt that is under way.


@pytest.mark.anyio
async def test_a_message_on_trial_says_what_came_of_it(start_server: StartServer) -> None:
    async with (
        receiving() as receiver,
        start_server(private_networks=HERE) as server,
        client_of(server) as client,
    ):
        webhook_id = await add(client, receiver)
        tried = await client.post(f"/memory/webhooks/{webhook_id}/test")
        assert tried.json()["arrived"] is True
        assert [(one.type, one.events, one.is_signed) for one in receiver.taken] == [
            ("memory.test", [], True)
        ]
        receiver.status = 307
        receiver.headers["location"] = f"{receiver.url}/silent"
        tried = await client.post(f"/memory/webhooks/{webhook_id}/test")
        assert tried.json()["fault"] == "it answers with status 307; redirects are not followed"
        assert receiver.asked == [receiver.url.removeprefix("http://")] * 2


@asynccontextmanager
async def delivering(server: HttpServer) -> AsyncIterator[Delivery]:
    """Yield what delivers as another process would: with an owner's name of its own."""
    async with await open_client(server.home.settings.private_networks or ()) as client:
        yield Delivery(find_places(server.home), client)


@asynccontextmanager
async def quiet_server(
    start_server: StartServer, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[HttpServer]:
    """Run a server that delivers nothing by itself."""

    async def deliver_nothing(_home: object) -> None:
        return

    monkeypatch.setattr("memoria.surface.http.app.deliver_events", deliver_nothing)
    async with start_server(private_networks=HERE) as server:
        yield server


@pytest.mark.anyio
async def test_who_ends_after_sending_sends_the_same_again(
    start_server: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with (
        receiving() as receiver,
        quiet_server(start_server, monkeypatch) as server,
        client_of(server) as client,
    ):
        due = DueWebhook("ann", await add(client, receiver))
        user = open_user(server)
        await user.remember(FACT)
        for _ in range(2):  # killed when the message has come and the answer has not
            async with delivering(server) as first, anyio.create_task_group() as tasks:
                receiver.on_message = tasks.cancel_scope.cancel
                await first.deliver(server.home.store, due)
            with server.home.store.write("ann") as tx:  # as when the lease has run out
                owner = tx.leases.owner("webhooks", system_millis())
                assert owner is not None
                tx.leases.release("webhooks", owner)
        receiver.on_message = lambda: None
        async with delivering(server) as second:
            await second.deliver(server.home.store, due)
            await second.deliver(server.home.store, due)
        newest = await user.events.newest()
        assert [one.id for one in receiver.taken] == [receiver.taken[0].id] * 3
        assert numbers(receiver) == [*range(1, newest.seq + 1)] * 3
        (shown,) = await user.webhooks.list()
        assert (shown.sent, shown.attempts) == (newest, 0)


@pytest.mark.anyio
async def test_two_processes_send_nothing_twice(
    start_server: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with (
        receiving() as receiver,
        quiet_server(start_server, monkeypatch) as server,
        client_of(server) as client,
        delivering(server) as first,
        delivering(server) as second,
    ):
        due = DueWebhook("ann", await add(client, receiver))
        for number in range(5):
            await open_user(server).remember(f"Shelf {number} holds {number + 1} jars.")
            async with anyio.create_task_group() as tasks:
                for one in (first, second):
                    tasks.start_soon(one.deliver, server.home.store, due)
        newest = await open_user(server).events.newest()
        assert numbers(receiver) == [*range(1, newest.seq + 1)]


@pytest.mark.anyio
async def test_what_fails_is_tried_again_later_also_by_another_process(
    start_server: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with (
        receiving() as receiver,
        quiet_server(start_server, monkeypatch) as server,
        client_of(server) as client,
    ):
        store, user = server.home.store, open_user(server)
        due = DueWebhook("ann", await add(client, receiver))
        assert store.list_due_webhooks(system_millis()) == []
        await user.remember(FACT)
        receiver.status = 500
        async with delivering(server) as delivery:
            for attempt in (1, 2):
                assert store.list_due_webhooks(system_millis() + attempt * 60_000) == [due]
                await delivery.deliver(store, due)
                (shown,) = await user.webhooks.list()
                assert shown.attempts == attempt
                assert shown.last_error == "it answers with status 500"
                assert shown.not_before > system_millis()
                assert store.list_due_webhooks(system_millis()) == []
            receiver.status = 200
            await delivery.deliver(store, due)
        assert (await user.webhooks.list())[0].last_error is None
        assert receiver.taken[0].id == receiver.taken[-1].id
        assert kinds(receiver.taken[-1].events)[0] == ("NodeCreated", "memory")


@pytest.mark.anyio
async def test_who_was_away_for_too_long_is_told_that_events_are_lost(
    start_server: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with (
        receiving() as receiver,
        quiet_server(start_server, monkeypatch) as server,
        client_of(server) as client,
        delivering(server) as delivery,
    ):
        store, user = server.home.store, open_user(server)
        await user.remember(FACT)
        due = DueWebhook("ann", await add(client, receiver))
        with store.write("ann") as tx:
            (kept,) = tx.webhooks.all()
            elsewhere = kept.webhook.sent._replace(seq=kept.webhook.sent.seq + 7)
            moved = kept.webhook.model_copy(update={"sent": elsewhere})
            tx.webhooks.replace([kept._replace(webhook=moved)])
        assert store.list_due_webhooks(system_millis()) == [due]
        await delivery.deliver(store, due)
        newest = await user.events.newest()
        assert [(one["type"], one["id"]) for one in receiver.events] == [
            ("Memory.EventsLost", str(newest))
        ]
        assert store.list_due_webhooks(system_millis()) == []


@pytest.mark.anyio
async def test_events_of_private_projects_are_not_sent(
    start_server: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with (
        receiving() as receiver,
        quiet_server(start_server, monkeypatch) as server,
        client_of(server) as client,
    ):
        due = DueWebhook("ann", await add(client, receiver))
        user = open_user(server)
        said = [{"role": "user", "content": FACT}]
        await user.record_conversation(said, session_id="d", workspace="/srv/diary")
        settings = Settings.from_values(
            home=server.home.settings.home_path, private_workspaces="/srv/diary"
        )
        store = open_store(settings)
        home = replace(server.home, store=store, settings=settings)
        async with await open_client(server.home.settings.private_networks or ()) as sends:
            await Delivery(find_places(home), sends).deliver(store, due)
        store.close()
        assert receiver.taken == []
        assert (await user.webhooks.list())[0].sent == await user.events.newest()


@pytest.mark.anyio
async def test_a_server_that_stops_gives_its_leases_back(
    start_server: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with (
        receiving() as receiver,
        quiet_server(start_server, monkeypatch) as server,
        client_of(server) as client,
    ):
        await add(client, receiver)
        await open_user(server).remember(FACT)
        tasks: TaskGroup
        async with delivering(server) as delivery, anyio.create_task_group() as tasks:
            tasks.start_soon(delivery.run)
            await receiver.until(lambda: bool(receiver.events))
            tasks.cancel_scope.cancel()
        with server.home.store.read("ann") as tx:
            assert tx.leases.owner("webhooks", system_millis()) is None
