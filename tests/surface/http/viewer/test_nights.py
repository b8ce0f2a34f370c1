"""Nights in the viewer: what each step changed, undo with what else goes, and a run at once."""

import re
from html import unescape

import pytest
from tests.surface.http.conftest import HttpServer, StartServer
from tests.surface.http.viewer.visitor import ShownPage, Visitor

import memoria.app.nightly as nights
from memoria.app import Memoria
from memoria.app.open_home import in_thread
from memoria.language.reading.statement import fingerprint
from memoria.model import COMMAND_LINE, DAY_MS, MemoryType, Provenance, new_id, now_millis
from memoria.model.access import Access
from memoria.store.values import NewMemory, NewVersion

pytestmark = pytest.mark.anyio
OVER = "The side door is shut until noon"


def open_memory(server: HttpServer, tenant: str = "ann") -> Memoria:
    return Memoria(server.home.for_tenant(tenant), COMMAND_LINE)


def keep_outdated(server: HttpServer, text: str = OVER) -> str:
    """Write a memory whose time is over."""
    return keep_memory(server, text, now_millis(), now_millis() - DAY_MS)


def keep_memory(server: HttpServer, text: str, at: int, expires_at: int | None = None) -> str:
    """Write a memory as something else might have at a moment."""
    new = NewMemory(new_id(), MemoryType.FACT, 0.5, 0.5, None)
    origin = Provenance(source_kind="user_said", trust="reported", channel="library")
    version = NewVersion(text, fingerprint(text), at, at, origin, None, expires_at=expires_at)
    with server.home.store.write("ann") as tx:
        tx.memories.add(new, version)
    return new.id


async def wait_for_night(visitor: Visitor, page: ShownPage) -> ShownPage:
    while "It is not done yet." in page.text:
        page = await visitor.open(page.path.removeprefix("/ui"))
    return page


async def test_a_night_begins_shows_what_it_changed_and_is_undone_in_four_clicks(
    start_server: StartServer,
) -> None:
    async with start_server() as server, Visitor.enter(server) as visitor:
        empty = await visitor.open("/nights")
        memory_id = keep_outdated(server)
        night = await wait_for_night(
            visitor, await visitor.send("/nights/begin", steps="archive_expired")
        )
        listed = await visitor.open("/nights")  # the first click
        found = re.search(r'href="/ui(/nights/[0-9a-f-]{36})"', listed.html)
        assert found is not None
        opened = await visitor.open(found[1])  # the second
        (run,) = nights.list_runs(open_memory(server).settings, 1)
        undone = await visitor.send(f"{found[1]}/undo")  # the third
        (taken_back,) = nights.list_runs(open_memory(server).settings, 1)
        memory = await open_memory(server).get_memory(memory_id)
        again = await visitor.send(f"{found[1]}/undo")
    assert "No night has run yet." in empty.text
    assert f"<del>{OVER}</del>" in opened.html
    assert "validity: active archived" in opened.text
    assert f'href="/ui/memories/{memory_id}"' in opened.html
    assert "An undo takes back this run. No later one goes with it." in night.text
    assert "Undone. Runs taken back: 1." in undone.text
    assert "The night is undone" in undone.text
    assert "is undone already" not in undone.text
    assert memory.validity == "active"
    assert (taken_back.state, taken_back.finished_at) == ("undone", run.finished_at)
    assert (again.status, "is undone already" in again.text) == (409, True)


async def test_an_undo_names_the_later_nights_that_go_with_it(start_server: StartServer) -> None:
    async with start_server() as server, Visitor.enter(server) as visitor:
        settings = open_memory(server).settings
        keep_memory(server, "The boat is older than the house", now_millis() - 90 * DAY_MS)
        first, second = [
            await in_thread(lambda: nights.run_nightly(settings, ["promote"])) for _ in range(2)
        ]
        page = await visitor.open(f"/nights/{first.id}")
        later = await visitor.open(f"/nights/{second.id}")
    assert "An undo takes back this run, and later ones: 1" in page.text
    assert f'href="/ui/nights/{second.id}"' in page.html
    assert "The boat is older than the house tier: short mid Memory" in page.text
    assert "No later one goes with it." in later.text


