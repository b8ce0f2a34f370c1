"""Callers: who shows which token, which memory they reach, and what they may do there."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.requests import HTTPConnection

from memoria.app import Memoria
from memoria.app.compose import purge_hidden
from memoria.app.homes import TenantHomes
from memoria.app.open_home import OpenHome
from memoria.app.tokens import TokenChecker
from memoria.model import Channel, Trust
from memoria.model.access import Access, Token, TokenText

HTTP_CHANNEL = Channel(name="http", trust=Trust.REPORTED)


class Checker(Protocol):
    """Checker of the tokens that callers show."""

    async def check(self, shown: str) -> tuple[str, Token] | None:
        """Return the tenant and the token of a shown text; None if it opens nothing."""
        ...


class TokenVerifier:
    """Verifies the tokens that callers show; while the home is not open, none of them holds."""

    def __init__(self) -> None:
        self.checker: Checker | None = None
        """Checker of the opened homes' tokens; None before it is open and after it is closed."""

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return what a token allows, without its secret; None if it opens nothing."""
        found = None if self.checker is None else await self.checker.check(token)
        if found is None:
            return None
        tenant, known = found
        allowed = [one.value for one in Access if known.access.includes(one)]
        return AccessToken(token="", client_id=known.id, scopes=allowed, subject=tenant)


class TenantMemories:
    """The memories of a home's tenants, each opened when somebody first calls for it."""

    def __init__(self, home: OpenHome, most: Access = Access.ADMIN) -> None:
        """Make the memories of a home.

        Args:
            home: the opened home.
            most: what callers may do at most, whatever their tokens say.
        """
        self._home = home
        self._most = most
        self._open: dict[str, Memoria] = {}

    def find(self, request: object) -> Memoria:
        """Return the memory of the caller's tenant."""
        tenant = _find_token(request).subject or ""
        memory = self._open.get(tenant)
        if memory is None:
            memory = self._open[tenant] = Memoria(self._home.for_tenant(tenant), HTTP_CHANNEL)
        return memory

    def purge_hidden(self) -> None:
        """Erase what any tenant forgot and hid, once its period of grace is over."""
        for tenant in self._home.store.tenants():
            purge_hidden(self._home, tenant)

    def close(self) -> None:
        """Close what the tenants' memories have open beside the home."""
        for memory in self._open.values():
            memory.spool.close()

    def find_access(self, request: object) -> Access:
        """Return what the caller may do: what the token allows, and the server."""
        return _limit_access(request, self._most)


class HomeMemories:
    """The memories of tenants with a home each, of which those are open that are called for."""

    def __init__(self, homes: TenantHomes, most: Access = Access.ADMIN) -> None:
        """Make the memories of tenants.

        Args:
            homes: the tenants' homes.
            most: what callers may do at most, whatever their tokens say.
        """
        self._homes = homes
        self._most = most

    def find(self, request: object) -> Memoria:
        """Return the memory of the caller's tenant."""
        return self._homes.find(_find_token(request).subject or "")

    def find_access(self, request: object) -> Access:
        """Return what the caller may do: what the token allows, and the server."""
        return _limit_access(request, self._most)

    async def check(self, shown: str) -> tuple[str, Token] | None:
        """Look a token up in the home of the tenant that it names."""
        text = TokenText.parse(shown)
        if text is None:
            return None
        async with self._homes.hold(text.tenant) as opened:
            return None if opened is None else await opened.checker.check(shown)

    def purge_hidden(self) -> None:
        """Erase nothing: what is hidden in a home is looked at when the home is opened."""

    def close(self) -> None:
        """Close nothing: the homes are closed with what is open in them."""

    @asynccontextmanager
    async def hold(self, request: HTTPConnection) -> AsyncIterator[bool]:
        """Keep the home of a caller open while the block runs; False if the tenant has none."""
        async with self._homes.hold(_find_token(request).subject or "") as opened:
            yield opened is not None


def serve_tenants(
    opened: OpenHome | TenantHomes, most: Access
) -> tuple[TenantMemories | HomeMemories, Checker]:
    """Return the memories of what was opened, and the checker of its tokens.

    Args:
        opened: a home of many tenants, or a home for each.
        most: what callers may do at most, whatever their tokens say.
    """
    if isinstance(opened, TenantHomes):
        homes = HomeMemories(opened, most)
        return homes, homes
    return TenantMemories(opened, most), TokenChecker(opened.store)


def _limit_access(request: object, most: Access) -> Access:
    allowed = max(map(Access, _find_token(request).scopes), key=list(Access).index)
    return allowed if most.includes(allowed) else most


def _find_token(request: object) -> AccessToken:
    """Return the token of a request, which came no further without one."""
    if not isinstance(request, HTTPConnection):
        raise TypeError(type(request).__name__)
    user: object = request.user
    if not isinstance(user, AuthenticatedUser):
        raise PermissionError("a request without a token")
    return user.access_token
