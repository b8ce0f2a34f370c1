"""No body, however large, deep or odd, makes the server fail, or tell anything."""

import gzip
import json
from typing import Any

import pytest
from tests.surface.http.attack.agent import McpAgent, McpEra
from tests.surface.http.attack.conftest import SAID, Answer, Served

from memoria.model.access import Access

_MIB = 1 << 20
_DEEP = 100_000
_CALL = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":'
NO_MESSAGES = {
    "nothing": b"",
    "a NUL": b"\0",
    "no JSON": b"{",
    "a text": b'"x"',
    "null": b"null",
    "a number": b"1e999",
    "an empty batch": b"[]",
    "a batch of 10,000": b"["
    + b",".join([b'{"jsonrpc":"2.0","id":1,"method":"ping"}'] * 10_000)
    + b"]",
    "deep lists": b"[" * _DEEP + b"]" * _DEEP,
    "deep objects": b'{"a":' * _DEEP + b"1" + b"}" * _DEEP,
    "deep parameters": _CALL + b'{"arguments":' + b"[" * _DEEP + b"]" * _DEEP + b"}}",
    "deep and without end": b"[" * _DEEP,
    "a number of 100,000 digits": b'{"jsonrpc":"2.0","method":"ping","id":' + b"9" * 100_000 + b"}",
    "UTF-16": '{"jsonrpc":"2.0","id":1,"method":"ping"}x'.encode("utf-16"),
    "no UTF-8": b'{"jsonrpc":"2.0","id":1,"method":"\xff\xfe"}',
    "a surrogate as bytes": b'{"jsonrpc":"2.0","id":1,"method":"\xed\xa0\x80"}',
    "two messages": b'{"jsonrpc":"2.0","id":1,"method":"ping"}' * 2,
    "Infinity as id": b'{"jsonrpc":"2.0","id":Infinity,"method":"ping"}',
    "NaN as id": b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}',
    "an object as id": b'{"jsonrpc":"2.0","id":{"a":[]},"method":"ping"}',
    "true as id": b'{"jsonrpc":"2.0","id":true,"method":"ping"}',
    "no method": b'{"jsonrpc":"2.0","id":1}',
    "an answer": b'{"jsonrpc":"2.0","id":1,"result":{}}',
    "another version": b'{"jsonrpc":"1.0","id":1,"method":"ping"}',
    "an unknown method": b'{"jsonrpc":"2.0","id":1,"method":"__class__"}',
    "parameters in a list": b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}',
    "a tool that is none": _CALL + b'{"name":"__init__","arguments":{}}}',
    "a name that is none": _CALL + b'{"name":["get_memory"],"arguments":{}}}',
    "arguments in a text": _CALL + b'{"name":"get_memory","arguments":"id"}}',
}
_LISTS = json.loads("[" * 900 + "]" * 900)
ARGUMENTS: dict[str, tuple[str, dict[str, Any]]] = {
    "a lone surrogate": ("remember", {"content": "Ann \ud800 keeps bees."}),
    "a NUL": ("remember", {"content": "Ann\0 keeps hens."}),
    "a NUL in an id": ("get_memory", {"id": "a\0b"}),
    "a surrogate in an id": ("get_memory", {"id": "\udfff"}),
    "a path as an id": ("get_memory", {"id": "../../../etc/passwd"}),
    "an id of a million characters": ("get_memory", {"id": "a" * 1_000_000}),
    "a project's path": ("search_memory", {"query": "bees", "workspace": "../../../etc"}),
    "a NUL in a project": ("search_memory", {"query": "bees", "workspace": "/a\0b"}),
    "a pattern in a query": ("search_memory", {"query": "(" * 20_000}),
    "operators in a query": ("search_memory", {"query": 'NEAR("a" "b", 5) OR * AND ^ NOT -"'}),
    "a query of 3 MB": ("search_memory", {"query": "bees " * 600_000}),
    "an endless importance": ("remember", {"content": "Ann has hens.", "importance": float("inf")}),
    "no number": ("remember", {"content": "Ann has hens.", "importance": float("nan")}),
    "a huge number": ("search_memory", {"query": "bees", "limit": 10**400}),
    "a huge offset": ("get_memory", {"id": "a", "offset": 10**30}),
    "a year of five digits": ("remember", {"content": "Ann flies.", "until": "99999-01-01"}),
    "a year before all": ("search_memory", {"query": "bees", "as_of": "0000-00-00"}),
    "a far zone": ("search_memory", {"query": "bees", "since": "2026-01-01T00:00:00+99:99"}),
    "the last moment": ("search_memory", {"query": "bees", "until": "9999-12-31T23:59:59Z"}),
    "the first moment": ("search_memory", {"query": "bees", "since": "0001-01-01T00:00:00+14:00"}),
    "many wordings": ("search_memory", {"queries": ["bees"] * 10_000}),
    "many ids": ("forget_memory", {"ids": [f"{n:036}" for n in range(20_000)]}),
    "an odd token": ("forget_memory", {"ids": ["a"], "token": "é\0" * 1_000}),
    "other names": ("get_memory", {"id": "a", "__proto__": {"x": 1}, "self": 1, "ctx": 2}),
    "an argument of ours": ("forget_memory", {"ids": ["a"], "preview": {}, "consent": {}}),
    "an answer of ours": (
        "revise_memory", {"id": "a", "action": "confirm", "answer": {"true": True}},
    ),
    "a list as an id": ("get_memory", {"id": ["a"]}),
    "turns of no form": ("record_conversation", {"turns": [{"role": "root", "content": 1}, None]}),
    "many empty turns": ("record_conversation", {"turns": [{"role": "user"}] * 5_000}),
    "a session of a million": (
        "update_scratchpad", {"current_focus": "x", "session_id": "s" * 1_000_000},
    ),
    "a focus of a million": ("update_scratchpad", {"current_focus": "x" * 1_000_000}),
    "deep arguments of a tool": (
        "record_conversation",
        {"turns": [{"role": "tool", "tool_name": "x", "tool_args": _LISTS}]},
    ),
}  # fmt: skip


