"""Nobody without a visit of the right kind opens a page of the viewer or does anything there."""

from collections.abc import Iterator
from itertools import count
from typing import Any

import httpx2
import pytest
from tests.surface.http.attack.known_ids import make_up
from tests.surface.http.conftest import StartServer
from tests.surface.http.viewer.attack.judge import judge_page
from tests.surface.http.viewer.attack.stage import (
    ACTIONS,
    DOORS,
    FRAME,
    PAGES,
    SAID_WORD,
    VISIT,
    ViewerGuest,
    call,
    enter,
    fill,
    list_calls,
    open_memory,
    place_arguments,
    summarise,
)

from memoria.model import now_millis
from memoria.model.access import LINK_BEGINS, Access
from memoria.surface.http.viewer.table import ROOT

pytestmark = pytest.mark.anyio
MADE_UP = make_up(
    dict.fromkeys(
        ("memory", "outdated", "turn", "report", "night", "forget_token", "session"),
        "019c0c6e-5f3a-7b1e-8a34-2f4f3b1d9e01",
    )
)


_WHOLE = 2
"""Number of heads that are shown to every page; of the others each page sees some."""


def check_refusal(answer: httpx2.Response, statuses: tuple[int, ...], of: object) -> None:
    """Check that an answer refuses and tells nothing of the memory."""
    assert answer.status_code in statuses, (of, answer.status_code, answer.text[:300])
    assert SAID_WORD not in answer.text, of
    if answer.headers.get("content-type", "").startswith("text/html"):
        assert judge_page(answer.text).faults == [], of
    check_headers(answer, of)


def check_headers(answer: httpx2.Response, of: object) -> None:
    """Check that a browser keeps the answer to itself, and runs nothing that stands in it."""
    headers = answer.headers
    assert headers.get("x-content-type-options") == "nosniff", of
    assert headers.get("cache-control", "").startswith(("no-store", "max-age=")), of
    if headers.get("content-type", "").startswith("text/html"):
        parts = [one.split() for one in headers["content-security-policy"].split(";")]
        policy = {name: sources for name, *sources in filter(None, parts)}
        assert headers["cache-control"] == "no-store", of
        assert headers["referrer-policy"] in ("no-referrer", "same-origin"), of
        assert policy["frame-ancestors"] == ["'none'"], of
        assert policy["base-uri"] == ["'none'"], of
        assert policy["form-action"] == ["'self'"], of
        assert policy["default-src"] in (["'none'"], ["'self'"]), of
        allowed = {source for sources in policy.values() for source in sources}
        assert allowed <= {"'self'", "'none'"}, of


def write_cookies(token: str, visit: str) -> Iterator[dict[str, str]]:
    """Write heads that show something that is no visit of the viewer's."""
    parts = visit.split(".")
    yield {}
    yield {"Authorization": f"Bearer {token}"}
    yield {"Authorization": f"Bearer {visit}"}
    for text in (
        token,
        "",
        visit[:-1],
        f"{visit}A",
        visit.swapcase(),
        visit.replace("memvisit_", "mem_"),
        visit.replace("memvisit_", "memlink_"),
        token.replace("mem_", "memvisit_"),
        ".".join([*parts[:2], "x" * 43]),
        ".".join(["memvisit_YmVu", *parts[1:]]),
        "memvisit_" + "." * 2_000,
    ):
        yield {"Cookie": f"{VISIT}={text}"}
    for name in (VISIT.upper(), f"{VISIT}s", "token", f"__Host-{VISIT}"):
        yield {"Cookie": f"{name}={visit}"}


async def test_whatever_is_no_visit_opens_no_page_and_does_nothing(
    start_server: StartServer,
) -> None:
    async with start_server() as server, enter(server) as ann:
        memory = open_memory(server)
        await fill(memory)
        token = (await server.create_token("ann", Access.ADMIN)).text
        before = await summarise(memory)
        async with httpx2.AsyncClient(base_url=server.url, timeout=30) as http:
            for number, head in enumerate(write_cookies(token, ann.http.cookies[VISIT])):
                rows = [*list_calls(MADE_UP, DOORS)]
                for row, arguments in rows if number < _WHOLE else rows[number % 9 :: 9]:
                    nobody = ViewerGuest(http, ann.csrf)
                    answer = await call(nobody, row, arguments, **head)
                    check_refusal(answer, (401,), (row.name, head))
        assert await summarise(memory) == before


