"""Core files in the viewer: the editor, what became of each line, and two who write at once."""

from pathlib import Path

import pytest
from tests.surface.http.conftest import HttpServer, StartServer
from tests.surface.http.viewer.test_nights import (
    edit_text,
    open_memory,
    read_digest,
    wait_for_night,
)
from tests.surface.http.viewer.visitor import Visitor

from memoria.disk.folders import tenant_folder
from memoria.disk.tenant_files import TenantFiles
from memoria.model import new_id, now_millis
from memoria.model.access import Access
from memoria.model.nightly import RunOptions

pytestmark = pytest.mark.anyio


def files_of(server: HttpServer) -> TenantFiles:
    """Ann's files."""
    return server.home.store.files.of("ann")


def read_user(server: HttpServer) -> str:
    return (files_of(server).read("USER.md") or b"").decode()


async def test_an_edit_is_taken_over_as_one_by_hand_and_says_what_became_of_each_line(
    start_server: StartServer,
) -> None:
    async with start_server() as server, Visitor.enter(server) as visitor:
        memory = open_memory(server)
        kept = await memory.remember("Ann likes green tea.", type="preference")
        gone = await memory.remember("Ann likes loud music.", type="preference")
        first = await visitor.open("/core", file="USER.md")
        written = await visitor.send(
            "/core/edit",
            file="USER.md",
            text=edit_text(first) + "\n## Mine\n- Ann works in Bern.\n",
            digest="",
        )
        lines = edit_text(written).splitlines()
        text = "\r\n".join(
            one.replace("green", "black") for one in lines if "loud music" not in one
        )
        saved = await visitor.send(
            "/core/edit", file="USER.md", text=text, digest=read_digest(written)
        )
        corrected = await memory.get_memory(kept.id)
        archived = await memory.get_memory(gone.id)
        stored = files_of(server).read("USER.md") or b""
    assert "A new memory." in written.text
    assert "Ann works in Bern." in written.text
    assert "The memory says this now." in saved.text
    assert "The line is gone, so its memory is archived." in saved.text
    assert corrected.current.content == "Ann likes black tea."
    assert archived.validity == "archived"
    assert b"\r" not in stored
    assert stored.decode() == edit_text(saved)


async def test_who_edits_what_was_changed_meanwhile_sees_both_texts_and_loses_nothing(
    start_server: StartServer,
) -> None:
    mine = "# USER.md\n\n## Mine\n- <b>I wrote</b> this & that\n"
    async with start_server() as server, Visitor.enter(server) as visitor:
        await visitor.send("/core/edit", file="USER.md", text="# USER.md\n\nfirst\n", digest="")
        page = await visitor.open("/core", file="USER.md")
        files_of(server).write("USER.md", b"# USER.md\n\nby another hand\n")
        refused = await visitor.send(
            "/core/edit", file="USER.md", text=mine, digest=read_digest(page)
        )
        untouched = files_of(server).read("USER.md")
        again = await visitor.send(
            "/core/edit", file="USER.md", text=edit_text(refused), digest=read_digest(refused)
        )
    assert refused.status == 409
    assert edit_text(refused) == mine
    assert "by another hand" in refused.text
    assert "<ins>" in refused.html
    assert untouched == b"# USER.md\n\nby another hand\n"
    assert (again.status, again.path) == (200, "/ui/core")
    assert "<b>I wrote</b> this & that" in edit_text(again)


async def test_an_edit_while_a_night_runs_is_saved_and_left_to_it(
    start_server: StartServer,
) -> None:
    async with start_server() as server, Visitor.enter(server) as visitor:
        with server.home.store.write("ann") as tx:
            tx.nightly_runs.begin_run(new_id(), now_millis(), RunOptions(steps=("core",)))
        saved = await visitor.send(
            "/core/edit", file="USER.md", text="# USER.md\n\n## M\n- Ann dances.\n", digest=""
        )
        stored = files_of(server).read("USER.md") or b""
    assert "A night is under way" in saved.text
    assert b"- Ann dances." in stored


async def test_characters_that_nobody_sees_come_back_as_they_were(
    start_server: StartServer,
) -> None:
    text = "# USER.md\n\nzero\u200bwidth and a\ttab\n"
    async with start_server() as server, Visitor.enter(server) as visitor:
        await visitor.send("/core/edit", file="USER.md", text=text, digest="")
        page = await visitor.open("/core", file="USER.md")
    assert "This file has invisible characters" in page.text
    assert "zero\u200bwidth and a\ttab" in edit_text(page)


@pytest.mark.sqlite("a link on disk")
async def test_a_link_is_not_read(start_server: StartServer, home: Path) -> None:
    async with start_server() as server, Visitor.enter(server) as visitor:
        await visitor.send("/core/edit", file="USER.md", text="# USER.md\n", digest="")
        file = tenant_folder(home, "ann") / "USER.md"
        file.unlink()
        file.symlink_to("/etc/hostname")
        linked = await visitor.open("/core", file="USER.md")
    assert "USER.md is" in linked.text
    assert str(home) not in linked.html
    assert "<textarea" not in linked.html


async def test_what_is_no_core_file_is_refused_and_a_guest_only_reads(
    start_server: StartServer,
) -> None:
    async with (
        start_server() as server,
        Visitor.enter(server) as visitor,
        Visitor.enter(server, access=Access.READ) as guest,
    ):
        answers = [
            await visitor.send("/core/edit", file="../../etc/passwd", text="x", digest=""),
            await visitor.open("/core", file="settings.toml"),
            await visitor.send("/core/edit", file="USER.md", text="", digest=""),
            await guest.send("/core/edit", file="USER.md", text="x", digest=""),
        ]
        read = await guest.open("/core")
        is_there = files_of(server).exists("USER.md")
    assert [one.status for one in answers] == [404, 404, 422, 403]
    assert "<textarea" not in read.html
    assert not is_there


async def test_an_undo_puts_no_corrected_wording_back_into_the_memory_and_the_file_catches_up(
    start_server: StartServer,
) -> None:
    async with start_server() as server, Visitor.enter(server) as visitor:
        memory = open_memory(server)
        kept = await memory.remember("Ann likes green tea.", type="preference")
        await wait_for_night(visitor, await visitor.send("/nights/begin", steps="core"))
        await memory.revise_memory(kept.id, "correct", "Ann likes black tea.")
        page = await visitor.send("/nights/begin", steps="core")
        night = await wait_for_night(visitor, page)
        written = read_user(server)
        undone = await visitor.send(f"{night.path.removeprefix('/ui')}/undo")
        left = read_user(server)
        standing = await memory.get_memory(kept.id)
        shown = await visitor.open("/core", file="USER.md")
        await wait_for_night(visitor, await visitor.send("/nights/begin", steps="core"))
        again, last = await memory.get_memory(kept.id), read_user(server)
    assert ("black tea" in written, "green tea" in left) == (True, True)
    assert "Core files that the night wrote are as before it, too" in undone.text
    assert "Write the files anew" in shown.text
    assert standing.current.content == again.current.content == "Ann likes black tea."
    assert "black tea" in last
