"""Review: what waits for the user's word is listed with its source, and settled one by one."""

import re

import pytest
from tests.app.test_review import AGENT, hold_back, mark
from tests.surface.http.conftest import HttpServer, StartServer
from tests.surface.http.viewer.visitor import ShownPage, Visitor

from memoria import Memoria
from memoria.model import COMMAND_LINE, Validity
from memoria.model.access import Access
from memoria.model.turn import Turn

pytestmark = pytest.mark.anyio
_ITEM = re.compile(r'<li id="(item-[^"]+)"')


def open_memory(server: HttpServer, tenant: str = "ann") -> Memoria:
    return Memoria(server.home.for_tenant(tenant), COMMAND_LINE)


def list_items(page: ShownPage) -> list[str]:
    return _ITEM.findall(page.html)


async def state_pair(m: Memoria, *places: str) -> list[str]:
    """State two memories that contradict each other, each in a project; return their ids."""
    ids = [
        (await m.remember(f"The gate opens at {hour}", workspace=place, scope="everywhere")).id
        for hour, place in zip(("nine", "ten"), places, strict=True)
    ]
    await mark(m, ids[1], ids[0])
    return ids


async def test_what_waits_is_settled_item_by_item_and_the_next_is_ready(
    start_server: StartServer,
) -> None:
    async with start_server() as server, Visitor.enter(server) as visitor:
        m = open_memory(server)
        empty = await visitor.open("/review")
        ids = await hold_back(m, "It rains", "It snows", "It hails")
        page = await visitor.open("/review")
        items = list_items(page)
        first, second, third = (item.removeprefix("item-") for item in items)
        settled = await visitor.send(
            "/review/settle", memory_id=first, action="confirm", next=second
        )
        known = await m.get_memory(first)
        undone = await visitor.send(
            "/changes/undo", change_id=settled.answer.url.params["undo"], back="/ui/review"
        )
        await visitor.send("/review/settle", memory_id=second, action="archive")
        await visitor.send(
            "/review/settle", memory_id=third, action="correct", content="It rains on Mondays"
        )
        rejected, corrected = await m.get_memory(second), await m.get_memory(third)
        left = await visitor.open("/review")
    assert "Nothing waits for your word" in empty.text
    assert [first, second, third] == ids[::-1]
    assert "To confirm (3)" in page.text
    assert "It contradicts: Not so: It hails" in page.text
    assert settled.answer.url.fragment == f"item-{second}"
    assert list_items(settled) == items[1:]
    assert "Confirmed: it counts as your own word." in settled.text
    assert (known.validity, known.verified) == (Validity.ACTIVE, True)
    assert list_items(undone) == items
    assert rejected.validity is Validity.ARCHIVED
    assert (corrected.content, corrected.verified) == ("It rains on Mondays", True)
    assert list_items(left) == items[:1]


async def test_contradictions_stand_side_by_side_and_are_settled_each_way(
    start_server: StartServer,
) -> None:
    async with start_server() as server, Visitor.enter(server) as visitor:
        m = open_memory(server)
        one, other = await state_pair(m, "/src/shop", "/src/blog")
        page = await visitor.open("/review")
        both = await visitor.send("/review/both", memory_id=one, other_id=other)
        pair = both.answer.url.params["both"].split(":")
        again = await visitor.send("/review/contradict", memory_id=pair[0], other_id=pair[1])
        apart = await visitor.send("/review/separate", memory_id=one, other_id=other)
        places = [(await m.get_memory(each)).project for each in (one, other)]
        for each in (one, other):
            await m.revise_memory(each, "everywhere")
        kept = await visitor.send("/review/keep", memory_id=one)
        gone = await m.get_memory(other)
    assert page.text.count("Keep this one") == 2
    assert page.html.count('class="columns"') == 1
    assert list_items(both) == []
    assert "Take it back" in both.text
    assert len(list_items(again)) == 1
    assert (list_items(apart), places) == ([], ["/src/shop", "/src/blog"])
    assert list_items(kept) == []
    assert gone.validity is Validity.SUPERSEDED


async def test_words_and_namesakes_are_settled_too(start_server: StartServer) -> None:
    async with start_server() as server, Visitor.enter(server) as visitor:
        m = open_memory(server)
        wishes = ("From now on use pnpm here.", "From now on, answer me in French.")
        await m.record_conversation(
            [Turn(role="user", content=one) for one in wishes], session_id="s", workspace="shop"
        )
        await m.remember("Alex Quill paints", entities=[{"name": "Alex Quill", "kind": "person"}])
        await m.remember("Alex Quill sells ink", entities=[{"name": "Alex Quill", "kind": "other"}])
        page = await visitor.open("/review")
        french, pnpm, *names = (item.removeprefix("item-") for item in list_items(page))
        aside = await visitor.send("/review/aside", turn_id=french)
        again = await visitor.send("/review/again", turn_id=french)
        await visitor.send("/review/keep-quote", turn_id=pnpm)
        kept = await m.list_memories(workspace="shop")
    assert "Words of yours (2)" in page.text
    assert (f"item-{french}" in aside.html, f"item-{french}" in again.html) == (False, True)
    assert [one.content for one in kept.memories if "pnpm" in one.content] == [wishes[0]]
    assert names == []


async def test_who_may_only_read_sees_what_waits_and_gets_no_buttons(
    start_server: StartServer,
) -> None:
    async with start_server() as server, Visitor.enter(server, "ann", Access.READ) as visitor:
        m = open_memory(server)
        (held,) = await hold_back(m, "It rains")
        page = await visitor.open("/review")
        refused = await visitor.send("/review/settle", memory_id=held, action="confirm")
        visitor.http.headers["accept-language"] = "zh"
        chinese = await visitor.open("/review")
        other = await m.with_channel(AGENT).get_memory(held)
    assert "It rains" in page.text
    assert "data-key" not in page.html
    assert (refused.status, other.validity) == (403, Validity.PENDING_CONFIRMATION)
    assert "待确认（1）" in chinese.text
