"""No other name of the server, page of another site, way of writing a path or method gets past."""

import pytest
from tests.surface.http.attack.conftest import SAID, Served

from memoria.model.access import Access

HOSTS = (
    "evil.example",
    "localhost.evil.com",
    "localhost.",
    "127.0.0.1.",
    "localhost@evil.com",
    "evil@localhost",
    "user:pass@localhost",
    "localhost:8420@evil.com",
    "[::1].evil",
    "[::1]evil",
    "[::1",
    "::1",
    "[::1%25eth0]",
    "[::ffff:127.0.0.1]",
    "127.1",
    "127.0.0.2",
    "0.0.0.0",  # noqa: S104  (nobody listens there)
    "0",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "localhost:",
    "localhost:x",
    "localhost:80:80",
    "localhost:²",
    "localhost,evil.com",
    "localhost evil.com",
    "localhost/evil.com",
    "evil.com#localhost",
    "evil.com?localhost",
    "evil.com\\localhost",
    "evil.com:80localhost",
    "ⅼocalhost".encode().decode("latin-1"),
    "memory.example.com.evil.com",
    "notmemory.example.com",
    "memory.example.com.",
    "*.example.com",
    "*",
    "",
    " ",
    "\t",
    "null",
    "localhost\x00.evil.com",
    "a" * 5_000,
)
ORIGINS = (
    "null",
    "",
    "https://evil.example",
    "http://localhost.evil.com",
    "http://localhost@evil.com",
    "http://evil.com:80",
    "http://evil.com/localhost",
    "http://evil.com#localhost",
    "localhost",
    "//localhost",
    "http:localhost",
    "file://",
    "file:///localhost",
    "http://localhost http://evil.com",
    "http://localhost, http://evil.com",
    "http://localhost:",
    "http://localhost.",
    "http://127.1",
    "https://memory.example.com.evil.com",
    "*",
)


def test_another_name_of_the_server_is_refused_even_with_a_token(served: Served) -> None:
    token = f"Authorization: Bearer {served.create_token().text}"
    for host in HOSTS:
        for target in ("/mcp", "/healthz"):
            answer = served.ask(target, token, host=host)
            served.check_refusal(answer, (400, 421), host)
    for host in ("LOCALHOST", "localhost:8420", "[::1]:1", "[::1]", "127.0.0.1:65535"):
        assert served.ask("/healthz", method="GET", host=host).status == 200, host


def test_a_page_of_another_site_is_refused_even_with_a_token(served: Served) -> None:
    token = f"Authorization: Bearer {served.create_token().text}"
    for origin in ORIGINS:
        sent = b"Origin: " + origin.encode("latin-1")
        for method in ("POST", "GET", "OPTIONS", "DELETE"):
            answer = served.ask("/mcp", token, sent, method=method)
            served.check_refusal(answer, (400, 403), origin)
            assert b"access-control-" not in answer.head, origin
    twice = ("Origin: http://localhost", "Origin: https://evil.example")
    for headers in (twice, twice[::-1]):
        served.check_refusal(served.ask("/mcp", token, *headers), (400, 403))


def test_no_header_beside_host_names_the_server(served: Served) -> None:
    token = f"Authorization: Bearer {served.create_token().text}"
    for header in (
        "X-Forwarded-Host",
        "X-Host",
        "Forwarded",
        "X-Original-Host",
        "X-HTTP-Host-Override",
    ):
        value = "host=localhost" if header == "Forwarded" else "localhost"
        answer = served.ask("/mcp", token, f"{header}: {value}", host="evil.example")
        served.check_refusal(answer, (421,))
    port = str(served.port).encode()
    head = token.encode() + b"\r\nConnection: close\r\nContent-Length: 2\r\n"
    raw = {
        "none": b"POST /mcp HTTP/1.1\r\n" + head + b"\r\n{}",
        "none of an older HTTP": b"POST /mcp HTTP/1.0\r\n" + head + b"\r\n{}",
        "two": b"POST /mcp HTTP/1.1\r\nHost: evil.com\r\nHost: localhost\r\n" + head + b"\r\n{}",
        "two, the right one first": (
            b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nHost: evil.com\r\n" + head + b"\r\n{}"
        ),
        "another in the target": (
            b"POST http://evil.com/mcp HTTP/1.1\r\nHost: localhost\r\n" + head + b"\r\n{}"
        ),
        "another beside the right target": (
            b"POST http://localhost:"
            + port
            + b"/mcp HTTP/1.1\r\nHost: evil.com\r\n"
            + head
            + b"\r\n{}"
        ),
        "folded": b"POST /mcp HTTP/1.1\r\nHost:\r\n evil.com\r\n" + head + b"\r\n{}",
        "spaced": b"POST /mcp HTTP/1.1\r\nHost : localhost\r\n" + head + b"\r\n{}",
    }
    for how, request in raw.items():
        answer = served.send(request)
        right = (404, 421) if how == "another in the target" else (400, 421)
        served.check_refusal(answer, right, how)


