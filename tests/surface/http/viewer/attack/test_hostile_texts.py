"""Whatever somebody says, names or sends, a page shows it as text or refuses it."""

import re
from collections.abc import AsyncIterator
from contextlib import suppress
from itertools import count, islice

import httpx2
import pytest
from tests.surface.http.conftest import HttpServer, StartServer
from tests.surface.http.viewer.attack.hostile import LONG, RAW, SENT, STORED
from tests.surface.http.viewer.attack.judge import PageJudge, judge_page
from tests.surface.http.viewer.attack.stage import (
    ACTIONS,
    FRAME,
    PAGES,
    ROWS,
    ViewerGuest,
    build_example,
    call,
    enter,
    fill,
    leads_to,
    leads_to_page,
    list_path_names,
    open_memory,
    place_arguments,
)

from memoria import Memoria
from memoria.errors import InvalidInputError
from memoria.language.reading.fences import show_invisible
from memoria.model.access import Access
from memoria.surface.http.rest.table import EXAMPLE_IDS
from memoria.surface.http.viewer.table import ROOT

pytestmark = pytest.mark.anyio
_MIB = 1 << 20
_TEXTS_OF_EACH = 1
"""Number of hostile texts that each field gets, in turns."""
_BODIES_OF_EACH = 2
"""Number of odd bodies that each action gets, in turns."""
_MOST_LED_TO = 15
"""Number of pages that are opened because others lead to them."""
_SHOWN_CHARS = 12
_MOST_ADDRESS_CHARS = 8_000
"""Length of an address that every server and proxy reads."""


async def say_hostile(memory: Memoria) -> list[str]:
    """Have every text said, remembered and used as a name; return the ids of the memories."""
    ids = []
    for number, text in enumerate(STORED):
        turn = {"role": "user", "content": text, "speaker": text[:100], "session_id": f"s{number}"}
        tool = {
            "role": "tool",
            "content": "",
            "tool_name": text[:60],
            "tool_args": {text[:60]: text},
            "tool_result": text,
            "session_id": text[:100],
        }
        for one in (turn, tool):
            with suppress(InvalidInputError):
                await memory.record_conversation([one], workspace=text[:200])
        with suppress(InvalidInputError):
            stated = await memory.remember(
                text, subject=text[:60], entities=[text[:60]], workspace=text[:200], task=text[:60]
            )
            if stated.id is not None:
                ids.append(stated.id)
        with suppress(InvalidInputError):
            await memory.update_scratchpad(current_focus=text, session_id=text[:100])
        with suppress(InvalidInputError):
            await memory.tokens.create(Access.READ, text[:100])
    return ids


def read_page(answer: httpx2.Response, of: object) -> PageJudge:
    """Read a page; it must be one, and have no fault."""
    assert answer.headers["content-type"] == "text/html; charset=utf-8", (of, answer.text[:300])
    judge = judge_page(answer.text)
    assert judge.faults == [], (of, judge.faults[:5])
    return judge


async def walk(guest: ViewerGuest, ids: dict[str, str]) -> AsyncIterator[tuple[str, PageJudge]]:
    """Open every page, and pages to which they lead."""
    seen, waiting = set[str](), list[str]()
    for page in PAGES:
        answer = await guest.open(page, build_example(page, ids))
        assert answer.status_code < 500, (page.name, answer.text[:300])
        seen.add(str(answer.request.url.raw_path, "ascii"))
        if page.name == "file":  # test_memories.py judges what it is saved as
            assert answer.headers["content-disposition"].startswith("attachment;")
            continue
        judge = read_page(answer, page.name)
        waiting += judge.links
        yield page.name, judge
    own = dict.fromkeys(link.partition("#")[0] for link in waiting)
    for link in islice(
        (one for one in own if one not in seen and leads_to_page(one)), _MOST_LED_TO
    ):
        answer = await guest.http.get(link)
        assert answer.status_code in (200, 303), (link, answer.text[:300])
        is_file = "content-disposition" in answer.headers  # test_saving.py judges those
        if answer.status_code == 200 and not is_file:
            yield link, read_page(answer, link)


async def test_whatever_a_page_leads_to_is_a_page_or_an_action(start_server: StartServer) -> None:
    async with start_server() as server, enter(server) as ann:
        ids = await fill(open_memory(server))
        async for name, judge in walk(ann, ids):
            lost = [one for one in judge.links if not (one[:1] == "#" or leads_to_page(one))]
            assert lost == [], name
            lost = [one for one in judge.forms if one not in FRAME and not leads_to(one, ACTIONS)]
            assert lost == [], name


async def test_hostile_texts_that_are_on_record_are_shown_as_text(
    start_server: StartServer,
) -> None:
    async with start_server() as server, enter(server) as ann:
        memory = open_memory(server)
        ids = await fill(memory)
        hostile = await say_hostile(memory)
        assert len(hostile) > len(STORED) // 2
        ann.http.headers["accept-language"] = "zh"
        async for _ in walk(ann, ids):
            pass
        await check_shown(server, ann, ids, hostile)


