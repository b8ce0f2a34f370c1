"""Calls whose words, names and ids are easily found again wherever somebody has written them."""

from dataclasses import dataclass

from mcp import MCPError
from tests.surface.http.conftest import Era, HttpServer

from memoria.app.tokens import CreatedToken
from memoria.model.access import Access

TENANT = "zanzibar"
FACT = "The spare quokka hangs behind the third shelf."
SAID = ("quokka", "shelf", "wombat", "platypus", "koala", "dingo", TENANT)
"""Words of a tenant's memory, queries, names that nobody knows, paths, and the tenant's name."""


@dataclass(frozen=True, slots=True)
class Served:
    """What was served: the token that was shown, and the id of the memory that was made."""

    token: CreatedToken
    memory_id: str

    @property
    def secrets(self) -> tuple[str, ...]:
        """Texts that nobody may be told."""
        return (*SAID, self.memory_id, self.token.text, self.token.text.rpartition(".")[2])


async def serve_calls(server: HttpServer, era: Era = "auto") -> Served:
    """Have a memory, three searches, what nobody knows and some odd requests served."""
    token = await server.create_token(TENANT, Access.WRITE)
    async with server.connect(token.text, era) as client:
        kept = await client.call_tool("remember", {"content": FACT})
        for _ in range(2):
            await client.call_tool("search_memory", {"query": "where is the wombat"})
        refused = await client.call_tool("search_memory", {"platypus": "wombat"})
        assert refused.is_error
        unknown = await client.call_tool("platypus", {})
        assert unknown.is_error
        try:
            await client.read_resource(f"memory://platypus/{kept.structured_content}")
        except MCPError:
            pass
        else:
            raise AssertionError("there is no such resource")
    async with server.client(token.text) as http:
        await http.get("/dingo/wombat", params={"q": "koala"})
        await http.request("DINGO", "/koala")
        memory_id = str((kept.structured_content or {})["id"])
        assert (await http.get(f"/memory/nodes/{memory_id}")).status_code == 200
        said = {"current_focus": "the wombat"}
        put = await http.put("/memory/scratchpads/dingo/koala", json=said)
        assert put.status_code == 200, put.text
        assert (await http.get("/memory/nodes/platypus")).status_code == 404
    async with server.client("") as http:
        for path in ("/mcp?q=koala", "/koala"):
            assert (await http.post(path, content=FACT)).status_code == 401
        assert (await http.get("/readyz")).status_code == 200
    return Served(token, memory_id)
