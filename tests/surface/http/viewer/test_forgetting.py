"""Forgetting in the viewer: a preview, a typed number, the proof, and the way back."""

import pytest
from tests.surface.http.conftest import StartServer
from tests.surface.http.viewer.test_nights import open_memory
from tests.surface.http.viewer.visitor import ShownPage, Visitor

from memoria.app import Memoria
from memoria.model.access import Access

pytestmark = pytest.mark.anyio
GARDEN = "The garden of Ann is behind the house on Mill Lane."


def read_token(page: ShownPage) -> str:
    return page.html.partition('name="token" value="')[2].partition('"')[0]


async def say(memory: Memoria, text: str, session: str = "s1") -> str:
    said = {"role": "user", "content": text}
    turn_id = (await memory.record_conversation([said], session_id=session)).turns[0].id
    assert turn_id is not None
    return turn_id


async def test_what_is_confirmed_by_its_number_is_forgotten_with_a_proof_and_put_back(
    start_server: StartServer,
) -> None:
    async with start_server(forget_grace_days=7) as server, Visitor.enter(server) as visitor:
        memory = open_memory(server)
        turn_id = await say(memory, GARDEN)
        kept = await memory.remember(GARDEN, turn_id=turn_id, quote=GARDEN)
        other = await memory.remember("Ann sails on Sundays.")
        form = await visitor.open("/forget", ids=kept.id)
        preview = await visitor.open("/forget/preview", ids=kept.id)
        order = {"ids": kept.id, "token": read_token(preview)}
        mistyped = await visitor.send("/forget/confirm", **order, typed="7")
        standing = await memory.get_memory(kept.id)
        done = await visitor.send("/forget/confirm", **order, typed="2", reason="moved away")
        (report,) = await memory.list_forget_reports()
        proof = await visitor.open(f"/forget/{report.id}")
        back = await visitor.send(f"/forget/{report.id}/undo")
        again = await memory.get_memory(kept.id)
        untouched = await memory.get_memory(other.id)
    assert f'value="{kept.id}"' in form.html
    assert f"<del>{GARDEN}</del>" in preview.html
    assert "Type 2 to confirm" in preview.text
    assert "These stay on record word for word" in preview.text
    assert "Turns among them that stay on record: 1. All others are erased." in preview.text
    assert "can be put back for 7 days" in preview.text
    assert "go on concluding from this" in preview.text
    assert (mistyped.status, "Nothing was forgotten: the number" in mistyped.text) == (422, True)
    assert read_token(mistyped) == order["token"]
    assert standing.current.content == again.current.content == GARDEN
    assert "Until" in done.text
    assert "Forgotten: nobody finds it any more." in done.text
    assert "Rows that left each index" in proof.text
    assert GARDEN not in proof.html
    assert "Put back." in back.text
    assert untouched.validity == "active"


async def test_a_forget_is_for_good_only_where_the_page_has_said_so_before(
    start_server: StartServer,
) -> None:
    async with start_server() as server, Visitor.enter(server) as visitor:
        kept = await open_memory(server).remember(GARDEN)
        without_grace = await visitor.open("/forget/preview", ids=kept.id)
    async with start_server(forget_grace_days=7) as server, Visitor.enter(server) as visitor:
        memory = open_memory(server)
        kept = await memory.remember(GARDEN)
        preview = await visitor.open("/forget/preview", ids=kept.id)
        order = {"ids": kept.id, "token": read_token(preview), "at_once": "true"}
        mistyped = await visitor.send("/forget/confirm", **order, typed="7")
        done = await visitor.send("/forget/confirm", **order, typed="1")
        (report,) = await memory.list_forget_reports()
    assert "It is erased for good at once, and can't be put back." in without_grace.text
    assert 'name="at_once"' not in without_grace.html
    assert 'name="at_once" value="true">' in preview.html
    assert 'name="at_once" value="true" checked>' in mistyped.html
    assert "Forgotten for good. It can't be put back." in done.text
    assert (report.state, report.purge_at) == ("erased", None)


