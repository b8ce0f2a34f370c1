"""Who wrote and who was refused stands in the tenant's log, in a bounded number of lines."""

import logging
import re

import anyio
import pytest
from tests.surface.http.conftest import HttpServer, StartServer
from tests.surface.http.test_callers import FACT, call

from memoria.app.refusals import RefusedCalls
from memoria.model import now_millis
from memoria.model.access import Access, TokenText
from memoria.model.provenance import LoggedAction
from memoria.surface.http.app import HttpOptions

pytestmark = pytest.mark.anyio


def logged(server: HttpServer, tenant: str, action: str | None = None) -> list[LoggedAction]:
    with server.home.store.read(tenant) as tx:
        lines = tx.audit.list_latest(100, 0)
    return [line for line in lines if action in (None, line.action)]


async def test_everything_that_is_written_over_http_names_the_token(
    start_server: StartServer,
) -> None:
    turn = {"role": "user", "content": FACT}
    async with start_server() as server:
        made = await server.create_token("ann", Access.FORGET, label="laptop")
        async with server.connect(made.text) as client:
            kept, _ = await call(client, "remember", content="The ferry leaves at nine.")
            await call(client, "record_conversation", turns=[turn])
            await call(client, "update_scratchpad", current_focus="packing")
            (memory_id,) = re.findall(r"memory ([\w-]{36})", kept)
            await call(client, "revise_memory", id=memory_id, action="upvote")
            asked, _ = await call(client, "forget_memory", ids=[memory_id])
            (agreed,) = re.findall(r"token=(\w+)", asked)
            await call(client, "forget_memory", ids=[memory_id], token=agreed)
        lines = [line for line in logged(server, "ann") if line.channel == "mcp"]
        done = {line.action for line in lines}
        assert {"remember", "record", "note", "upvote", "forget"} <= done
        assert {line.caller for line in lines} == {f"token {made.token.id[-8:]} (laptop)"}
        assert "ferry" not in str(lines)


async def test_a_refused_tool_is_told_with_whoever_called_it(start_server: StartServer) -> None:
    async with start_server() as server:
        made = await server.create_token("ann", Access.READ)
        async with server.connect(made.text) as client:
            await call(client, "remember", content=FACT)
        (line,) = logged(server, "ann", "refuse")
        assert line.caller == f"token {made.token.id[-8:]}"
        assert line.detail == "remember needs `write`"


async def test_a_token_that_does_not_hold_is_told_to_its_tenant(start_server: StartServer) -> None:
    async with start_server() as server:
        good = await server.create_token("ann", Access.READ)
        over = await server.create_token("ann", Access.READ, expires_at=now_millis() + 1)
        while now_millis() <= over.token.expires_at:  # type: ignore[operator]  # it has an end
            await anyio.lowlevel.checkpoint()
        parts = TokenText.parse(good.text)
        assert parts is not None
        name = f"token {good.token.id[-8:]}"
        for shown, caller, told in [
            (over.text, f"token {over.token.id[-8:]}", "the token has expired"),
            (str(parts._replace(secret=parts.secret[:-1])), None, f"a wrong secret of {name}"),
            (str(parts._replace(id="0" * 36)), None, "there is no such token"),
        ]:
            async with server.client(shown) as client:
                assert (await client.post("/mcp", json={})).status_code == 401
            line = logged(server, "ann", "refuse")[0]
            assert (line.caller, line.detail) == (caller, told)
            assert parts.secret not in str(logged(server, "ann"))


async def test_what_belongs_to_no_tenant_is_told_on_stderr_without_a_word_of_it(
    start_server: StartServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "memoria.http")
    stranger = str(TokenText.create("nobody", "0" * 36))
    async with start_server(HttpOptions()) as server, server.client("") as client:
        await client.post("/mcp", json={})
        await client.post("/mcp", json={}, headers={"Host": "evil.example"})
        await client.post("/mcp", json={}, headers={"Origin": "https://evil.example"})
        await client.post("/mcp", json={}, headers={"Authorization": "Bearer evil"})
        await client.post("/mcp", json={}, headers={"Authorization": f"Bearer {stranger}"})
        assert server.home.store.tenants() == []
    assert [one.getMessage() for one in caplog.records if one.name == "memoria.http"] == [
        "refused a call: no token was shown",
        "refused a call: another name of the server",
        "refused a call: a page of another site",
        "refused a call: what was shown is no token",
        "refused a call: there is no such token",
    ]


async def test_a_thousand_refusals_of_a_kind_are_four_lines(
    start_server: StartServer, caplog: pytest.LogCaptureFixture
) -> None:
    async with start_server() as server:
        await server.create_token("ann", Access.READ)
        refusals = RefusedCalls(server.home.store)
        for _ in range(1_234):
            await refusals.note("there is no such token", "ann")
            await refusals.note("no token was shown")
        told = [line.detail for line in logged(server, "ann", "refuse")]
        assert told == [
            "there is no such token, 1000 times on this day",
            "there is no such token, 100 times on this day",
            "there is no such token, 10 times on this day",
            "there is no such token",
        ]
    assert sum(one.name == "memoria.http" for one in caplog.records) == 4
