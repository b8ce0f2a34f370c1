"""Over REST, no body and no way of writing a path or query makes a route fail inside."""

import gzip
import json
from itertools import count
from typing import Any

import pytest
from tests.surface.http.attack.conftest import SAID, Served
from tests.surface.http.attack.known_ids import make_up
from tests.surface.http.attack.rest_calls import RestTenant, build_example, quote

from memoria.surface.http.rest.routes import ROUTES
from memoria.surface.http.rest.table import RestRoute

Row = RestRoute[Any]
_DEEP = 100_000
_MIB = 1 << 20
_ODD_OF_EACH = 3
"""Number of odd values that each argument gets; all of them get all."""
_PROBLEM = "application/problem+json"
WRITES = [route for route in ROUTES if route.reads_json]
_LONG = ("export_memory", "list_events")
"""Operations whose answers are long, or go on until somebody leaves."""
NO_ORDERS = {
    "nothing": b"",
    "a NUL": b"\0",
    "no JSON": b"{",
    "a text": b'"x"',
    "null": b"null",
    "a list": b"[]",
    "a number": b"1e999",
    "deep lists": b"[" * _DEEP + b"]" * _DEEP,
    "deep objects": b'{"a":' * _DEEP + b"1" + b"}" * _DEEP,
    "a deep field": b'{"query":' + b"[" * _DEEP + b"]" * _DEEP + b"}",
    "a number of 100,000 digits": b'{"limit":' + b"9" * 100_000 + b"}",
    "no UTF-8": b'{"query":"\xff\xfe"}',
    "two objects": b'{"query":"x"}{"query":"y"}',
    "NaN": b'{"query":NaN,"content":NaN,"importance":NaN,"limit":Infinity}',
    "an unknown field": b'{"__class__":"x","self":1}',
}
ODD: tuple[object, ...] = (
    None, True, 0, -1, 10**30, 1.5, "", " ", "\0", "\ud800", "x" * 100_000, [], {}, [None], [[]],
    ["\0"], {"a": 1}, "../../../etc/passwd", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00+14:00",
    "²",
)  # fmt: skip


@pytest.mark.parametrize("part", range(3))
def test_what_is_no_order_is_refused_as_a_problem(served: Served, part: int) -> None:
    ann = RestTenant(served, "ann")
    for route in WRITES[part::3]:
        path = route.open_path.format(**dict.fromkeys(route.path_names, "x"))
        for what, body in NO_ORDERS.items():
            sent = {"Content-Type": "application/json"}
            answer = ann.http.request(route.method, path, content=body, headers=sent)
            if what == "nothing" and answer.status_code < 300:
                needed = [one for one in route.order.model_fields.values() if one.is_required()]
                assert needed == [], route.name
                continue
            assert answer.status_code in (400, 404, 409, 422), (route.name, what, answer.text[:300])
            assert answer.headers["content-type"] == _PROBLEM, (route.name, what)
            served.check_tells_nothing(answer.text)


def test_a_body_that_is_no_utf_8_is_refused_as_a_problem(served: Served) -> None:
    ann, sent = RestTenant(served, "ann"), {"Content-Type": "application/json"}
    texts = [b'{"query":"\xed\xa0\x80"}', b'{"query":"\xff"}']
    texts += ['{"query":"bees"}'.encode(form) for form in ("utf-16", "utf-16-le", "utf-32")]
    for body in texts:
        answer = ann.http.post("/memory/search", content=body, headers=sent)
        assert answer.status_code in (400, 422), (body, answer.text)
        assert answer.headers["content-type"] == _PROBLEM, body


def test_a_body_of_another_kind_is_refused_as_a_problem(served: Served) -> None:
    ann = RestTenant(served, "ann")
    for route in ROUTES:
        if route.method == "GET":
            continue
        path = route.open_path.format(**dict.fromkeys(route.path_names, "x"))
        for kind in (
            "text/plain",
            "multipart/form-data; boundary=x",
            "application/x-www-form-urlencoded",
            "application/jsonx",
            "",
        ):
            sent = {"Content-Type": kind}
            answer = ann.http.request(route.method, path, content=b"{}", headers=sent)
            assert answer.status_code == 415, (route.name, kind, answer.text[:300])
            assert answer.headers["content-type"] == _PROBLEM, (route.name, kind)


def test_who_hangs_up_while_it_sends_leaves_no_error(served: Served) -> None:
    ann = RestTenant(served, "ann")
    token = f"Authorization: {ann.http.headers['Authorization']}"
    head = (
        token,
        "Content-Type: application/json",
        "Content-Length: 99",
        "MCP-Protocol-Version: 2026-07-28",
    )
    for path, method in {("/mcp", "POST"), *((one.path, one.method) for one in WRITES)}:
        served.ask(path, *head, method=method, body=b"", ends=True)
    # The log is looked at when the server has stopped.