def send_raw(agent: McpAgent, body: bytes, **headers: str) -> Answer:
    """Send a body as it is, with the headers that a call of `get_memory` has."""
    _, known = agent.write("tools/call", {"name": "get_memory"})
    sent = {**known, "Content-Type": "application/json", **headers}
    found = agent.http.post("/mcp", content=body, headers=sent)
    head = f"HTTP/1.1 {found.status_code}\r\ncontent-type: {found.headers.get('content-type')}"
    return Answer(head.encode() + b"\r\n\r\n" + found.content)


@pytest.mark.parametrize("era", ["new", "old"])
def test_what_is_no_message_is_refused(served: Served, era: McpEra) -> None:
    agent = served.agent(served.create_token().text, era)
    agent.request("tools/list")
    for what, body in NO_MESSAGES.items():
        answer = send_raw(agent, body)
        content = answer.raw.partition(b"\r\n\r\n")[2]
        served.check_tells_nothing(answer.raw)
        assert answer.status is not None, what
        is_refused = answer.status in range(400, 500) or (
            answer.status in (200, 202) and (b'"error"' in content or b'"isError":true' in content)
        )
        is_dropped = era == "old" and answer.status == 202 and not content  # as a notification is
        assert is_refused or is_dropped, (what, answer.raw[:300])
    assert "result" in agent.request("tools/list")


@pytest.mark.parametrize("part", range(4))
def test_no_argument_of_a_tool_fails_inside(served: Served, part: int) -> None:
    agent = served.agent(served.create_token("ann", Access.ADMIN).text)
    agent.do("remember", content=SAID)
    for what in [*ARGUMENTS][part::4]:
        tool, arguments = ARGUMENTS[what]
        body, headers = agent.write("tools/call", {"name": tool, "arguments": arguments})
        sent = {**headers, "Content-Type": "application/json"}
        found = agent.http.post("/mcp", content=json.dumps(body).encode(), headers=sent)
        assert found.status_code < 500, (what, found.text[:300])
        assert "Error executing" not in found.text, (what, found.text[:300])
        assert "Traceback" not in found.text, (what, found.text[:300])
        assert "-32603" not in found.text, (what, found.text[:300])  # the code of an internal error


