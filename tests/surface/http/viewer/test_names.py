"""Names: listed in order and found, each with its memories, a picture, and who else it is."""

import re
from xml.etree import ElementTree as ET

import pytest
from tests.app.test_entities import settle
from tests.surface.http.conftest import StartServer
from tests.surface.http.viewer.test_review import list_items, open_memory
from tests.surface.http.viewer.visitor import ShownPage, Visitor

from memoria import Memoria
from memoria.app.provenance import EntityQueries
from memoria.model.provenance import Neighbourhood
from memoria.store.values import Filters
from memoria.surface.http.viewer.picture import draw_neighbourhood

pytestmark = pytest.mark.anyio
_NODES = 60


def read_picture(page: ShownPage) -> ET.Element:
    found = re.search(r"<svg .*?</svg>", page.html, re.DOTALL)
    assert found is not None
    return ET.fromstring(found[0])  # noqa: S314  (our own page)


async def read_around(m: Memoria, name: str) -> Neighbourhood:
    graph: EntityQueries = m.graph
    found = await graph.read_neighbourhood(name)
    assert isinstance(found, Neighbourhood)
    return found


async def test_names_are_listed_page_by_page_and_found_by_how_they_begin(
    start_server: StartServer,
) -> None:
    async with start_server() as server, Visitor.enter(server) as visitor:
        empty = await visitor.open("/names")
        m = open_memory(server)
        for fleet in range(6):
            boats = [f"Boat {number:02}" for number in range(8 * fleet, 8 * fleet + 8)]
            await m.remember(f"Boats of fleet {fleet} are blue", entities=boats)
        await m.remember("Zuzana sails", entities=[{"name": "Zuzana", "kind": "person"}])
        first = await visitor.open("/names")
        after = re.search(r'href="([^"]+)" rel="next"', first.html)
        assert after is not None
        path = after[1].replace("&amp;", "&").removeprefix("/ui")
        second = await visitor.open(path)
        found = await visitor.open("/names", begins="zu")
        none = await visitor.open("/names", begins="quill")
        visitor.http.headers["accept-language"] = "zh"
        chinese = await visitor.open("/names", begins="zu")
    assert "No name is known yet" in empty.text
    assert (len(list_items(first)), len(list_items(second))) == (40, 9)
    assert "Zuzana" in second.text
    assert len(list_items(found)) == 1
    assert "person · named by 1" in found.text.replace("person named", "person · named")
    assert "No name begins so" in none.text
    assert "被 1 处提到" in chinese.text


async def test_a_name_has_its_memories_and_a_picture_that_leads_to_what_is_around(
    start_server: StartServer,
) -> None:
    async with start_server() as server, Visitor.enter(server) as visitor:
        m = open_memory(server)
        for number in range(27):
            await m.remember(
                f"Ida painted <b>boat</b> {number} on pier {number}",
                entities=["Ida Quill", f"Pier {number}", f"Boat/{number}"],
            )
        page = await visitor.open("/names/Ida Quill")
        slash = await visitor.open("/names/Boat%2F7")
        nobody = await visitor.open("/names/Bertrand")
        drawn = [draw_neighbourhood(await read_around(m, "Ida Quill")) for _ in range(2)]
    picture = read_picture(page)
    links = picture.findall("a")
    assert len(links) == len(picture.findall("a/circle")) <= _NODES
    assert {link.attrib["class"] for link in links} == {"centre", "memory", "entity"}
    assert all(link.attrib["href"].startswith("/ui/") and link.findtext("text") for link in links)
    assert len(picture.findall("line")) == page.html.count("<tr><td>") > len(links) - 2
    assert drawn[0] == drawn[1]
    assert "<b>boat</b>" in page.text or "&lt;b&gt;boat" in page.html
    assert "named by 27" in page.text
    assert "Boat/7" in slash.text
    assert "Nothing is linked with this name." in nobody.text


async def test_two_names_are_joined_and_parted(start_server: StartServer) -> None:
    async with start_server() as server, Visitor.enter(server) as visitor:
        m = open_memory(server)
        await settle(m)
        (pair,) = await m.graph.list_proposals()
        one, other = pair
        several = await visitor.open("/names/Liz")
        page = await visitor.open(f"/names/{one.id}")
        joined = await visitor.send("/names/join", name=one.id, other=other.id)
        whole = (await read_around(m, "Liz")).memories
        parted = await visitor.send("/names/part", name=one.id, other=other.id)
        after = await m.graph.list_proposals()
    assert "2 go by this name:" in several.text
    assert f"Maybe one with {other.name}" in page.text
    assert "They are one." in joined.text
    assert "One with" in joined.text
    assert len(whole) == 3
    assert "They are two, and are not proposed again." in parted.text
    assert after == []


async def test_a_name_that_only_what_is_not_to_be_kept_has_is_shown_nowhere(
    start_server: StartServer,
) -> None:
    async with start_server() as server, Visitor.enter(server) as visitor:
        m = open_memory(server)
        said = [
            {"role": "user", "content": "I met Balthazar Quint in Lisbon."},
            {"role": "assistant", "content": "How was it?"},
            {"role": "user", "content": "Please don't remember what I just said."},
            {"role": "assistant", "content": "I will not."},
            {"role": "user", "content": "I met Oriana Fell in Porto."},
        ]
        await m.record_conversation(said, session_id="s")
        with server.home.store.read("ann") as tx:
            known = tx.graph.find_entities(["Balthazar Quint"], Filters(include_processed=True))
        listed = await visitor.open("/names")
        page = await visitor.open("/names/Balthazar Quint")
    assert [one.name for one in known] == ["Balthazar Quint"]
    assert "Oriana Fell" in listed.text
    assert "Balthazar" not in listed.text
    assert "Nothing is linked with this name." in page.text
