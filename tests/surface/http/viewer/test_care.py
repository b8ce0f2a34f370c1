"""Reading and cost, health, tokens and the log in the viewer."""

import re

import pytest
from tests.surface.http.conftest import StartServer
from tests.surface.http.viewer.test_forgetting import say
from tests.surface.http.viewer.test_nights import open_memory
from tests.surface.http.viewer.visitor import ShownPage, Visitor

from memoria.model import DAY_MS, QueueKind, new_id, now_millis
from memoria.model.access import TEXT_BEGINS, Access, TokenText
from memoria.model.status import ModelCall
from memoria.store.values import NewQueueEntry

pytestmark = pytest.mark.anyio
NO_JSON = "the answer was <b>no JSON</b>"
_OWN_VISIT = re.compile(r"</code> visit of the viewer.{0,200}?this visit", re.DOTALL)


async def test_the_queue_says_why_a_segment_was_given_up_and_has_it_read_again_or_dropped(
    start_server: StartServer,
) -> None:
    async with start_server() as server, Visitor.enter(server) as visitor:
        empty = await visitor.open("/reading")
        memory = open_memory(server)
        await say(memory, "We sail on Sunday.", "a/b c")
        store, entry_id = server.home.store, new_id()
        with store.write("ann") as tx:
            tx.queue.add(NewQueueEntry(entry_id, QueueKind.EXTRACT, 1, 0, 0, 9, "session_end", 1))
        with store.work_queue(write=True) as queue:
            work = queue.lease_next("w", now_millis(), 1000)
            assert work is not None
            queue.mark_dead(work, "w", NO_JSON)
        dead = await visitor.open("/reading", state="dead")
        retried = await visitor.send("/reading/retry", entry_id=entry_id)
        dropped = await visitor.send("/reading/drop", entry_id=entry_id)
        status = await memory.queue.status()
        nobodys = await visitor.send("/reading/drop", entry_id=new_id())
    assert "Nothing waits to be read." in empty.text
    assert "No chat model reads." in empty.text
    assert NO_JSON in dead.text
    assert "the session has ended" in dead.text
    assert "<b>no JSON" not in dead.html
    assert 'href="/ui/sessions/a%2Fb%20c"' in dead.html
    assert "To be read again: 1." in retried.text
    assert "Dropped: 1" in dropped.text
    assert (status.waiting, status.dropped) == (0, 1)
    assert "unread: 0." in nobodys.text


async def test_tokens_are_told_by_day_and_money_only_where_prices_are_set(
    start_server: StartServer,
) -> None:
    prices = {"llm_input_price": 1.0, "llm_output_price": 2.0}
    pages: list[ShownPage] = []
    for given in ({}, prices):
        async with start_server(**given) as server, Visitor.enter(server) as visitor:
            if not pages:
                with server.home.store.write("ann") as tx:
                    for days in (0, 1, 40):
                        call = ModelCall(
                            at=now_millis() - days * DAY_MS,
                            purpose="extract",
                            prompt="extract/1",
                            model="reader-7b",
                            input_tokens=1_000_000 + days,
                            output_tokens=500_000,
                            outcome="ok",
                        )
                        tx.ledger.add(call)
            pages.append(await visitor.open("/reading"))
    free, priced = pages
    assert free.text.count("reader-7b") == 2
    assert "1,500,001" in free.text
    assert "1,500,040" not in free.text
    assert "No prices are set" in free.text
    assert "Money" not in free.text.partition("last 30 days")[2]
    assert "2.00" in priced.text
    assert "No prices are set" not in priced.text


async def test_health_tells_of_the_machine_only_to_a_tenant_alone_on_the_server(
    start_server: StartServer, engine: str
) -> None:
    of_the_store = {"sqlite": "integrity", "postgres": "durability"}[engine]
    async with start_server() as server, Visitor.enter(server) as ann:
        await open_memory(server).remember("Ann likes tea.")
        quick, alone = [await ann.open("/health", **how) for how in ({}, {"closely": "true"})]
        await open_memory(server, "ben").remember("Ben likes rum.")
        among = await ann.open("/health", closely="true")
        chinese = await ann.http.get("/ui/health", headers={"accept-language": "zh"})
    assert "GB free" in quick.text
    assert of_the_store not in quick.text
    for word in ("GB free", "Python", of_the_store, "Size of the database"):
        assert word in alone.text
        assert word not in among.text
    assert str(server.home.settings.home_path) in alone.html
    assert str(server.home.settings.home_path) not in among.html
    assert "core files well" in among.text
    assert "Memories: active 1" in among.text
    assert "健康" in chinese.text
    assert "有多个租户" in chinese.text


async def test_a_token_is_shown_once_with_what_to_paste_and_ended(
    start_server: StartServer,
) -> None:
    async with (
        start_server() as server,
        Visitor.enter(server) as visitor,
        Visitor.enter(server, access=Access.FORGET) as guest,
    ):
        made = await visitor.send("/tokens/create", access="read", label="<laptop>", expires="30d")
        found = re.search(rf"<pre>({TEXT_BEGINS}[^<]+)</pre>", made.html)
        assert found is not None
        text = TokenText.parse(found[1])
        assert text is not None
        async with server.client(found[1]) as http:
            opens = (await http.get("/memory/status")).status_code
        listed = await visitor.open("/tokens")
        own = re.search(
            r"…([0-9a-f]{8})</code> visit of the viewer.{0,200}?this visit", listed.html, re.DOTALL
        )
        ended = await visitor.send("/tokens/revoke", token_id=text.id)
        refused = [
            await visitor.send("/tokens/create", access="read", expires="yesterday"),
            await visitor.send("/tokens/create", access="root"),
            await guest.open("/tokens"),
            await guest.send("/tokens/create", access="admin"),
            await guest.send("/tokens/revoke", token_id=text.id),
        ]
        held = await open_memory(server).tokens.list()
    assert opens == 200
    assert "shown this once" in made.text
    assert f"--url {server.url}" in made.text
    assert f"Bearer {found[1]}" in made.text
    assert found[1] not in listed.html
    assert "<laptop>" in listed.text
    assert own is not None
    assert "The token <laptop> opens nothing any more." in ended.text
    assert [one.status for one in refused] == [422, 422, 403, 403, 403]
    assert [one.revoked_at is not None for one in held if one.id == text.id] == [True]
    assert len(held) == 3


async def test_the_log_says_who_did_what_without_a_word_of_it_and_goes_by_cursor(
    start_server: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoria.surface.http.viewer.health._ON_PAGE", 3)
    async with (
        start_server() as server,
        Visitor.enter(server) as visitor,
        Visitor.enter(server, access=Access.FORGET) as guest,
    ):
        memory = open_memory(server)
        for i in range(3):
            await memory.remember(f"Ann has boat {i}.")
        await visitor.send("/tokens/create", access="read")
        lines, path = [], "/log"
        while path:
            page = await visitor.open(path)
            lines += re.findall(r'<p class="text">([^<]+)</p>', page.html)
            more = re.search(r'<a href="/ui([^"]+)" rel="next">', page.html)
            path = more[1] if more else ""
            assert "boat" not in page.text
        refused = await guest.open("/log")
    assert lines == [
        "created a token: read",
        *["remembered"] * 3,
        *["opened the viewer", "created a token: viewer, forget"],
        *["opened the viewer", "created a token: viewer, admin"],
    ]
    assert refused.status == 403
