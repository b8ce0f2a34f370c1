"""Resources, prompts and completions over HTTP show what is the caller's tenant's alone."""

import json
from dataclasses import dataclass

import pytest
from mcp import Client, MCPError
from mcp.types import ResourceTemplateReference, TextContent, TextResourceContents
from tests.surface.http.conftest import Era, HttpServer, StartServer

from memoria.model.access import Access
from memoria.surface.mcp.resources import MEMORY, RESOURCES, SESSION

MARKS = {"ann": "Anhovenstraat", "ben": "Benloopkade"}
FIXED = {"memory://guide", "memory://status"}
"""Resources that quote nothing of what was said."""


@dataclass(frozen=True, slots=True)
class Laid:
    """What a tenant has in its memory, each with the tenant's own mark in its words."""

    token: str
    memory_id: str
    session_id: str


async def lay(server: HttpServer, tenant: str, era: Era) -> Laid:
    """Have a tenant's client record, remember and work on something; write a core file."""
    mark = MARKS[tenant]
    token = (await server.create_token(tenant, Access.WRITE)).text
    files = server.home.store.files.of(tenant)
    for name in ("USER.md", "MEMORY.md", "PERSONA.md"):
        files.write(name, f"# {name}\n\nThe {mark} is long.\n".encode())
    session = f"talk-{mark}"
    turn = {"role": "user", "content": f"We walked along the {mark}.", "session_id": session}
    async with server.connect(token, era) as client:
        at = {"session_id": session}
        await client.call_tool("record_conversation", {"turns": [turn]})
        await client.call_tool("update_scratchpad", {"current_focus": f"paving {mark}", **at})
        kept = await client.call_tool("remember", {"content": f"The user lives at {mark}", **at})
        assert kept.structured_content is not None
        return Laid(token, kept.structured_content["id"], session)


async def read(client: Client, uri: str) -> str:
    (content,) = (await client.read_resource(uri, cache_mode="bypass")).contents
    assert isinstance(content, TextResourceContents)
    return content.text


async def prompt(client: Client, name: str, **arguments: str) -> str:
    content = (await client.get_prompt(name, arguments)).messages[0].content
    assert isinstance(content, TextContent)
    return content.text


@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_resources_and_prompts_show_the_caller_s_tenant_and_nothing_of_another(
    start_server: StartServer, era: Era
) -> None:
    async with start_server() as server:
        laid = {tenant: await lay(server, tenant, era) for tenant in MARKS}
        for tenant, other in (("ann", "ben"), ("ben", "ann")):
            own, foreign = laid[tenant], laid[other]
            async with server.connect(own.token, era) as client:
                shown = {one.uri: await read(client, one.uri) for one in RESOURCES}
                for template, key in ((MEMORY, "memory_id"), (SESSION, "session_id")):
                    uri = template.replace(f"{{{key}}}", getattr(own, key))
                    shown[uri] = await read(client, uri)
                    with pytest.raises(MCPError):
                        await read(client, template.replace(f"{{{key}}}", getattr(foreign, key)))
                for name, arguments in (
                    ("briefing", {}),
                    ("recall", {"query": "where does the user live"}),
                    ("context", {"query": "where does the user live"}),
                    ("review", {}),
                ):
                    shown[name] = await prompt(client, name, **arguments)
                for name, text in shown.items():
                    assert (MARKS[tenant] in text) is (name not in FIXED), (name, text)
                    assert MARKS[other] not in text, name
                figures = json.loads(shown["memory://status"])
                assert (figures["tenant"], figures["turns"]) == (tenant, 1)
                async with server.client(own.token) as http:
                    by_rest = (await http.get("/memory/status")).json()
                for told in (figures, by_rest):
                    assert "database_bytes" not in told  # which tells how much others write
                assert by_rest == figures


@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_completions_are_of_the_caller_s_tenant(start_server: StartServer, era: Era) -> None:
    async with start_server() as server:
        laid = {tenant: await lay(server, tenant, era) for tenant in MARKS}
        for tenant in MARKS:
            own = laid[tenant]
            async with server.connect(own.token, era) as client:
                found = [
                    (await client.complete(about, {"name": name, "value": typed})).completion.values
                    for about, name, typed in (
                        (ResourceTemplateReference(uri=MEMORY), "memory_id", ""),
                        (ResourceTemplateReference(uri=SESSION), "session_id", "talk"),
                    )
                ]
                assert found == [[own.memory_id], [own.session_id]]
