"""Memories and turns in the viewer: lists, why a memory is there, and what one may do to it."""

import re
from dataclasses import dataclass
from html import escape, unescape
from urllib.parse import urlencode

import pytest
from tests.surface.http.conftest import HttpServer, StartServer
from tests.surface.http.viewer.visitor import ShownPage, Visitor

from memoria.app import Memoria
from memoria.model import LIBRARY, Memory, Turn
from memoria.model.access import Access
from memoria.model.attachment import Attachment
from memoria.model.provenance import COMMAND_LINE, TurnOrigin

pytestmark = pytest.mark.anyio

QUOTE = "we deploy the checkout on Tuesdays only"
HOSTILE = "<script>alert(1)</script> {name} \u202eis told\u202c"
CSRF = re.compile(r'name="csrf" value="([0-9a-f]{64})"')
CHANGE = re.compile(r'name="change_id" value="([0-9a-f-]+)"')
NEXT = re.compile(r'href="([^"]+)" rel="next"')
ITEM = re.compile(r'id="item-([0-9a-f-]+)"')


@dataclass(frozen=True, slots=True)
class Told:
    """A memory of ann's, and the turn it rests on."""

    memory: Memoria
    rule: str
    turn: str


async def tell(server: HttpServer) -> Told:
    """Record a conversation, of which rules make a memory, and remember something."""
    memory = Memoria(server.home.in_workspace("shop"), COMMAND_LINE)
    said = [
        Turn(role="user", content="Before we begin: hello."),
        Turn(role="user", content=f"One thing. Remember that {QUOTE}. Since the fire, I mean."),
        Turn(role="assistant", content="Noted."),
    ]
    receipt = await memory.record_conversation(said, session_id="a/b & c")
    turn = str(receipt.turns[1].id)
    origin = await memory.provenance.get(turn)
    assert isinstance(origin, TurnOrigin)
    (rule,) = origin.memories
    return Told(memory, rule.id, turn)


async def test_why_a_memory_is_there_is_answered_from_the_search_in_one_click(
    start_server: StartServer,
) -> None:
    async with start_server(tenant="ann") as server, Visitor.enter(server) as visitor:
        told = await tell(server)
        found = await visitor.open("/search", query="When is the checkout deployed?")
        page = await visitor.open(f"/memories/{told.rule}")
        turn = await visitor.open(f"/turns/{told.turn}")
        either = await visitor.open(f"/memories/{told.turn}")
    assert f'href="/ui/memories/{told.rule}"' in found.html
    assert "Why it is here" in found.text
    assert f"<title>{QUOTE[:60]} · Memoria</title>".lower() in page.html.lower()
    assert f"<mark>{QUOTE}</mark>" in page.html
    assert "Before we begin: hello." in page.text
    assert 'href="/ui/sessions/a%2Fb%20%26%20c"' in page.html
    assert f"<mark>{QUOTE}</mark>" in turn.html
    assert either.html.count(f"<mark>{QUOTE}</mark>") == 1


async def test_what_one_may_do_to_a_memory_is_done_on_its_page_and_taken_back_there(
    start_server: StartServer,
) -> None:
    async with start_server(tenant="ann") as server, Visitor.enter(server) as visitor:
        told = await tell(server)
        back = f"/ui/memories/{told.rule}"
        form = CSRF.search((await visitor.open(f"/memories/{told.rule}")).html)
        assert form is not None

        async def act(**fields: str) -> tuple[Memory, ShownPage]:
            data = {"csrf": form[1], **fields}
            page = ShownPage(await visitor.http.post(f"{back}/revise", data=data))
            assert (page.status, page.path) == (200, back), page.text
            return await told.memory.get_memory(told.rule), page

        before = await told.memory.get_memory(told.rule)
        assert ((await act(action="pin"))[0].pinned, before.pinned) == (True, False)
        assert not (await act(action="unpin"))[0].pinned
        assert (await act(action="upvote"))[0].upvotes == 1
        assert (await act(action="downvote"))[0].downvotes == 1
        assert (await act(action="type", content="goal"))[0].type == "goal"
        assert (await act(action="everywhere"))[0].project is None
        assert (await act(action="project"))[0].project == "shop"
        assert (await act(action="archive"))[0].validity == "archived"
        assert (await act(action="restore"))[0].validity == "active"
        assert (await act(action="confirm"))[0].verified
        corrected, page = await act(action="correct", content="Deploys are on Thursdays.")
        assert corrected.content == "Deploys are on Thursdays."
        assert f"<del>{before.content}</del>" in page.html
        assert "corrected in the viewer" in page.text or "stated in the viewer" in page.text
        change = CHANGE.search(page.html)
        assert change is not None, page.text
        undone = await visitor.send("/changes/undo", change_id=change[1], back=back)
        assert (undone.path, "Taken back" in undone.text) == (back, True)
        assert (await told.memory.get_memory(told.rule)).content == before.content
        changes = await visitor.open("/changes")
        assert changes.text.count("in the viewer") >= 12
        assert "taken back since" in changes.text
        elsewhere = await visitor.send(
            "/changes/undo", change_id=CHANGE.findall(changes.html)[0], back="https://example.com/"
        )
    assert elsewhere.path == "/ui"