@pytest.mark.parametrize("target", ["/mcp", "/healthz", "/nowhere"])
def test_a_body_of_10_mb_is_refused(served: Served, target: str) -> None:
    token = f"Authorization: Bearer {served.create_token().text}"
    kind = "Content-Type: application/json"
    chunk = b"%x\r\n%s\r\n" % (_MIB, b"[" * _MIB)
    raw = b""
    first = (f"POST {target} HTTP/1.1", "Host: localhost", "Connection: close", token, kind)
    for version in ("2026-07-28", "2025-06-18"):
        era = f"MCP-Protocol-Version: {version}"
        answer = served.ask(target, token, kind, era, body=b"[" * 10 * _MIB)
        assert answer.status in (None, 404, 405, 413), answer.raw[:300]
        served.check_tells_nothing(answer.raw)
        raw = "\r\n".join((*first, era, "Transfer-Encoding: chunked")).encode() + b"\r\n\r\n"
        served.check_refusal(served.send(raw + chunk * 10 + b"0\r\n\r\n"))
    if target == "/mcp":
        served.check_refusal(served.send(raw + chunk * 6))  # without an end


def test_a_body_that_is_not_as_long_as_it_says_is_refused(served: Served) -> None:
    token = f"Authorization: Bearer {served.create_token().text}"
    kind = "Content-Type: application/json"
    for length in ("100", "-1", "+2", "0x2", "2.0", "1_0", "2,2", "2, 3", "", " ", "²", "9" * 400):
        answer = served.ask("/mcp", token, kind, f"Content-Length: {length}", body=b"", ends=True)
        served.check_refusal(answer)


def test_a_packed_body_is_not_unpacked(served: Served) -> None:
    agent = served.agent(served.create_token().text)
    packed = gzip.compress(b" " * (64 * _MIB))
    for encoding in ("gzip", "deflate", "br", "zstd", "gzip, gzip", "identity, gzip", "x"):
        answer = send_raw(agent, packed, **{"Content-Encoding": encoding})
        served.check_refusal(answer)
    call = {"name": "remember", "arguments": {"content": SAID}}
    body, _ = agent.write("tools/call", call)
    answer = send_raw(
        agent, gzip.compress(json.dumps(body).encode()), **{"Content-Encoding": "gzip"}
    )
    served.check_refusal(answer)


def test_a_request_hidden_in_another_is_not_answered(served: Served) -> None:
    token = f"Authorization: Bearer {served.create_token().text}"
    failed: list[object] = []
    hidden = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    size = len(hidden) + 5
    shapes = {
        "length and chunks": ("Content-Length: 5", "Transfer-Encoding: chunked"),
        "chunks and length": ("Transfer-Encoding: chunked", f"Content-Length: {size}"),
        "two lengths": ("Content-Length: 5", f"Content-Length: {size}"),
        "chunks of another kind": ("Transfer-Encoding: xchunked",),
        "packed chunks": ("Transfer-Encoding: gzip, chunked",),
        "chunks twice": ("Transfer-Encoding: chunked", "Transfer-Encoding: identity"),
        "chunks by a tab": ("Transfer-Encoding:\tchunked\x0b",),
        "chunks with a space": ("Transfer-Encoding : chunked",),
        "folded chunks": ("Transfer-Encoding:\r\n chunked, x",),
        "an odd line's end": ("X: a\nTransfer-Encoding: chunked, x",),
        "a lone return": ("X: a\rTransfer-Encoding: chunked",),
        "an underscore": ("Content_Length: 5", "Transfer-Encoding: x"),
    }
    for what, lines in shapes.items():
        for shown in ((token,), ()):
            head = "\r\n".join(("POST /mcp HTTP/1.1", "Host: localhost", *shown, *lines))
            answer = served.send(head.encode() + b"\r\n\r\n0\r\n\r\n" + hidden, ends=True)
            served.check_tells_nothing(answer.raw)
            if answer.count > 1 or answer.status not in (None, 400, 401, 411, 501):
                failed.append((what, bool(shown), answer.status, answer.count))
    assert failed == []


def test_a_flood_of_headers_is_refused(served: Served) -> None:
    token = f"Authorization: Bearer {served.create_token().text}"
    for lines in (
        [f"X-{number}: {number}" for number in range(100_000)],
        ["X: " + "a" * _MIB],
        ["a" * _MIB + ": x"],
        ["Cookie: " + "a=b; " * 300_000],
    ):
        served.check_refusal(served.ask("/mcp", token, *lines), (400, 431))
        served.check_refusal(served.ask("/mcp", *lines), (400, 431))