async def test_a_visit_and_a_link_that_are_over_open_nothing(start_server: StartServer) -> None:
    async with start_server() as server:
        tokens = open_memory(server).tokens
        ends = now_millis() + 60
        used, ended = [
            await tokens.create(Access.ADMIN, "viewer", None if n else ends, LINK_BEGINS)
            for n in (1, 0)
        ]
        revoked = await tokens.create(Access.ADMIN, "viewer", None, LINK_BEGINS)
        await tokens.revoke(revoked.token.id)
        async with httpx2.AsyncClient(base_url=server.url, timeout=30) as http:
            opened = await http.get(f"{ROOT}/enter", params={"link": used.text})
            assert opened.status_code == 200
            visit = http.cookies[VISIT]
            http.cookies.clear()
            while now_millis() <= ends:
                pass
            for link in (used.text, ended.text, revoked.text, visit, "", "memlink_", "x" * 9_000):
                answer = await http.get(f"{ROOT}/enter", params={"link": link})
                check_refusal(answer, (401,), link[:40])
                assert VISIT not in answer.headers.get("set-cookie", "")
            for method in ("POST", "PUT", "DELETE"):
                answer = await http.request(method, f"{ROOT}/enter?link={used.text}")
                assert answer.status_code in (401, 405), method
            await tokens.revoke(used.token.id)  # before anybody has shown the visit
            for row, arguments in list_calls(MADE_UP, DOORS):
                head = {"Cookie": f"{VISIT}={visit}"}
                answer = await call(ViewerGuest(http), row, arguments, **head)
                check_refusal(answer, (401,), row.name)


async def test_a_form_without_the_visits_own_text_does_nothing_whatever_it_is(
    start_server: StartServer,
) -> None:
    async with start_server() as server, enter(server) as ann, enter(server) as other:
        memory = open_memory(server)
        ids = await fill(memory)
        before = await summarise(memory)
        turns = count()
        wrong = ("0" * 64, other.csrf, ann.csrf[:-1], ann.csrf + "0", ann.csrf.upper(), "é\0")
        for row, arguments in list_calls(ids):
            if row not in ACTIONS:
                continue
            for csrf in ("", *(wrong[next(turns) % len(wrong)] for _ in range(2))):
                answer = await ann.send(row, arguments, csrf)
                check_refusal(answer, (403,), (row.name, csrf))
            path, rest = place_arguments(row, arguments)
            odd: tuple[dict[str, Any], ...] = (
                {"data": rest},
                {"params": {"csrf": ann.csrf, **rest}},
                {"json": {"csrf": ann.csrf, **rest}},
                {"files": {"csrf": (None, ann.csrf)}},
                {"data": {"csrf": ["", ann.csrf], **rest}},
            )
            for sent in (odd[0], odd[1 + next(turns) % 4]):
                answer = await ann.http.post(path, **sent)
                check_refusal(answer, (403, 415), (row.name, [*sent]))
            answer = await ann.http.get(path, params={"csrf": ann.csrf, **rest})
            assert answer.status_code < 500, row.name
        for path in FRAME:
            for csrf in wrong:
                answer = await ann.http.post(path, data={"csrf": csrf})
                check_refusal(answer, (403,), (path, csrf))
        assert await summarise(memory) == before


async def test_a_page_of_another_site_opens_no_page_and_does_nothing(
    start_server: StartServer,
) -> None:
    origins = ("https://evil.example", "null", "http://127.0.0.1.evil.example", "file://")
    async with start_server() as server, enter(server) as ann:
        memory = open_memory(server)
        ids, turns = await fill(memory), count()
        before = await summarise(memory)
        for row, arguments in list_calls(ids, DOORS):
            origin = origins[next(turns) % len(origins)]  # a guard before all routes looks at it
            answer = await call(ann, row, arguments, Origin=origin)
            assert answer.status_code == 403, (row.name, origin)
            assert SAID_WORD not in answer.text
            assert "access-control-allow-origin" not in answer.headers
        # The same machine's other servers are of the same site to a browser, which sends cookies.
        for row, arguments in list_calls(ids):
            if row in ACTIONS:
                shown = {"Origin": "http://127.0.0.1:3000"}
                answer = await ann.send(row, arguments, "", **shown)
                assert answer.status_code == 403, row.name
        assert await summarise(memory) == before


@pytest.mark.parametrize("access", [*Access])
async def test_a_visit_shows_and_does_nothing_beyond_its_access(
    start_server: StartServer, access: Access
) -> None:
    async with start_server() as server, enter(server, "ann", access) as ann:
        memory = open_memory(server)
        await fill(memory)
        before = await summarise(memory)
        for row, arguments in list_calls(MADE_UP):
            if access.includes(row.access):
                continue
            check_refusal(await call(ann, row, arguments), (403,), (row.name, access))
        assert await summarise(memory) == before


async def test_every_answer_of_the_viewer_has_its_headers(start_server: StartServer) -> None:
    async with start_server() as server, enter(server) as ann:
        ids = await fill(open_memory(server))
        for row, arguments in list_calls(ids):
            if row in PAGES:
                check_headers(await call(ann, row, arguments), row.name)
        for path in (
            "/nowhere",
            "/nowhere/x",
            "/static/viewer.css",
            "/static/viewer.js",
            "/static/x",
        ):
            check_headers(await ann.http.get(f"{ROOT}{path}"), path)
        away = await ann.http.post(f"{ROOT}/leave", data={"csrf": ann.csrf})
        assert away.headers["cache-control"] == "no-store"
        cookies = away.headers.get_list("set-cookie")
        assert any(VISIT in one for one in cookies)


def test_names_and_paths_of_the_tables_are_each_given_once() -> None:
    for rows in (PAGES, ACTIONS):
        names = [one.name for one in rows]
        assert len({*names}) == len(names)
        paths = [one.path for one in rows]
        assert len({*paths}) == len(paths)
        assert all(path == ROOT or path.startswith(f"{ROOT}/") for path in paths)