async def test_what_has_changed_since_the_preview_is_shown_anew_and_not_forgotten(
    start_server: StartServer,
) -> None:
    async with start_server() as server, Visitor.enter(server) as visitor:
        memory = open_memory(server)
        await say(memory, "The harbour is closed.", "trip/1 & more")
        preview = await visitor.open(
            "/forget/preview", session_id="trip/1 & more", include_source="true"
        )
        await say(memory, "The harbour is open again.", "trip/1 & more")
        order = {
            "session_id": "trip/1 & more",
            "include_source": "true",
            "token": read_token(preview),
        }
        changed = await visitor.send("/forget/confirm", **order, typed="1")
        reports = await memory.list_forget_reports()
        opened = await visitor.open("/forget/confirm")
        agreed = await visitor.send(
            "/forget/confirm", **{**order, "token": read_token(changed)}, typed="2"
        )
        left = (await memory.statistics()).turns
    assert changed.status == 409
    assert "what is meant is another now than was shown" in changed.text
    assert "The harbour is open again." in changed.text
    assert reports == []
    assert (opened.status, opened.path) == (200, "/ui/forget")
    assert "Forgotten" in agreed.text
    assert str(server.home.settings.home_path) not in agreed.html
    assert left == 0


async def test_every_selector_selects_and_what_is_to_be_kept_is_spared(
    start_server: StartServer,
) -> None:
    async with start_server() as server, Visitor.enter(server) as visitor:
        memory = open_memory(server)
        await memory.remember("Carla keeps bees.", type="fact", entities=["Carla"])
        await memory.remember("Carla keeps bees at home.", type="preference", entities=["Carla"])
        first, second = [await say(memory, text) for text in ("One boat.", "Two boats.")]
        topic = await visitor.open("/forget/preview", topic="Carla")
        typed = await visitor.open("/forget/preview", topic="Carla", type="preference")
        words = await visitor.open("/forget/preview", query="who keeps bees")
        both = await visitor.open("/forget/preview", session_id="s1", include_source="true")
        spared = await visitor.open(
            "/forget/preview", session_id="s1", include_source="true", keep=second
        )
        since = await visitor.open("/forget/preview", since="2100-01-01")
        nothing = await visitor.open("/forget/preview")
        both_ways = await visitor.open("/forget/preview", ids=first, topic="Carla")
    assert (
        "Things that this is about: 2." in topic.text,
        "Things that this is about: 1." in typed.text,
    ) == (True, True)
    assert "bees" in words.text
    assert "Things that this is about: 2." in both.text
    assert f'name="keep" value="{second}"' in both.html
    assert "Things that this is about: 1." in spared.text
    assert "Two boats." not in spared.text
    assert "Nothing is there to be forgotten." in since.text
    assert (nothing.status, "Nothing was named: fill in" in nothing.text) == (422, True)
    assert "Show what would go" in nothing.text
    assert both_ways.status == 422


async def test_a_guest_sees_the_proofs_alone_and_forgets_nothing(start_server: StartServer) -> None:
    async with (
        start_server() as server,
        Visitor.enter(server, access=Access.WRITE) as guest,
        Visitor.enter(server, "ben") as ben,
    ):
        memory = open_memory(server)
        kept = await memory.remember(GARDEN)
        shown = await guest.open("/forget")
        answers = [
            await guest.open("/forget/preview", ids=kept.id),
            await guest.send("/forget/confirm", ids=kept.id, typed="1"),
        ]
        bens = await ben.open("/forget/preview", ids=kept.id)
    assert "Show what would go" not in shown.text
    assert "Nothing was forgotten yet." in shown.text
    assert [one.status for one in answers] == [403, 403]
    assert GARDEN not in bens.text


async def test_proofs_go_by_cursor(
    start_server: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoria.surface.http.viewer.forgetting._REPORTS", 2)
    async with start_server() as server, Visitor.enter(server) as visitor:
        memory = open_memory(server)
        for number in range(3):
            kept = await memory.remember(f"The boat {number} is red.")
            await memory.forget_memory([kept.id])
        newest, second, oldest = [one.id for one in await memory.list_forget_reports()]
        first = await visitor.open("/forget")
        rest = await visitor.open("/forget", before=second)
    assert (newest in first.html, second in first.html, oldest in first.html) == (True, True, False)
    assert f'href="/ui/forget?before={second}" rel="next"' in first.html
    assert (oldest in rest.html, newest in rest.html) == (True, False)
    assert "Show what would go" not in rest.text
