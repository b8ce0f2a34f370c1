"""What hooks of other machines send and ask reaches their own tenant alone."""

import json
from collections.abc import Mapping
from typing import Any

import httpx2
import pytest
from tests.surface.http.attack.agent import McpAgent
from tests.surface.http.attack.conftest import SAID, Served
from tests.surface.http.attack.known_ids import compare_form, fill, make_up, put_in

from memoria.bare.remote import ABOUT, ASK, RECORD
from memoria.model.access import Access
from memoria.surface.mcp.asked import QUESTIONS

_PROBLEM = "application/problem+json"
_TURN = {"role": "user", "content": "Where is the vault of my sister?"}
_PLACE = {"session": "{session}", "client": "claude-code"}
CALLS: list[tuple[str, dict[str, Any]]] = [
    (RECORD, {**_PLACE, "project": "{workspace}", "turns": [{**_TURN, "message_id": "{message}"}]}),
    (RECORD, {**_PLACE, "project": "none", "turns": [], "event": "session_end"}),
    *(
        (ASK, {"ask": ask, "workspace": place, "prompt": "Where is the {entity} vault?", **_PLACE})
        for ask in QUESTIONS
        for place in ("{workspace}", None)
    ),
]


def send(agent: McpAgent, path: str, body: object) -> httpx2.Response:
    """Send JSON to a route of hooks."""
    sent = {"Content-Type": "application/json"}
    return agent.http.post(path, content=json.dumps(body).encode(), headers=sent)


def test_ids_of_another_tenant_answer_as_ids_that_never_were(served: Served) -> None:
    ann = served.agent(served.create_token("ann", Access.ADMIN).text)
    ids = fill(ann)
    before = ann.request("resources/read", uri=f"memory://sessions/{ids['session']}")["result"]
    twins = [served.agent(served.create_token(one).text) for one in ("ben", "cat")]
    for path, body in CALLS:
        told = [
            _write(send(twin, path, put_in(body, known)), {**known, "own": twin.own_session})
            for twin, known in zip(twins, (ids, make_up(ids)), strict=True)
        ]
        assert told[0] == told[1], (path, body)
        served.check_tells_nothing(told[0])
    after = ann.request("resources/read", uri=f"memory://sessions/{ids['session']}")["result"]
    assert after == before


def _write(answer: httpx2.Response, ids: Mapping[str, str]) -> str:
    return f"{answer.status_code} {compare_form({'body': answer.json()}, ids)}"


@pytest.mark.parametrize("access", [None, *Access])
def test_the_routes_ask_for_a_token_and_its_access(served: Served, access: Access | None) -> None:
    token = "" if access is None else served.create_token("ann", access).text
    http = served.client(token)
    reads = access is not None
    writes = access is not None and access.includes(Access.WRITE)
    body: dict[str, Any] = {"client": "x", "session": "s", "project": "none", "turns": []}
    for path, method, may in (
        (ABOUT, "GET", reads),
        (ASK, "POST", reads),
        (RECORD, "POST", writes),
    ):
        answer = http.request(method, path, json=body if method == "POST" else None)
        if may:
            assert answer.status_code not in (401, 403), (path, answer.text)
            continue
        assert answer.status_code == (401 if access is None else 403), (path, answer.text)
        assert answer.headers["content-type"] == _PROBLEM
        for target in (f"{path}/", f"/{path}", path.upper(), f"{path};x", f"{path}%2f"):
            assert http.request(method, target).status_code in (307, 401, 404, 405), target


def test_no_body_fails_inside_and_no_page_of_another_site_gets_in(served: Served) -> None:
    agent = served.agent(served.create_token("ann").text)
    token = f"Authorization: {agent.http.headers['Authorization']}"
    good = {"client": "x", "session": "s", "project": "/srv/x", "turns": [_TURN]}
    odd: tuple[object, ...] = (
        None, True, 0, 10**400, "", " ", "\0", "\ud800", "x" * 100_000, [], {}, [None], {"a": 1},
        "../../../etc", "/a\0b", [[]], [{"role": "root"}], [{"role": "user", "content": {}}],
    )  # fmt: skip
    bodies: list[object] = [{**good, name: value} for name in good for value in odd]
    bodies += bodies[::-1]  # each to both routes
    bodies += [
        {"ask": ask, name: value}
        for ask in (*QUESTIONS, "__init__", "")
        for name in ("workspace", "session", "prompt", "client")
        for value in odd[len(ask) % 4 :: 6]
    ]
    bodies += [{**good, "tenant": "ben"}, {**good, "trust": "user"}, [good], None, "x", 1]
    for number, body in enumerate(bodies):
        path = ASK if isinstance(body, dict) and "ask" in body else (RECORD, ASK)[number % 2]
        answer = send(agent, path, body)
        assert answer.status_code < 500, (path, str(body)[:200], answer.text[:300])
        served.check_tells_nothing(answer.text)
    raw = (b"", b"{", b"\xff", b"[" * 100_000, b'{"a":' * 100_000, b"9" * 100_000)
    for content in raw:
        for path in (RECORD, ASK):
            answer = agent.http.post(path, content=content)
            assert answer.status_code in (400, 415, 422), (path, content[:20], answer.text[:300])
            assert answer.headers["content-type"] == _PROBLEM
    body = json.dumps({**good, "turns": [{**_TURN, "content": SAID}]}).encode()
    for path in (RECORD, ASK):
        for kind in ("text/plain", "application/x-www-form-urlencoded", "application/json"):
            sent = f"Content-Type: {kind}"
            served.check_refusal(served.ask(path, sent, body=body), (401,))
            for origin in ("Origin: https://evil.example", "Origin: null"):
                served.check_refusal(served.ask(path, token, origin, sent, body=body), (403,))
    found = agent.do("search_conversation_traces", query="Quetzalcoatl vault", workspace="*")
    assert "Quetzalcoatl" not in json.dumps(found)
