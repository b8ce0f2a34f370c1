"""Doors of the viewer: links, visits, forms, and who is kept out."""

import httpx2
import pytest
from tests.surface.http.conftest import StartServer
from tests.surface.http.viewer.visitor import Visitor

from memoria.app.tokens import TokenService
from memoria.model.access import LINK_BEGINS, Access
from memoria.model.provenance import COMMAND_LINE

pytestmark = pytest.mark.anyio


async def test_a_link_opens_the_viewer_once(start_server: StartServer) -> None:
    async with start_server() as server:
        tokens = TokenService(server.home.store, "ann", COMMAND_LINE)
        link = await tokens.create(Access.READ, "viewer", None, LINK_BEGINS)
        async with (
            httpx2.AsyncClient(base_url=server.url) as http,
            httpx2.AsyncClient(base_url=server.url) as other,
        ):
            asked = await http.head("/ui/enter", params={"link": link.text})
            first = await http.get("/ui/enter", params={"link": link.text})
            again = await http.get("/ui/enter", params={"link": link.text})
            second = await other.get("/ui/enter", params={"link": link.text})
    assert (asked.status_code, first.status_code, second.status_code) == (200, 200, 401)
    assert (again.status_code, again.headers.get("location")) == (303, "/ui")
    cookie = first.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert link.text not in cookie
    assert "set-cookie" not in second.headers


async def test_a_visit_is_listed_and_ended_as_a_token(start_server: StartServer) -> None:
    async with start_server() as server, Visitor.enter(server) as visitor:
        tokens = TokenService(server.home.store, "ann", COMMAND_LINE)
        (held,) = await tokens.list()
        assert (await visitor.open("/health")).status == 200
        left = await visitor.send("/leave")
        (ended,) = await tokens.list()
        after = await visitor.open("/health")
    assert held.label == "viewer"
    assert held.revoked_at is None
    assert ended.revoked_at is not None
    assert "This visit has ended" in left.text
    assert "memoria_visit" not in visitor.http.cookies
    assert (after.status, "memoria ui" in after.text) == (401, True)


async def test_what_a_program_shows_opens_no_page_and_a_visit_opens_nothing_else(
    start_server: StartServer,
) -> None:
    async with start_server() as server, Visitor.enter(server) as visitor:
        token = await server.create_token("ann", Access.ADMIN)
        visit = visitor.http.cookies["memoria_visit"]
        async with httpx2.AsyncClient(base_url=server.url) as http:
            by_bearer = await http.get(
                "/ui/health", headers={"Authorization": f"Bearer {token.text}"}
            )
            by_cookie = await http.get(
                "/ui/health", headers={"Cookie": f"memoria_visit={token.text}"}
            )
            by_link = await http.get("/ui/enter", params={"link": token.text})
            elsewhere = await http.get(
                "/memory/status", headers={"Authorization": f"Bearer {visit}"}
            )
    answers = (by_bearer, by_cookie, by_link, elsewhere)
    assert [one.status_code for one in answers] == [401, 401, 401, 401]


async def test_a_form_without_the_visits_own_text_does_nothing(start_server: StartServer) -> None:
    async with (
        start_server() as server,
        Visitor.enter(server) as visitor,
        Visitor.enter(server) as other,
    ):
        csrf = (await other.open("/health")).html.partition('name="csrf" value="')[2][:64]
        answers = [
            await visitor.http.post("/ui/leave", data=data)
            for data in ({}, {"csrf": ""}, {"csrf": csrf})
        ]
        is_open = (await visitor.open("/health")).status == 200
    assert [one.status_code for one in answers] == [403, 403, 403]
    assert is_open


async def test_pages_are_in_the_language_that_is_asked_for_or_was_chosen(
    start_server: StartServer,
) -> None:
    async with start_server() as server, Visitor.enter(server) as visitor:
        visitor.http.headers["accept-language"] = "zh-CN,zh;q=0.9"
        asked = await visitor.open("/health")
        chosen = await visitor.send("/language", to="en", back="/ui/health")
        elsewhere = await visitor.send("/language", to="en", back="https://example.com/")
    assert "健康" in asked.text
    assert (chosen.path, "Health" in chosen.text) == ("/ui/health", True)
    assert elsewhere.path.rstrip("/") == "/ui"