async def test_a_corrected_wording_is_shown_with_what_was_deleted_and_inserted(
    start_server: StartServer,
) -> None:
    async with start_server() as server, Visitor.enter(server) as visitor:
        await open_memory(server).remember("Ann likes green tea.", type="preference")
        core = await visitor.send("/core/edit", file="USER.md", text="# USER.md\n", digest="")
        changed = edit_text(core).replace("green", "black")
        saved = await visitor.send(
            "/core/edit", file="USER.md", text=changed, digest=read_digest(core)
        )
        found = re.search(r'href="/ui(/nights/[0-9a-f-]{36})"', saved.html)
        assert found is not None
        night = await visitor.open(found[1])
    assert "Ann likes <del>green</del><ins>black</ins> tea." in night.html
    assert "Files written: USER.md" in night.text


async def test_a_step_s_remark_is_shown_with_the_words_of_a_memory_that_it_has_not_changed(
    start_server: StartServer,
) -> None:
    async with start_server() as server, Visitor.enter(server) as visitor:
        settings = open_memory(server).settings
        memory_id = keep_memory(server, "The boat is blue", now_millis())
        run = await in_thread(lambda: nights.run_nightly(settings, ["metrics"]))
        (step,) = run.steps
        remarked = step.model_copy(update={"reasons": {memory_id: "may contradict another"}})
        with server.home.store.write("ann") as tx:
            tx.nightly_runs.set_step(run, 0, remarked)
        night = await visitor.open(f"/nights/{run.id}")
    assert "The boat is blue may contradict another Memory" in night.text


async def test_nights_go_by_cursor_and_changes_too(
    start_server: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoria.surface.http.viewer.nights._ON_PAGE", 2)
    monkeypatch.setattr("memoria.surface.http.viewer.nights._ROWS_ON_PAGE", 4)
    async with start_server() as server, Visitor.enter(server) as visitor:
        settings = open_memory(server).settings
        for i in range(6):
            keep_outdated(server, f"{OVER}, door {i}")
        runs = [
            await in_thread(lambda: nights.run_nightly(settings, ["archive_expired"]))
            for _ in range(3)
        ]
        first = await visitor.open("/nights")
        second = await visitor.open("/nights", before=runs[1].id)
        path, seen = f"/nights/{runs[0].id}", set[str]()
        pages = 0
        while path:
            page = await visitor.open(path)
            seen |= set(re.findall(r"<del>([^<]*door \d)</del>", page.html))
            pages += 1
            more = re.search(r'<a href="/ui([^"]+)" rel="next">', page.html)
            path = more[1] if more else ""
    assert runs[0].id not in first.html
    assert f"before={runs[1].id}" in first.html
    assert runs[0].id in second.html
    assert (len(seen), pages > 2) == (6, True)


async def test_nights_are_the_admins_alone_and_no_other_tenants(start_server: StartServer) -> None:
    async with (
        start_server() as server,
        Visitor.enter(server, access=Access.FORGET) as guest,
        Visitor.enter(server, "ben") as ben,
    ):
        settings = open_memory(server).settings
        run = await in_thread(lambda: nights.run_nightly(settings, ["metrics"]))
        answers = [
            await guest.open("/nights"),
            await guest.send("/nights/begin"),
            await guest.send(f"/nights/{run.id}/undo"),
            await ben.open(f"/nights/{run.id}"),
            await ben.send(f"/nights/{run.id}/undo"),
        ]
        runs = nights.list_runs(settings, 10)
    assert [one.status for one in answers] == [403, 403, 403, 404, 404]
    assert [one.state for one in runs] == ["finished"]


def edit_text(page: ShownPage) -> str:
    """Return what the editor has, as a browser would send it back."""
    text = page.html.partition("<textarea")[2].partition(">")[2].partition("</textarea>")[0]
    return unescape(text.removeprefix("\n"))


def read_digest(page: ShownPage) -> str:
    """Return the digest that the editor's form sends along."""
    return page.html.partition('name="digest" value="')[2].partition('"')[0]
