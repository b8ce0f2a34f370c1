"""Every change has an event in its transaction, whoever makes it, and the outbox is bounded."""

import contextlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.databases import change_rows, open_home
from tests.empty_home import lay_empty_home
from tests.store.tenant_life import SAID, live

import memoria
from memoria import Settings
from memoria.app.nightly import run_nightly, undo_nightly
from memoria.app.upkeep import back_up, restore
from memoria.model import COMMAND_LINE, Channel, Trust, system_millis, use_clock
from memoria.model.events import BEGINNING, EventPosition, EventType, MemoryEvent
from memoria.store.engine import Store

FACT = "The spare key hangs behind the third shelf."
WEEK_MS = 7 * 86_400_000
AGENT = Channel(name="mcp", trust=Trust.REPORTED, client="some-agent")


IDS = {
    "memory": "SELECT m.id FROM memories m JOIN tenants t ON t.id = m.tenant_id WHERE t.name = ?",
    "turn": "SELECT u.id FROM turns u JOIN tenants t ON t.id = u.tenant_id WHERE t.name = ?",
    "entity": "SELECT e.id FROM entities e JOIN tenants t ON t.id = e.tenant_id WHERE t.name = ?",
}


def held(home: Path, sql: str, tenant: str) -> set[str]:
    with change_rows(home) as connection:
        return {one for (one,) in connection.tuples(sql, (tenant,))}


def told(store: Store, tenant: str) -> tuple[MemoryEvent, ...]:
    with store.read(tenant) as tx:
        return tx.outbox.read(BEGINNING, 100_000).events


def count(home: Path, sql: str, *given: object) -> int:
    with change_rows(home) as connection:
        return int(connection.tuples(sql, given)[0][0])


def test_what_is_rolled_back_has_no_event_and_what_is_committed_has_one(home: Path) -> None:
    with contextlib.closing(open_home(home)) as store:
        live(store, "ann", SAID)
        before = told(store, "ann")
        with store.read("ann") as tx:
            (first,) = tx.memories.list_unverified(1)

        def fail() -> None:
            with store.write("ann") as tx:
                tx.memories.erase(first.id)
                assert tx.outbox.newest().seq > before[-1].seq
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            fail()
        assert told(store, "ann") == before
        with store.write("ann") as tx:
            tx.memories.erase(first.id)
        after = told(store, "ann")[len(before) :]
        assert [(one.type, one.data) for one in after if one.data["kind"] == "memory"] == [
            (EventType.FORGOTTEN, {"kind": "memory", "id": first.id})
        ]


@settings(max_examples=3)
@given(said=st.lists(st.sampled_from(SAID), min_size=1, max_size=3, unique=True))
def test_whatever_changes_a_row_is_told_in_order_and_once(
    tmp_path_factory: pytest.TempPathFactory, said: list[str]
) -> None:
    home = tmp_path_factory.mktemp("home")
    lay_empty_home(home)
    with contextlib.closing(open_home(home)) as store:
        for tenant in ("ann", "ben"):
            live(store, tenant, said)
        for tenant in ("ann", "ben"):
            events = told(store, tenant)
            assert [one.seq for one in events] == [*range(1, len(events) + 1)]
            alive: dict[str, set[str]] = {"memory": set(), "turn": set(), "entity": set()}
            for one in events:
                if one.type is EventType.NODE_CREATED:
                    alive[one.data["kind"]].add(one.data["id"])
                elif one.type is EventType.FORGOTTEN:
                    alive[one.data["kind"]].remove(one.data["id"])
            assert {kind: held(home, sql, tenant) for kind, sql in IDS.items()} == alive
        edges = count(home, "SELECT count(*) FROM edges")
        made = sum("src" in one.data for name in ("ann", "ben") for one in told(store, name))
        assert made >= edges > 0