async def check_shown(
    server: HttpServer, guest: ViewerGuest, ids: dict[str, str], hostile: list[str]
) -> None:
    """Check that the page of each memory shows its words."""
    memory, about = open_memory(server), EXAMPLE_IDS["memory"]
    pages = [one for one in PAGES if about in (one.example or {}).values()]
    for page in pages:
        for memory_id in hostile:
            answer = await guest.open(page, build_example(page, {**ids, "memory": memory_id}))
            judge = read_page(answer, (page.name, memory_id))
            said = (await memory.get_memory(memory_id)).current.content
            seen = show_invisible(" ".join(said.split()))[:_SHOWN_CHARS]
            text = " ".join(" ".join(judge.texts).split())
            assert seen in text, (page.name, said[:80])


async def test_no_text_in_any_field_makes_a_page_fail_or_bring_an_element(
    start_server: StartServer,
) -> None:
    async with start_server() as server, enter(server) as ann:
        ids = await fill(open_memory(server))
        turns = count()
        for row in ROWS:
            in_path = list_path_names(row)
            for name in row.wish.model_fields:
                for _ in range(_TEXTS_OF_EACH):
                    text = SENT[next(turns) % len(SENT)]
                    sent = text[:2_000] if row in PAGES or name in in_path else text
                    if name in in_path and not sent.strip("./"):
                        continue
                    answer = await call(ann, row, {**build_example(row, ids), name: sent})
                    assert answer.status_code < 500, (row.name, name, text[:60], answer.text[:300])
                    if answer.headers.get("content-type", "").startswith("text/html"):
                        read_page(answer, (row.name, name, text[:60]))
                    check_location(answer, (row.name, name, text[:60]))
                    if row in ACTIONS and answer.status_code == 303:
                        led = await ann.http.get(answer.headers["location"])
                        read_page(led, (row.name, name, text[:60], led.status_code))


def check_location(answer: httpx2.Response, of: object) -> None:
    """Check that an answer leads nowhere but into the viewer, and brings no header of a text."""
    location = answer.headers.get("location")
    assert location is None or re.match(r"/ui(?:[/?]|$)", location), of
    assert "\\" not in (location or ""), of
    assert len(location or "") < _MOST_ADDRESS_CHARS, of
    cookies = answer.headers.get_list("set-cookie")
    assert all(one.startswith("memoria_") for one in cookies), of


async def test_no_body_of_a_form_makes_an_action_fail(start_server: StartServer) -> None:
    async with start_server() as server, enter(server) as ann:
        ids = await fill(open_memory(server))
        large, turns = {LONG[0]: "x"}, count()
        paths = [place_arguments(row, build_example(row, ids))[0] for row in ACTIONS]
        fields = [[*row.wish.model_fields] for row in ACTIONS]
        for path, names in zip([*paths, *FRAME], [*fields, ["back"], ["to"]], strict=True):
            name = (names or ["x"])[0].encode()
            csrf = b"csrf=" + ann.csrf.encode()
            bodies = (
                *(csrf + b"&" + name + b"=" + raw for raw in RAW),
                *(raw + b"&" + csrf for raw in RAW),
                csrf + b"&" + name + b"=1&" + name + b"=2",
                csrf + b"&" + name + b"[]=1&=&&&",
                csrf + b"&x=1" * 5_000,
                csrf + b";" + name + b"=1",
                b"\0" * 1_000,
                b"",
            )
            for body in [bodies[next(turns) % len(bodies)] for _ in range(_BODIES_OF_EACH)]:
                if path == FRAME[0] and csrf in body:
                    continue  # which ends the visit
                answer = await ann.send_raw(path, body)
                assert answer.status_code < 500, (path, body[:80], answer.text[:300])
                if answer.headers.get("content-type", "").startswith("text/html"):
                    read_page(answer, (path, body[:80]))
                check_location(answer, (path, body[:80]))
            answer = await ann.http.post(path, data=large)
            assert answer.status_code in (403, 422), path
        path = [*paths, *FRAME][0]
        body = b"csrf=" + ann.csrf.encode() + b"&x=" + b"a" * 10 * _MIB
        with suppress(httpx2.TransportError):  # a close while it is sent is a refusal
            assert (await ann.send_raw(path, body)).status_code == 413
        assert (await ann.http.get("/ui/nowhere")).status_code == 404


async def test_no_cookie_or_head_of_a_visit_makes_a_page_fail(start_server: StartServer) -> None:
    async with start_server() as server, enter(server) as ann:
        path, visit = f"{ROOT}/nowhere", ann.http.cookies["memoria_visit"]
        ann.http.cookies.clear()
        odd = (
            "%00", "é", '"', "PHNjcmlwdD56cXgoKTwvc2NyaXB0Pg==", "4oCuenF4", "____", "a" * 4_000,
            "7aCA", "PHpxeC10YWc-",
        )  # fmt: skip
        for value in odd:
            for name in ("memoria_said", "memoria_language", "x"):
                cookie = f"memoria_visit={visit}; {name}={value}".encode()
                answer = await ann.http.get(path, headers={b"Cookie": cookie})
                assert answer.status_code == 404, (name, value)
                read_page(answer, (name, value))
            for name in ("Accept-Language", "User-Agent", "Referer", "Accept"):
                kept = f"memoria_visit={visit}".encode()
                head = {b"Cookie": kept, name.encode(): value.encode()}
                answer = await ann.http.get(path, headers=head)
                assert answer.status_code == 404, (name, value)
                read_page(answer, (name, value))
