"""Live in the viewer: what comes in appears, newest first, and a stream tells that it has."""

from collections.abc import AsyncIterator

import anyio
import httpx2
import pytest
from tests.surface.http.conftest import HttpServer, StartServer
from tests.surface.http.viewer.test_days import HOSTILE
from tests.surface.http.viewer.visitor import Visitor

from memoria import Memoria
from memoria.model import LIBRARY

pytestmark = pytest.mark.anyio
AFTER = 'data-after="'


def open_memory(server: HttpServer, tenant: str = "ann") -> Memoria:
    return Memoria(server.home.for_tenant(tenant), LIBRARY)


async def take_until(lines: AsyncIterator[str], wanted: str) -> AsyncIterator[str]:
    """Yield lines up to the one that has a text."""
    async for line in lines:
        yield line
        if wanted in line:
            return


async def test_what_happens_is_shown_newest_first_and_from_where_a_page_has_come_to(
    start_server: StartServer,
) -> None:
    async with start_server() as server, Visitor.enter(server) as visitor:
        empty = await visitor.open("/live")
        memory = open_memory(server)
        await memory.record_conversation(
            [
                {"role": "user", "content": HOSTILE, "session_id": "a b"},
                {"role": "user", "content": "Don't tell anyone: I leave.", "session_id": "c"},
            ]
        )
        made = await memory.remember("The checkout is deployed on Tuesdays.")
        await open_memory(server, "bob").remember("Bob's own.")
        shown = await visitor.open("/live")
        reached = shown.html.partition(AFTER)[2].partition('"')[0]
        await memory.revise_memory(made.id, "archive")
        newer = await visitor.open("/live", after=reached)
        wrong = await visitor.open("/live", after="x")
        visitor.http.headers["accept-language"] = "zh"
        chinese = await visitor.open("/live")
    assert "Nothing has happened lately" in empty.text
    assert shown.text.index("deployed on Tuesdays") < shown.text.index("alert(1)")
    assert "<script>alert" not in shown.html
    assert f'href="/ui/memories/{made.id}"' in shown.html
    assert 'href="/ui/sessions/a%20b"' in shown.html
    assert "told in confidence Don't tell anyone: I leave." in shown.text
    assert "Bob" not in shown.text
    assert "A memory was put aside" in newer.text
    assert "alert(1)" not in newer.text
    assert wrong.status == 422
    assert "一条记忆被搁置" in chinese.text


async def test_the_stream_tells_ids_alone_by_the_cookie_of_the_visit(
    start_server: StartServer,
) -> None:
    async with start_server() as server, Visitor.enter(server) as visitor:
        async with httpx2.AsyncClient(base_url=server.url) as stranger:
            refused = await stranger.get("/ui/live/events")
        with anyio.fail_after(10):
            async with visitor.http.stream("GET", "/ui/live/events") as stream:
                lines = stream.aiter_lines()
                begun = await anext(lines)
                made = await open_memory(server).remember("Said in between.")
                told = [line async for line in take_until(lines, made.id)]
    assert refused.status_code == 401
    assert begun.startswith("id: ")
    assert any(line.startswith("event: Memory.NodeCreated") for line in told)
    assert not any("Said in between" in line for line in told)
