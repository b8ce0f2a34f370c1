"""No text but a token that holds opens anything, whatever it looks like and wherever it stands."""

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.surface.http.attack.conftest import SAID, Served

from memoria.model import now_millis
from memoria.model.access import Access, TokenText

MILLION = 1_000_000
_HEAD_BYTES = 60_000
"""A head that is just short enough to be read."""
_OTHER_NAMES = (
    "ben",
    "nobody",
    "../ann",
    "ann/..",
    "a/b",
    "/etc",
    "..",
    ".",
    "ann\0",
    "ann\n",
    "Ann",
)


def write_tokens(good: str, ended: str, revoked: str) -> Iterator[bytes]:
    """Write what is no token that holds, though some of it looks like one.

    Args:
        good: a token that holds.
        ended: one whose time is over.
        revoked: one that was revoked.
    """
    parts = TokenText.parse(good)
    assert parts is not None
    for text in (
        ended,
        revoked,
        good[:-1],
        good + "A",
        good[:-1] + "é",
        good.swapcase(),
        "mem_",
        ".",
    ):
        yield text.encode()
    for name in (*_OTHER_NAMES, "n" * 10_000, "名" * 3_000):
        yield str(parts._replace(tenant=name)).encode()
    for raw in (b"\xff\xfe", b"ann\xed\xa0\x80", b"", b"="):
        written = base64.urlsafe_b64encode(raw).rstrip(b"=")
        yield b"mem_" + written + f".{parts.id}.{parts.secret}".encode()
    for token_id in ("", "%", "' OR 1=1 --", "0" * 10_000, parts.secret):
        yield str(parts._replace(id=token_id)).encode()
    yield f"mem_ann.{parts.id}.{parts.secret}".encode()  # the name as it is
    yield f"mem_{parts.id}.{parts.secret}".encode()
    yield f"{good}.{parts.secret}".encode()
    yield f"mem_{good}".encode()
    yield good.replace(".", ". ").encode()
    yield f'"{good}"'.encode()
    yield b"mem_" + b"." * _HEAD_BYTES
    yield good.encode() + b"A" * _HEAD_BYTES
    yield good.encode("utf-16-le").replace(b"\0", b"\xc0")


def revoke(served: Served, token_id: str) -> None:
    """End a token in the store, before anybody has shown it."""
    with served.server.home.store.write("ann") as tx:
        tx.tokens.revoke(token_id, now_millis())


def test_no_text_that_looks_like_a_token_opens_anything_or_makes_a_tenant(
    served: Served, home: Path
) -> None:
    good = served.create_token()
    ended = served.create_token(expires_at=now_millis() + 50)
    revoked = served.create_token()
    revoke(served, revoked.token.id)
    while now_millis() <= (ended.token.expires_at or 0):
        pass
    before = [*served.server.home.store.tenants()], {*home.rglob("*")}
    for shown in write_tokens(good.text, ended.text, revoked.text):
        answer = served.ask("/mcp", b"Authorization: Bearer " + shown)
        served.check_refusal(answer, (400, 401), shown[:200])
    assert ([*served.server.home.store.tenants()], {*home.rglob("*")}) == before


def test_a_token_holds_in_one_header_alone(served: Served) -> None:
    token = served.create_token().text
    other = served.create_token("ben").text
    right = f"Authorization: Bearer {token}"
    nothing = "Authorization: "
    for headers in (
        (f"Authorization: {token}",),
        (f"Authorization: Basic {token}",),
        (f"Authorization: Bearer Bearer {token}",),
        (f"Authorization: Bearer {token}, Bearer {token}",),
        (f"Authorization: Bearer {token} {token}",),
        (f"Authorization: Bearer {token},{other}",),
        (f"Authorization: Bearer\t{token}x",),
        (f"Authorization: Bearer\0{token}",),
        (f"Authorization : Bearer {token}",),
        ("Authorization:\r\n",),
        (nothing,),
        (nothing + "Bearer",),
        (nothing + "Bearer ",),
        (f"Proxy-Authorization: Bearer {token}",),
        (f"X-Forwarded-Authorization: Bearer {token}",),
        (f"Cookie: token={token}; Authorization=Bearer {token}",),
        (f"X-Api-Key: {token}",),
        (right.replace("Bearer", "Bearer\xa0").encode("latin-1"),),
        ("Authorization: Bearer x", f"X-Note: a\r\n {right}"),
    ):
        answer = served.ask("/mcp", *headers)
        served.check_refusal(answer, (400, 401), headers)
    for target in (
        f"/mcp?token={token}",
        f"/mcp?access_token={token}",
        f"/mcp#{token}",
        f"/{token}",
    ):
        served.check_refusal(served.ask(target), (400, 401))
    form = f"access_token={token}".encode()
    kind = "Content-Type: application/x-www-form-urlencoded"
    served.check_refusal(served.ask("/mcp", kind, body=form), (401,))
    assert served.ask("/mcp", right.replace("Bearer", "bearer")).status not in (None, 401, 500)


def test_of_two_tokens_shown_in_two_headers_neither_holds(served: Served) -> None:
    ann, ben = [f"Authorization: Bearer {served.create_token(one).text}" for one in ("ann", "ben")]
    for headers in (
        (ann, ben),
        (ann, ann),
        (ann, "Authorization: Bearer x"),
        ("Authorization: Bearer x", ann),
        ("Authorization: ", ann),
        (ann, "Authorization: "),
    ):
        served.check_refusal(served.ask("/mcp", *headers), (400, 401), headers)


def test_a_token_of_a_million_bytes_is_refused(served: Served) -> None:
    token = served.create_token().text
    for shown in (
        b"A" * MILLION,
        token.encode() + b"A" * MILLION,
        b"mem_" + b"QQ." * (MILLION // 3),
    ):
        served.check_refusal(served.ask("/mcp", b"Authorization: Bearer " + shown))


@pytest.mark.parametrize("access", [*Access])
def test_a_token_does_nothing_beyond_its_access(served: Served, access: Access) -> None:
    owner = served.agent(served.create_token("ann", Access.ADMIN).text)
    known = owner.do("remember", content=SAID)["id"]
    preview = owner.do("forget_memory", ids=[known])["token"]
    turn = {"role": "user", "content": "Hello."}
    for era in ("new", "old"):
        agent = served.agent(served.create_token("ann", access).text, era)
        for needed, tool, arguments in (
            (Access.READ, "search_memory", {"query": "sister"}),
            (Access.READ, "search_conversation_traces", {"query": "sister"}),
            (Access.READ, "get_memory", {"id": known}),
            (Access.WRITE, "remember", {"content": f"Ann has a hen of the {era} kind."}),
            (Access.WRITE, "revise_memory", {"id": known, "action": "pin"}),
            (Access.WRITE, "record_conversation", {"turns": [turn]}),
            (Access.WRITE, "record_conversation", {"turns": [], "event": "session_end"}),
            (Access.WRITE, "update_scratchpad", {"current_focus": "Mend."}),
            (Access.FORGET, "forget_memory", {"ids": [known]}),
            (Access.FORGET, "forget_memory", {"ids": [known], "token": preview[:-1]}),
            (Access.FORGET, "forget_memory", {}),
        ):
            result = agent.call(tool, **arguments)["result"]
            refused = "needs a token" in result["content"][0]["text"]
            assert refused is not access.includes(needed), (era, tool, result)
            assert result["isError"] or not refused
            if refused:
                served.check_tells_nothing(str(result))
    assert owner.do("get_memory", id=known)["id"] == known
