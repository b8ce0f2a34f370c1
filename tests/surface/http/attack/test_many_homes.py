"""Where each tenant has a home of its own, no token and no id reaches, begins or names another."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest
from tests.surface.http.attack.agent import McpEra
from tests.surface.http.attack.conftest import Served, serving
from tests.surface.http.attack.test_other_tenants import CALLS, Tenants
from tests.surface.http.attack.test_shown_tokens import write_tokens
from tests.surface.http.conftest import HttpServer
from tests.surface.http.test_homes import Homes, homes

from memoria.app.compose import open_home
from memoria.app.tokens import CreatedToken, TokenService
from memoria.model.access import Access
from memoria.model.provenance import COMMAND_LINE

__all__ = ["homes"]
_PARTS = 4


@dataclass(frozen=True, slots=True)
class HomesServer(HttpServer):
    """A server of a folder of homes."""

    folder: Homes | None = None

    async def create_token(
        self, tenant: str, access: Access, expires_at: int | None = None, label: str = ""
    ) -> CreatedToken:
        """Create a token in a tenant's home, made if need be."""
        assert self.folder is not None
        async with open_home(self.folder.settings(tenant)) as home:
            tokens = TokenService(home.store, tenant, COMMAND_LINE)
            return await tokens.create(access, label, expires_at)


@pytest.fixture
def served(homes: Homes) -> Iterator[Served]:
    """A server of homes in another thread."""

    @asynccontextmanager
    async def serve() -> AsyncIterator[HttpServer]:
        async with homes.serve() as server:
            yield HomesServer(server.url, None, homes)

    with serving(serve) as running:
        yield running


def test_no_text_that_looks_like_a_token_makes_or_opens_a_home(
    served: Served, homes: Homes
) -> None:
    good = served.create_token("ann").text
    served.create_token("ben")
    before, around = homes.list(), [*homes.folder.parent.iterdir()]
    for shown in write_tokens(good, "mem_YW5u.x.y", "mem_YmVu.x.y"):
        answer = served.ask("/mcp", b"Authorization: Bearer " + shown)
        served.check_refusal(answer, (400, 401), shown[:200])
    assert "result" in served.agent(good).request("tools/list")
    assert (homes.list(), [*homes.folder.parent.iterdir()]) == (before, around)


@pytest.mark.parametrize("era", ["new", "old"])
@pytest.mark.parametrize("part", range(_PARTS))
def test_ids_of_another_home_answer_as_ids_that_never_were(
    served: Served, era: McpEra, part: int
) -> None:
    Tenants(served, era).compare((call, {}) for call in CALLS[part::_PARTS])