async def test_words_that_say_a_former_wording_stand_in_its_history_alone(
    start_server: StartServer,
) -> None:
    async with start_server(tenant="ann") as server, Visitor.enter(server) as visitor:
        told = await tell(server)
        again = [Turn(role="user", content=f"Remember that {QUOTE}.")]
        await told.memory.record_conversation(again, session_id="again")
        before = await visitor.open(f"/memories/{told.rule}")
        await told.memory.revise_memory(told.rule, "correct", "Deploys are on Thursdays.")
        after = await visitor.open(f"/memories/{told.rule}")
    assert "Said as well in" in before.text
    assert "Said as well in" not in after.text
    assert before.html.count("<mark>") == 2
    assert "<mark>" not in after.html
    history = after.text.partition("What became of it")[2]
    assert f"said again: {QUOTE}" in history


async def test_what_is_shown_where_nothing_was_found_is_called_nearest_only_by_vectors(
    start_server: StartServer,
) -> None:
    async with start_server(tenant="ann") as server, Visitor.enter(server) as visitor:
        await tell(server)
        found = await visitor.open("/search", query="zither")
        await visitor.send("/language", to="zh", back="/ui/search")
        chinese = await visitor.open("/search", query="zither")
    assert "among the newest" in found.text
    assert "nearest by meaning" not in found.text
    assert "Searched without this part: Meaning (switched off)" in found.text
    assert "searched without" not in chinese.text


async def test_a_hit_names_the_words_that_it_contradicts(start_server: StartServer) -> None:
    async with start_server(tenant="ann") as server, Visitor.enter(server) as visitor:
        told = await tell(server)
        other = await told.memory.remember("The checkout is deployed every single day.")
        await told.memory.set_contradiction(told.rule, other.id, contradict=True)
        found = await visitor.open("/search", query="When is the checkout deployed?")
    assert "Both cannot be true: “The checkout is deployed every single day.”" in found.text


async def test_a_hit_is_struck_where_it_was_found_and_other_projects_are_named(
    start_server: StartServer,
) -> None:
    async with start_server(tenant="ann") as server, Visitor.enter(server) as visitor:
        told = await tell(server)
        asked = {"query": "When is the checkout deployed?"}
        everywhere = await visitor.open("/search", **asked)
        outside = await visitor.open("/search", **asked, project="garden")
        record = await visitor.open("/search", **asked, level="record", since="2020-01-01")
        none = await visitor.open("/search", **asked, types="skill")
        back = f"/ui/search?{urlencode(asked)}"
        assert escape(back) in everywhere.html
        struck = await visitor.send(f"/memories/{told.rule}/revise", action="archive", back=back)
        memory = await told.memory.get_memory(told.rule)
    assert "project shop" in everywhere.text
    assert "2 more in other projects. Search all projects" in outside.text
    assert f'href="/ui/turns/{told.turn}"' in record.html
    assert "Nothing on record passes these filters" in none.text
    assert (struck.path, memory.validity) == ("/ui/search", "archived")
    assert "1 left out: they no longer hold, or are archived. Show them too" in struck.text
    assert CHANGE.search(struck.html)