def test_a_week_is_kept_and_the_newest_always(home: Path) -> None:
    with contextlib.closing(open_home(home)) as store:
        live(store, "ann", SAID)
        with change_rows(home) as connection:
            connection.execute("UPDATE events SET at = at - ?", (WEEK_MS + 60_000,))
        aged = count(home, "SELECT count(*) FROM events")
        with store.read("ann") as tx:
            newest = tx.outbox.newest()
        for _ in range(64):
            with store.write("ann") as tx:
                first, *_ = tx.memories.list_unverified(1)
                tx.memories.set_flags(first.id, now=1, pinned=not first.pinned)
        assert aged == newest.seq  # as long as nothing happens
        assert count(home, "SELECT count(*) FROM events WHERE seq <= ?", newest.seq) == 0
        with store.read("ann") as tx:
            page = tx.outbox.read(newest, 100)
            assert page.events[0].seq == newest.seq + 1
            assert tx.outbox.read(BEGINNING, 100).events[0].type is EventType.EVENTS_LOST


async def test_nights_and_undos_are_told(home: Path) -> None:
    chosen = Settings(home=home, embedder="off")
    async with memoria.open(settings=chosen) as memory:
        await memory.remember(FACT)
        await memory.undo_change()
        run = run_nightly(chosen, ["metrics"], None, lambda *_: None)
        undo_nightly(chosen, run.id, lambda _: None)
        events = (await memory.events.read(BEGINNING, 100)).events
    types = [one.type for one in events]
    assert types[-2:] == [EventType.CONSOLIDATED, EventType.CONSOLIDATION_UNDONE]
    assert {one.data["id"] for one in events[-2:]} == {run.id}


async def test_a_conflict_and_a_promotion_are_told(home: Path) -> None:
    chosen = Settings(home=home, embedder="off")
    with use_clock(lambda: system_millis() - 5 * WEEK_MS):
        async with memoria.open(settings=chosen, channel=COMMAND_LINE) as memory:
            known = await memory.remember("The user lives in Leeds")
    async with memoria.open(settings=chosen, channel=AGENT) as memory:
        before = (await memory.events.read(BEGINNING, 100)).reached
        stated = await memory.remember("The user lives in York", supersedes=known.id)
        assert stated.status == "pending"
        conflict = await told_since(memory, before, EventType.CONFLICT_DETECTED)
        assert [{one["src"], one["dst"]} for one in conflict] == [{stated.id, known.id}]
        before = (await memory.events.read(BEGINNING, 100)).reached
        run_nightly(chosen, ["promote"], None, lambda *_: None)
        promoted = await told_since(memory, before, EventType.WEIGHT_UPDATED)
        assert promoted == [{"kind": "memory", "id": known.id}]


async def told_since(
    memory: memoria.Memoria, at: EventPosition, kind: EventType
) -> list[dict[str, str]]:
    events = (await memory.events.read(at, 100)).events
    return [one.data for one in events if one.type is kind]


@pytest.mark.sqlite("looks into the file")
async def test_a_backup_has_no_webhook_and_a_restore_keeps_those_of_the_home(
    home: Path, tmp_path: Path
) -> None:
    chosen = Settings(home=home, embedder="off")
    async with memoria.open(settings=chosen) as memory:
        await memory.remember(FACT)
        first = await memory.webhooks.add("https://a.example/events")
    backup = tmp_path / "one.backup"
    back_up(chosen, backup, lambda *_: None)
    secret = first.secret.removeprefix("whsec_").encode()
    assert secret in (home / "memoria.db").read_bytes() + _log(home)
    async with memoria.open(settings=chosen) as memory:
        await memory.webhooks.remove(first.webhook.id)
        second = await memory.webhooks.add("https://b.example/events")
        await memory.remember("Another key hangs there.")
    restore(chosen, backup, lambda *_: None)
    async with memoria.open(settings=chosen) as memory:
        (kept,) = await memory.webhooks.list()
        assert kept.id == second.webhook.id
        (lost,) = (await memory.events.read(kept.sent._replace(seq=kept.sent.seq + 1), 9)).events
        assert lost.type is EventType.EVENTS_LOST
    elsewhere = Settings(home=tmp_path / "elsewhere", embedder="off")
    restore(elsewhere, backup, lambda *_: None)
    assert secret not in (elsewhere.home_path / "memoria.db").read_bytes()
    async with memoria.open(settings=elsewhere) as memory:
        assert await memory.webhooks.list() == ()


def _log(home: Path) -> bytes:
    log = home / "memoria.db-wal"
    return log.read_bytes() if log.exists() else b""
