"""Projects: listed with private time; joined and moved by whom the home belongs to alone."""

from pathlib import Path

import pytest
from tests.app.test_review import AGENT
from tests.surface.http.conftest import StartServer
from tests.surface.http.viewer.test_review import open_memory
from tests.surface.http.viewer.visitor import Visitor

from memoria.errors import PrivateTimeError
from memoria.model.access import Access

pytestmark = pytest.mark.anyio


async def test_projects_are_joined_and_parted_after_a_look_at_what_it_does(
    start_server: StartServer,
) -> None:
    async with start_server() as server, Visitor.enter(server) as visitor:
        m = open_memory(server)
        empty = await visitor.open("/projects")
        for place, said in (("/src/shop", "The till opens at nine"), ("/src/store", "Ink is blue")):
            await m.remember(said, workspace=place, scope="project")
        page = await visitor.open("/projects")
        check = await visitor.open("/projects/join", former="/src/shop", into="/src/store")
        same = await visitor.open("/projects/join", former="/src/shop", into="/src/shop")
        before = [one.name for one in await m.projects.list() if one.memories]
        joined = await visitor.send("/projects/join", former="/src/shop", into="/src/store")
        after = [one.name for one in await m.projects.list() if one.memories]
        part = await visitor.open("/projects/part", project="/src/shop")
        parted = await visitor.send("/projects/part", project="/src/shop")
        again = [one.name for one in await m.projects.list() if one.memories]
        visitor.http.headers["accept-language"] = "zh"
        chinese = await visitor.open("/projects")
    assert "No project is on record yet" in empty.text
    assert "/src/shop 1 memories 0 turns" in page.text
    assert "All that is on record of /src/shop, 1 memories" in check.text
    assert "Both are one project already" in same.text
    assert "Join them" not in same.text
    assert "/src/shop and /src/store remember as one." in joined.text
    assert "/src/shop is part of /src/store" in joined.text
    assert (before, after, again) == (["/src/shop", "/src/store"], ["/src/store"], before)
    assert "1 memories and 0 conversations that /src/store has" in part.text
    assert "/src/shop remembers for itself." in parted.text
    assert "1 条记忆" in chinese.text


async def test_a_project_whose_folder_is_gone_is_said_to_be_elsewhere(
    start_server: StartServer, tmp_path: Path
) -> None:
    here = tmp_path / "new"
    (here / ".git").mkdir(parents=True)
    (here / ".git" / "HEAD").write_text("ref: refs/heads/main\n", "utf-8")
    gone = str(tmp_path / "old")
    async with start_server() as server, Visitor.enter(server) as visitor:
        await open_memory(server).remember("It is built with make", workspace=gone)
        page = await visitor.open("/projects")
        check = await visitor.open("/projects/move", project=gone, folder=str(here))
        moved = await visitor.send("/projects/move", project=gone, folder=str(here))
        (known,) = await open_memory(server).projects.list()
    assert "its folder is gone" in page.text
    assert f"{here} is noted as the place of {gone}" in check.text
    assert f"What was {gone} is in {here}." in moved.text
    assert known.places == (str(here),)


async def test_private_time_is_switched_in_a_project_and_in_none(start_server: StartServer) -> None:
    async with start_server() as server, Visitor.enter(server, "ann", Access.WRITE) as visitor:
        m = open_memory(server)
        await m.remember("The till opens at nine", workspace="shop")
        on = await visitor.send("/projects/private", switch="on", project="shop")
        with pytest.raises(PrivateTimeError):
            await m.with_channel(AGENT).remember("The safe is open", workspace="shop")
        off = await visitor.send("/projects/private", switch="off", project="shop")
        await visitor.send("/projects/private", switch="on")
        times = await m.private.list_times()
    assert "Private time is on" in on.text
    assert "private time since" in on.text
    assert "1 private times are over" in off.text
    assert [(one.workspace, one.ended_at is None) for one in times] == [
        ("shop", False),
        (None, True),
    ]


async def test_in_a_home_of_several_nobody_sees_or_changes_the_projects_of_others(
    start_server: StartServer,
) -> None:
    async with start_server() as server, Visitor.enter(server) as visitor:
        await open_memory(server, "ben").remember("It sells pens", workspace="/src/bens")
        await open_memory(server).remember("It sells ink", workspace="/src/anns")
        page = await visitor.open("/projects")
        refused = await visitor.send("/projects/join", former="/src/anns", into="/src/bens")
        checked = await visitor.open("/projects/part", project="/src/anns")
        held = [one.name for one in await open_memory(server, "ben").projects.list_own()]
    assert "/src/anns" in page.text
    assert "/src/bens" not in page.text
    assert "Join into another project" not in page.text
    assert "Several people have memories in this home" in refused.text
    assert refused.status == 422
    assert "Several people have memories in this home" in checked.text
    assert held == ["/src/bens"]