async def test_the_list_goes_by_cursor_and_keeps_to_its_filters(start_server: StartServer) -> None:
    async with start_server(tenant="ann") as server, Visitor.enter(server) as visitor:
        empty = await visitor.open("/memories")
        memory = Memoria(server.home, LIBRARY)
        for n in range(33):
            await memory.remember(f"The lock {n} has the code {n * 7}.")
        (pinned,) = (await memory.list_memories(limit=1)).memories
        await memory.revise_memory(pinned.id, "pin")
        first = await visitor.open("/memories")
        following = NEXT.search(first.html)
        assert following is not None
        second = await visitor.open(unescape(following[1]).removeprefix("/ui"))
        kept = await visitor.open("/memories", pinned="true")
        sure = await visitor.open("/memories", unverified="true", state="archived")
        unreadable = await visitor.open("/memories", cursor="x")
    assert "No memory is like that" in empty.text
    shown = [*ITEM.findall(first.html), *ITEM.findall(second.html)]
    assert (len(shown), len({*shown})) == (33, 33)
    assert NEXT.search(second.html) is None
    assert ITEM.findall(kept.html) == [pinned.id]
    assert ITEM.findall(sure.html) == []
    assert (unreadable.status, "Leave it out" in unreadable.text) == (422, True)


async def test_what_was_said_is_data_on_every_page_in_both_languages(
    start_server: StartServer,
) -> None:
    async with start_server(tenant="ann") as server, Visitor.enter(server) as visitor:
        memory = Memoria(server.home.in_workspace("<b>shop</b>"), LIBRARY)
        said = [Turn(role="user", content=f"{HOSTILE} by the harbour.", speaker="<i>Ann</i>")]
        receipt = await memory.record_conversation(said, session_id="<u>s</u>")
        turn = str(receipt.turns[0].id)
        kept = await memory.remember(f"{HOSTILE} by the harbour.", turn_id=turn)
        paths = ("/search?query=harbour", "/search?query=harbour&level=record", "/memories")
        own = (f"/memories/{kept.id}", f"/turns/{turn}", "/changes")
        visitor.http.headers["accept-language"] = "zh"
        pages = [await visitor.open(path) for path in (*paths, *own)]
    for page in pages:
        assert page.status == 200
        assert not re.search(r"<(script>|b>|i>|u>)|\u202e", page.html), page.html
        assert "&lt;script&gt;" in page.html or page.path == "/ui/changes"
    assert "为什么记住它" in pages[3].text


async def test_who_may_only_read_is_shown_no_buttons_and_does_nothing(
    start_server: StartServer,
) -> None:
    async with (
        start_server(tenant="ann") as server,
        Visitor.enter(server, access=Access.READ) as visitor,
        Visitor.enter(server, tenant="bob") as other,
    ):
        told = await tell(server)
        page = await visitor.open(f"/memories/{told.rule}")
        found = await visitor.open("/search", query="checkout")
        refused = await visitor.send(f"/memories/{told.rule}/revise", action="pin")
        foreign = [
            await other.open(f"/memories/{told.rule}"),
            await other.open(f"/turns/{told.turn}"),
            await other.send(f"/memories/{told.rule}/revise", action="pin"),
        ]
        memory = await told.memory.get_memory(told.rule)
    assert "/revise" not in page.html + found.html
    assert "forget?ids" not in page.html + found.html
    assert (refused.status, memory.pinned) == (403, False)
    assert [one.status for one in foreign] == [404, 404, 404]


async def test_a_file_that_came_with_a_message_is_saved_by_the_browser_and_never_shown(
    start_server: StartServer,
) -> None:
    page = "<script>alert(1)</script>"
    sent = Attachment.of_bytes(page.encode(), "图纸.html", "text/html")
    async with start_server(tenant="ann") as server, Visitor.enter(server) as visitor:
        memory = Memoria(server.home.in_workspace("shop"), COMMAND_LINE)
        said = Turn(role="user", content="See the plan", attachments=(sent,))
        receipt = await memory.record_conversation([said], session_id="s")
        shown = await visitor.open(f"/turns/{receipt.turns[0].id}")
        link = re.search(r'href="/ui(/turns/[^"]+/file)"', shown.html)
        assert link is not None
        assert "图纸.html" in shown.text
        file = (await visitor.open(link[1])).answer
    assert file.content == page.encode()
    assert file.headers["content-type"] == "application/octet-stream"
    assert file.headers["content-disposition"].startswith("attachment; ")
    assert file.headers["x-content-type-options"] == "nosniff"