def test_a_large_or_packed_body_is_refused(served: Served) -> None:
    ann = RestTenant(served, "ann")
    token = f"Authorization: {ann.http.headers['Authorization']}"
    packed = gzip.compress(json.dumps({"content": SAID, "query": SAID}).encode())
    for route in WRITES:
        path = route.open_path.format(**dict.fromkeys(route.path_names, "x"))
        kind = "Content-Type: application/json"
        answer = served.ask(path, token, kind, method=route.method, body=b"[" * 10 * _MIB)
        assert answer.status in (None, 413), (route.name, answer.raw[:300])
        assert answer.status is None or answer.form == _PROBLEM, route.name
        packing = "Content-Encoding: gzip"
        answer = served.ask(path, token, kind, packing, method=route.method, body=packed)
        served.check_refusal(answer, (400, 415), route.name)


@pytest.mark.parametrize("part", range(4))
def test_no_value_of_an_argument_fails_inside(served: Served, part: int) -> None:
    ann = RestTenant(served, "ann")
    ids = make_up(ann.fill())
    ann = RestTenant(served, "ben")  # one that has nothing to tell
    turns = count(part * 5)
    for route in [one for one in ROUTES if one.name not in _LONG][part::4]:
        for name in route.order.model_fields:
            for value in [ODD[next(turns) % len(ODD)] for _ in range(_ODD_OF_EACH)]:
                if name in route.path_names and not (isinstance(value, str) and value):
                    continue
                arguments = {**build_example(route, ids), name: value}
                answer = send_odd(ann, route, arguments)
                assert answer.status_code < 500, (
                    route.name,
                    name,
                    str(value)[:50],
                    answer.text[:300],
                )
                if answer.status_code >= 400:
                    assert answer.headers["content-type"] == _PROBLEM, (route.name, name)
                served.check_tells_nothing(answer.text)


def send_odd(tenant: RestTenant, route: Row, arguments: dict[str, Any]) -> Any:  # noqa: ANN401  (a response)
    """Call a route with values that a client would refuse to send."""
    named = {name: quote(str(arguments[name])) for name in route.path_names}
    rest = {name: one for name, one in arguments.items() if name not in named}
    path = route.open_path.format(**{name: one[:9_000] for name, one in named.items()})
    if route.method == "GET":
        query = "&".join(f"{name}={quote(str(one))[:9_000]}" for name, one in rest.items())
        return tenant.http.get(f"{path}?{query}")
    if not route.reads_json:
        return tenant.send(route, arguments)
    sent = {"Content-Type": "application/json"}
    return tenant.http.request(route.method, path, content=json.dumps(rest).encode(), headers=sent)


def test_no_way_of_writing_a_path_or_query_fails_inside(served: Served) -> None:
    ann = RestTenant(served, "ann")
    token = f"Authorization: {ann.http.headers['Authorization']}"
    tails = (
        "%00", "%ff%fe", "%ed%a0%80", "..%2f..%2fetc%2fpasswd", "..", ".", "a/b/c", "%2e%2e%2f",
        "%", "%zz", "a" * 20_000, "%0d%0aX-A:%20b", "?x=%ff", "?limit=1&limit=2", "?limit=%00",
        "?=", "?&&&", "?limit[]=1", "?" + "a=b&" * 5_000, "?limit=1#x", ";limit=1", "\\",
        "*", "%5c..", "//",
    )  # fmt: skip
    for route in [one for one in ROUTES if one.name != "list_events"]:
        base = route.open_path.partition("{")[0].rstrip("/")
        for tail in tails:
            target = f"{base}/{tail}" if tail[0] != "?" else f"{base}{tail}"
            answer = served.ask(target, token, method=route.method)
            assert answer.status in range(200, 500), (route.name, tail[:60], answer.raw[:300])
            assert b"x-a:" not in answer.head
            served.check_tells_nothing(answer.raw)


def test_a_form_of_another_site_changes_nothing(served: Served) -> None:
    ann = RestTenant(served, "ann")
    ids = ann.fill()
    before = ann.do("tell_status")
    token = f"Authorization: {ann.http.headers['Authorization']}"
    for route in ROUTES:
        named = {name: quote(ids["memory"]) for name in route.path_names}
        path = route.open_path.format(**named)
        body = json.dumps(build_example(route, ids)).encode()
        for kind in ("text/plain", "application/x-www-form-urlencoded", "application/json"):
            sent = f"Content-Type: {kind}"
            for origin in ("Origin: https://evil.example", "Origin: null"):
                answer = served.ask(path, token, origin, sent, method=route.method, body=body)
                served.check_refusal(answer, (403,), (route.name, kind))
                assert b"access-control-" not in answer.head
            answer = served.ask(path, "Cookie: a=b", sent, method=route.method, body=body)
            served.check_refusal(answer, (401,), (route.name, kind))
    assert ann.do("tell_status") == before
