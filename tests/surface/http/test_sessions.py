"""Over HTTP a session is its caller's: the protocol's own, and that of the record."""

from collections.abc import Mapping
from typing import cast

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CacheableResult, Implementation, RequestParamsMeta, TextContent
from tests.surface.http.conftest import Era, HttpServer, StartServer

from memoria.app import Memoria
from memoria.model.access import Access
from memoria.model.provenance import COMMAND_LINE
from memoria.surface.http.sessions import MOST_SESSIONS

ACCEPT = {"Accept": "application/json, text/event-stream"}
LIST: Mapping[str, object] = {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}
ERAS = pytest.mark.parametrize("era", ["auto", "legacy"])


async def begin(client: httpx2.AsyncClient) -> str:
    """Begin a session of the older era; return its id."""
    information = {"name": "raw", "version": "1"}
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": information}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    answer = await client.post("/mcp", json=asked, headers=ACCEPT)
    assert answer.status_code == 200, answer.text
    return str(answer.headers["mcp-session-id"])


async def ask(client: httpx2.AsyncClient, session: str, method: str = "POST") -> int:
    """Ask for something in a session; return the status of the answer."""
    headers = {**ACCEPT, "Mcp-Session-Id": session}
    body = LIST if method == "POST" else None
    return (await client.request(method, "/mcp", json=body, headers=headers)).status_code


async def test_a_session_answers_the_token_that_began_it_and_no_other(
    start_server: StartServer,
) -> None:
    async with start_server() as server:
        owners = ("ann", "ben", "ann")
        tokens = [(await server.create_token(one, Access.ADMIN)).text for one in owners]
        async with (
            server.client(tokens[0]) as hers,
            server.client(tokens[1]) as his,
            server.client(tokens[2]) as her_other,
        ):
            session = await begin(hers)
            for stranger in (his, her_other):
                for method in ("POST", "GET", "DELETE"):
                    assert await ask(stranger, session, method) == 404
            assert await ask(hers, session) == 200
            assert await ask(hers, session, "DELETE") == 200
            assert await ask(hers, session) == 404


async def test_a_tenant_that_opens_many_sessions_loses_the_one_used_longest_ago(
    start_server: StartServer,
) -> None:
    async with start_server() as server:
        ann, ben = [await server.create_token(one, Access.READ) for one in ("ann", "ben")]
        async with server.client(ann.text) as hers, server.client(ben.text) as his:
            former = await begin(his)
            first, second, third, *_ = [await begin(hers) for _ in range(MOST_SESSIONS)]
            assert await ask(hers, first) == 200
            last = await begin(hers)
            assert await ask(hers, second) == 404
            for session in (first, third, last):
                assert await ask(hers, session) == 200
            assert await ask(his, former) == 200


async def test_openings_that_are_refused_end_no_session(start_server: StartServer) -> None:
    async with start_server() as server:
        token = await server.create_token("ann", Access.READ)
        async with server.client(token.text) as client:
            session = await begin(client)
            for _ in range(MOST_SESSIONS):
                assert (await client.post("/mcp", json=LIST, headers=ACCEPT)).status_code == 400
            assert await ask(client, session) == 200


async def said_by(
    server: HttpServer, token: str, era: Era, client_name: str, meta: object = None, **more: object
) -> None:
    """Have a client record a turn, and say what it is working on."""
    info = Implementation(name=client_name, version="1")
    async with server.client(token) as http:
        streams = streamable_http_client(f"{server.url}/mcp", http_client=http)
        async with Client(streams, mode=era, client_info=info) as client:
            turn = {"role": "user", "content": f"This is {client_name}, {more}."}
            for tool, arguments in (
                ("record_conversation", {"turns": [turn], **more}),
                ("update_scratchpad", {"current_focus": f"{client_name}'s work", **more}),
            ):
                answer = await client.call_tool(
                    tool, arguments, meta=cast("RequestParamsMeta | None", meta)
                )
                assert not answer.is_error, answer


async def list_sessions(server: HttpServer) -> list[str]:
    """List the sessions in which something was said."""
    memory = Memoria(server.home.for_tenant("ann"), COMMAND_LINE)
    return sorted(one.session_id for one in (await memory.list_sessions()).sessions)


@ERAS
async def test_what_two_clients_of_one_token_say_is_two_sessions(
    start_server: StartServer, era: Era
) -> None:
    async with start_server() as server:
        token = await server.create_token("ann", Access.WRITE)
        for name in ("editor", "terminal"):
            await said_by(server, token.text, era, name)
        assert len(await list_sessions(server)) == 2


@ERAS
async def test_a_session_that_codex_or_an_agent_names_is_that_session(
    start_server: StartServer, era: Era
) -> None:
    async with start_server() as server:
        token = await server.create_token("ann", Access.WRITE)
        thread = {"threadId": "thread-1"}
        await said_by(server, token.text, era, "codex-mcp-client", thread, session_id="invented")
        await said_by(server, token.text, era, "editor", session_id="window-1")
        await said_by(server, token.text, era, "editor", session_id="window-2")
        assert await list_sessions(server) == ["thread-1", "window-1", "window-2"]


async def test_a_prompt_shows_the_last_turns_of_the_client_that_asks(
    start_server: StartServer,
) -> None:
    async with start_server() as server:
        token = await server.create_token("ann", Access.WRITE)
        async with (
            server.connect(token.text, "legacy") as one,
            server.connect(token.text, "legacy") as other,
        ):
            for client, said in ((one, "I paint boats."), (other, "I mend nets.")):
                turn = {"role": "user", "content": said}
                await client.call_tool("record_conversation", {"turns": [turn]})
            for client, own, foreign in (
                (one, "I paint boats.", "I mend nets."),
                (other, "I mend nets.", "I paint boats."),
            ):
                answer = await client.get_prompt("context", {"query": "what is next?"})
                content = answer.messages[0].content
                assert isinstance(content, TextContent)
                last = content.text.partition("Last turns")[2]
                assert own in content.text, content.text
                assert foreign not in last


@ERAS
async def test_each_tenant_s_client_is_told_once_of_what_it_has_unread(
    start_server: StartServer, era: Era
) -> None:
    async with start_server() as server:
        for tenant in ("ann", "ben"):
            token = await server.create_token(tenant, Access.WRITE)
            reader = await server.create_token(tenant, Access.READ)
            async with (
                server.connect(token.text, era) as client,
                server.connect(reader.text, era) as only_reads,
            ):
                turn = {"role": "user", "content": "My sister Marta has moved to Ghent."}
                await client.call_tool("record_conversation", {"turns": [turn]})
                answers = [
                    str(await one.call_tool("search_memory", {"query": "Ghent"}))
                    for one in (only_reads, client, client)
                ]
                told = ["Nobody has read" in one for one in answers]
                assert told == [False, True, False]


async def test_no_cache_may_share_what_depends_on_the_caller_and_no_list_ever_changes(
    start_server: StartServer,
) -> None:
    async with start_server() as server:
        token = await server.create_token("ann", Access.READ)
        async with server.connect(token.text) as client:
            results: list[CacheableResult] = [
                await client.list_tools(),
                await client.list_resources(),
                await client.list_resource_templates(),
                await client.read_resource("memory://core/USER.md"),
                await client.list_prompts(),  # the same for everybody
            ]
            assert [one.cache_scope for one in results] == ["private"] * 4 + ["public"]
            offered = client.server_capabilities
            for lists in (offered.tools, offered.resources, offered.prompts):
                assert lists is not None
                assert not lists.list_changed