PATHS = (
    "//mcp", "/mcp/", "/./mcp", "/%6dcp", "/%6Dcp", "/healthz/../mcp", "/healthz%2f..%2fmcp",
    "/healthz/..%2fmcp", "/healthz/%2e%2e/mcp", "/HEALTHZ", "/healthz;x", "/healthz/",
    "/healthz%00",
    "/healthz%20", "/healthz%2f", "/healthz\\..\\mcp", "/healthz/.", "/.//mcp", "/mcp;/healthz",
    "/mcp%3f/healthz", "/mcp#/healthz", "/mcp%23/healthz", "/mcp?/healthz", "/mcp?x=/healthz",
    "/readyz/..;/mcp", "/;/mcp", "/%2fmcp", "/%252e%252e/mcp", "/mcp%0d%0aX-A:%20b", "/mcp/healthz",
    "/../../../../etc/passwd", "/%c0%af..%c0%afmcp", "/%ff%fe", "/healthz/mcp", "mcp", "healthz",
    "*", "/", "", "/metrics", "/openapi.json", "/docs", "/.env", "/.git/config", "/sse",
    "/messages/",
    "/v1", "/v1/", "/v1/memories", "/.well-known/../mcp",
    "/mcp/.well-known/oauth-protected-resource",
    "/" + "a" * 20_000, "/" + "%2e%2e/" * 2_000 + "mcp",
)  # fmt: skip
METHODS = (
    "OPTIONS",
    "TRACE",
    "CONNECT",
    "PUT",
    "PATCH",
    "DELETE",
    "HEAD",
    "GET",
    "PRI",
    "get",
    "POST",
)
OPEN = ("/healthz", "/readyz", "/openapi.json")


def test_no_way_of_writing_a_path_gets_past_without_a_token(served: Served) -> None:
    for path in PATHS:
        for method in ("GET", "POST"):
            if path in OPEN:
                continue
            target = path.encode("latin-1")
            for said in (target, b"http://127.0.0.1" + target):
                answer = served.ask(said, method=method)
                served.check_refusal(answer, (400, 401), (method, said[:80]))
                assert b"x-a:" not in answer.head


def test_no_method_gets_past_without_a_token(served: Served) -> None:
    for method in METHODS:
        for path in ("/mcp", "/nowhere", "*"):
            answer = served.ask(path, method=method)
            served.check_refusal(answer, (400, 401), (method, path))
        for path in ("/healthz", "/readyz"):
            answer = served.ask(path, method=method)
            if method not in ("GET", "HEAD"):
                assert answer.status in (400, 405), (method, path, answer.raw[:200])
            served.check_tells_nothing(answer.raw)
            assert SAID.encode() not in answer.raw
    override = ("X-HTTP-Method-Override: GET", "X-Method-Override: GET", "X-Original-URL: /healthz")
    for header in (*override, "X-Rewrite-URL: /healthz", "X-Forwarded-Prefix: /healthz"):
        served.check_refusal(served.ask("/mcp", header), (401,))


def test_with_a_token_no_method_or_path_fails_inside(served: Served) -> None:
    token = f"Authorization: Bearer {served.create_token('ann', Access.ADMIN).text}"
    asked = [(method, path) for method in METHODS for path in ("/mcp", "/healthz", "/nowhere", "*")]
    asked += [("POST", path) for path in PATHS]
    for method, path in asked:
        if (method, path) in (("GET", "/healthz"), ("HEAD", "/healthz")) or path in OPEN[1:]:
            continue
        sent = path.encode("latin-1")
        answer = served.ask(sent, token, "MCP-Protocol-Version: 2026-07-28", method=method)
        assert answer.status in range(300, 500), (method, path[:80], answer.raw[:200])
        served.check_tells_nothing(answer.raw)


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "multipart/form-data; boundary=x",
        "application/x-www-form-urlencoded",
        "application/json",
        "",
    ],
)
def test_a_form_of_another_site_changes_nothing(served: Served, kind: str) -> None:
    ann = served.agent(served.create_token("ann").text)
    ann.do("remember", content="Ann keeps bees.")
    before = ann.request("resources/read", uri="memory://status")
    call = {"name": "remember", "arguments": {"content": "Ann wants her bees sold."}}
    body, headers = ann.write("tools/call", call)
    text = ann.http.build_request("POST", "/mcp", json=body).content
    boundary = b'--x\r\nContent-Disposition: form-data; name="'
    bodies = {
        "text/plain": text[:-1] + b',"=":""}',
        "multipart/form-data; boundary=x": boundary + text + b'"\r\n\r\n\r\n--x--\r\n',
    }
    sent = [f"{name}: {value}" for name, value in headers.items()]
    cookie = f"Cookie: token={served.create_token('ann').text}"
    for origin in ("Origin: https://evil.example", "Origin: null", "Sec-Fetch-Site: cross-site"):
        for extra in ((), (*sent,)):
            content = bodies.get(kind, text)
            answer = served.ask(
                "/mcp", f"Content-Type: {kind}", origin, cookie, *extra, body=content
            )
            served.check_refusal(answer, (401, 403))
    # A browser that shows the token by itself (a proxy's doing) still may not cross sites.
    token = ann.http.headers["Authorization"]
    for origin in ("https://evil.example", "null"):
        answer = served.ask(
            "/mcp", f"Authorization: {token}", f"Content-Type: {kind}", f"Origin: {origin}", *sent,
            body=bodies.get(kind, text),
        )  # fmt: skip
        served.check_refusal(answer, (403,))
    assert ann.request("resources/read", uri="memory://status")["result"] == before["result"]
