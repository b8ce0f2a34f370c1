"""A caller over HTTP reaches the memory of its token's tenant, and does what the token allows."""

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.types import TextContent
from tests.surface.http.conftest import Era, StartServer

from memoria.model import now_millis
from memoria.model.access import Access, TokenText
from memoria.surface.http.app import HttpOptions

FACT = "The spare key hangs behind the third shelf."


async def call(client: Client, tool: str, **arguments: object) -> tuple[str, bool]:
    """Call a tool; return its text and whether it is an error."""
    answer = await client.call_tool(tool, arguments)
    text = answer.content[0]
    assert isinstance(text, TextContent)
    return text.text, bool(answer.is_error)


@pytest.mark.anyio
@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_what_a_tenant_remembers_no_other_tenant_finds(
    start_server: StartServer, era: Era
) -> None:
    async with start_server() as server:
        ann, ben = [await server.create_token(one, Access.WRITE) for one in ("ann", "ben")]
        async with server.connect(ann.text, era) as client:
            await call(client, "remember", content=FACT)
            found, _ = await call(client, "search_memory", query="spare key")
            assert "third shelf" in found
        async with server.connect(ben.text, era) as client:
            found, _ = await call(client, "search_memory", query="spare key")
            assert "third shelf" not in found


@pytest.mark.anyio
async def test_a_token_lists_and_calls_only_what_it_allows(start_server: StartServer) -> None:
    listed: dict[Access, set[str]] = {}
    async with start_server() as server:
        for access in Access:
            token = await server.create_token("ann", access)
            async with server.connect(token.text) as client:
                listed[access] = {tool.name for tool in (await client.list_tools()).tools}
                text, is_error = await call(client, "remember", content=FACT)
                assert is_error is (access is Access.READ), text
    assert listed[Access.READ] == {"search_memory", "search_conversation_traces", "get_memory"}
    assert listed[Access.WRITE] - listed[Access.READ] == {
        "remember",
        "revise_memory",
        "record_conversation",
        "update_scratchpad",
    }
    assert listed[Access.FORGET] - listed[Access.WRITE] == {"forget_memory"}


@pytest.mark.anyio
async def test_a_server_that_only_reads_takes_nothing_from_a_token_that_may_write(
    start_server: StartServer,
) -> None:
    async with start_server(HttpOptions(most=Access.READ)) as server:
        token = await server.create_token("ann", Access.ADMIN)
        async with server.connect(token.text) as client:
            text, is_error = await call(client, "remember", content=FACT)
            assert is_error, text


@pytest.mark.anyio
async def test_nothing_opens_without_a_token_that_holds(start_server: StartServer) -> None:
    async with start_server() as server:
        good = await server.create_token("ann", Access.READ)
        parts = TokenText.parse(good.text)
        assert parts is not None
        over = await server.create_token("ann", Access.READ, expires_at=now_millis() + 1)
        while now_millis() <= over.token.expires_at:  # type: ignore[operator]  # it has an end
            await anyio.lowlevel.checkpoint()
        shown = [
            "",
            "mem_",
            "mem_%%.x.y",
            over.text,
            str(parts._replace(secret=parts.secret[:-1])),
            str(parts._replace(tenant="ben")),
            str(parts._replace(id="0" * 36)),
        ]
        for token in shown:
            async with server.client(token) as client:
                for path in ("/mcp", "/nowhere", "/healthz/../mcp"):
                    answer = await client.post(path, json={})
                    assert answer.status_code == 401, (token, path)
                    assert answer.headers["www-authenticate"].startswith("Bearer")
                assert (await client.get("/healthz")).json() == {"alive": True}
                assert (await client.get("/readyz")).json() == {"ready": True}
        async with server.client(good.text) as client:
            assert (await client.post("/mcp", json={})).status_code != 401


@pytest.mark.anyio
async def test_a_page_of_another_site_and_another_name_of_the_server_are_refused(
    start_server: StartServer,
) -> None:
    async with start_server(HttpOptions(names=("memory.example.com",))) as server:
        token = await server.create_token("ann", Access.READ)
        async with server.client(token.text) as client:
            for headers, status in [
                ({"Host": "evil.example"}, 421),
                ({"Host": "127.0.0.1.evil.example"}, 421),
                ({"Origin": "https://evil.example"}, 403),
                ({"Origin": "null"}, 403),
            ]:
                answer = await client.get("/healthz", headers=headers)
                assert answer.status_code == status, headers
            for headers in (
                {"Host": "memory.example.com"},
                {"Host": "MEMORY.example.com:443"},
                {"Origin": "http://localhost:3000"},
            ):
                assert (await client.get("/healthz", headers=headers)).status_code == 200


@pytest.mark.anyio
async def test_two_connections_of_a_tenant_are_two_sessions(start_server: StartServer) -> None:
    turn = {"role": "user", "content": FACT}
    async with start_server() as server:
        token = await server.create_token("ann", Access.WRITE)
        for _ in range(2):
            async with server.connect(token.text, "legacy") as client:
                text, is_error = await call(client, "record_conversation", turns=[turn])
                assert not is_error, text
        with server.home.store.read("ann") as tx:
            assert tx.statistics().sessions == 2


async def test_a_refusal_says_what_helps_a_person_on_another_machine(
    start_server: StartServer,
) -> None:
    async with start_server() as server, httpx2.AsyncClient(base_url=server.url) as http:
        token = await server.create_token("ann", Access.READ)
        own = {"Authorization": f"Bearer {token.text}"}
        lacks = await http.post("/memory/nodes", json={"content": FACT}, headers=own)
        assert lacks.status_code == 403
        assert "memoria --tenant ann token create --access write" in lacks.json()["detail"]
        dead = await http.get("/memory/nodes", headers={"Authorization": f"Bearer {token.text}x"})
        bare = await http.get("/memory/nodes")
        assert (dead.status_code, bare.status_code) == (401, 401)
        for answer in (lacks, dead, bare):
            assert "whoever runs the server" in answer.json()["detail"]
            assert "on the machine that has the memory" in answer.json()["detail"]


async def test_a_server_that_is_read_only_says_so_and_blames_no_token(
    start_server: StartServer,
) -> None:
    async with start_server(HttpOptions(most=Access.READ)) as server:
        token = await server.create_token("ann", Access.ADMIN)
        own = {"Authorization": f"Bearer {token.text}"}
        async with httpx2.AsyncClient(base_url=server.url, headers=own) as http:
            refused = await http.post("/memory/nodes", json={"content": FACT})
        async with server.connect(token.text) as client:
            told, is_error = await call(client, "remember", content=FACT)
    assert is_error
    for text in (refused.json()["detail"], told):
        assert "read-only" in text
        assert "token create" not in text
