"""A visitor of the viewer: opens pages and sends their forms, as a browser without scripts does."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from html import unescape
from typing import Self

import httpx2
from tests.surface.http.conftest import HttpServer

from memoria.app.tokens import TokenService
from memoria.model.access import LINK_BEGINS, Access
from memoria.model.provenance import COMMAND_LINE

_CSRF = re.compile(r'name="csrf" value="([0-9a-f]{64})"')
_TAGS = re.compile(r"<[^>]*>")


@dataclass(frozen=True, slots=True)
class ShownPage:
    """A page that was shown."""

    answer: httpx2.Response

    @property
    def status(self) -> int:
        """Status of the answer."""
        return self.answer.status_code

    @property
    def html(self) -> str:
        """The page as it came."""
        return self.answer.text

    @property
    def text(self) -> str:
        """What a person reads of it, spaces collapsed."""
        return " ".join(unescape(_TAGS.sub(" ", self.html)).split())

    @property
    def path(self) -> str:
        """Path of the page, after whatever it was led on by."""
        return self.answer.url.path


@dataclass(frozen=True, slots=True)
class Visitor:
    """A person who visits the viewer."""

    http: httpx2.AsyncClient

    @classmethod
    @asynccontextmanager
    async def enter(
        cls, server: HttpServer, tenant: str = "ann", access: Access = Access.ADMIN
    ) -> AsyncIterator[Self]:
        """Visit with a link, as `memoria ui` makes it, until the block ends."""
        tokens = TokenService(server.home.store, tenant, COMMAND_LINE)
        link = await tokens.create(access, "viewer", None, LINK_BEGINS)
        async with httpx2.AsyncClient(
            base_url=server.url, follow_redirects=True, timeout=30
        ) as http:
            entered = await http.get("/ui/enter", params={"link": link.text})
            assert entered.status_code == 200, entered.text
            yield cls(http)

    async def open(self, path: str, **query: str) -> ShownPage:
        """Open a page below `/ui`."""
        return ShownPage(await self.http.get(f"/ui{path}", params=query or None))

    async def send(self, path: str, **fields: str) -> ShownPage:
        """Send a form below `/ui` as its page would, and return the page that it leads to."""
        page = await self.http.get("/ui/health")
        found = _CSRF.search(page.text)
        assert found is not None, page.text
        return ShownPage(await self.http.post(f"/ui{path}", data={"csrf": found[1], **fields}))
