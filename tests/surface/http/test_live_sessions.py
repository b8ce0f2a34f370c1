"""A caller over HTTP is in the session and the project that hooks with its token tell of."""

from pathlib import Path

import anyio.to_thread
import pytest
from tests.surface.http.conftest import HttpServer, StartServer
from tests.surface.http.test_callers import call
from tests.surface.http.test_homes import Homes

from memoria import Memoria
from memoria.app.live_sessions import LiveSession, choose_live
from memoria.bare.remote import ASK, RECORD, RemoteServer
from memoria.model.access import Access
from memoria.model.provenance import COMMAND_LINE

SHOP, BARN = "/home/ann/shop", "/home/ann/barn"


async def begin(server: HttpServer, token: str, session: str, project: str | None) -> None:
    """Have a hook tell of a session that begins."""
    asked = {"ask": "briefing", "client": "mcp", "session": session, "workspace": project}
    remote = RemoteServer("", server.url, token)
    await anyio.to_thread.run_sync(remote.call, ASK, asked)


async def report(
    server: HttpServer, token: str, session: str, project: str, text: str, event: str | None = None
) -> None:
    """Have a collector send a turn."""
    turns = [{"role": "user", "content": text, "message_id": text}] if text else []
    said = {"client": "mcp", "session": session, "project": project, "turns": turns}
    remote = RemoteServer("", server.url, token)
    await anyio.to_thread.run_sync(remote.call, RECORD, {**said, "event": event})


async def search(server: HttpServer, token: str) -> str:
    async with server.connect(token) as client:
        return (await call(client, "search_conversation_traces", query="port of Wolfsburg"))[0]


@pytest.mark.anyio
async def test_an_agent_finds_what_was_said_in_the_project_where_its_client_is(
    start_server: StartServer,
) -> None:
    async with start_server() as server:
        token = (await server.create_token("ann", Access.WRITE)).text
        said = "The port of Wolfsburg is 6543."
        await report(server, token, "s1", SHOP, said, "session_end")
        assert "6543" not in await search(server, token)
        await begin(server, token, "s2", SHOP)
        assert "6543" in await search(server, token)
        other = (await server.create_token("ann", Access.WRITE)).text
        assert "6543" not in await search(server, other)
        await begin(server, token, "s3", BARN)
        assert "6543" not in await search(server, token)
        await report(server, token, "s3", BARN, "", "session_end")
        assert "6543" in await search(server, token)
        await report(server, token, "s2", SHOP, "", "session_end")
        assert "6543" not in await search(server, token)


@pytest.mark.anyio
async def test_what_an_agent_records_and_its_hooks_report_is_one_session(
    start_server: StartServer,
) -> None:
    async with start_server() as server:
        token = (await server.create_token("ann", Access.WRITE)).text
        await begin(server, token, "s1", SHOP)
        said = "The staging database Wolfsburg listens on port 6543, and on no other."
        async with server.connect(token) as client:
            turns = [{"role": "user", "content": said}]
            await call(client, "record_conversation", turns=turns)
        await report(server, token, "s1", SHOP, said)
        memory = Memoria(server.home.for_tenant("ann"), COMMAND_LINE)
        kept = (await memory.get_session("s1")).turns
    assert [(turn.content, turn.workspace) for turn in kept] == [(said, SHOP)]


@pytest.mark.anyio
async def test_a_token_that_only_reads_notes_no_session(start_server: StartServer) -> None:
    async with start_server() as server:
        token = await server.create_token("ann", Access.READ)
        await begin(server, token.text, "s1", SHOP)
        memory = Memoria(server.home.for_tenant("ann"), COMMAND_LINE)
        assert await anyio.to_thread.run_sync(memory.live.list, token.token.id) == []


def test_of_two_sessions_or_projects_neither_is_chosen() -> None:
    one, two = LiveSession("codex", "s1", SHOP), LiveSession("codex", "s2", SHOP)
    other, none = LiveSession("codex", "s3", BARN), LiveSession("gemini", "s4", None)
    assert choose_live([one, none], "codex") == ("s1", SHOP)
    assert choose_live([one, two], "codex") == (None, SHOP)
    assert choose_live([one, other], "codex") == (None, None)
    assert choose_live([one, none], "gemini") == ("s4", None)
    assert choose_live([], "codex") == (None, None)


@pytest.mark.anyio
async def test_hooks_reach_the_home_of_their_own_tenant_where_each_has_one(tmp_path: Path) -> None:
    homes = Homes(tmp_path)
    tokens = {tenant: await homes.create_token(tenant) for tenant in ("ann", "ben", "eve")}
    async with homes.serve() as server:
        for number, (tenant, token) in enumerate(tokens.items()):
            said = f"The port of Wolfsburg is 654{number}, says {tenant}."
            await report(server, token, "s1", SHOP, said)
            await begin(server, token, "s1", SHOP)
        for number, token in enumerate(tokens.values()):
            found = await search(server, token)
            assert [f"654{one}" in found for one in range(3)] == [one == number for one in range(3)]
