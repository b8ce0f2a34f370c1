"""Callers: who shows which token, which memory they reach, and what they may do there."""

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.requests import HTTPConnection

from memoria.app import Memoria
from memoria.app.compose import purge_hidden
from memoria.app.open_home import OpenHome
from memoria.app.tokens import TokenChecker
from memoria.model import Channel, Trust
from memoria.model.access import Access

_CHANNEL = Channel(name="http", trust=Trust.REPORTED)


class TokenVerifier:
    """Verifies the tokens that callers show; while the home is not open, none of them holds."""

    def __init__(self) -> None:
        self.checker: TokenChecker | None = None
        """Checker of the opened home's tokens; None before it is open and after it is closed."""

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
        return self.open(_find_token(request).subject or "")

    def open(self, tenant: str) -> Memoria:
        """Return the memory of a tenant."""
        memory = self._open.get(tenant)
        if memory is None:
            memory = self._open[tenant] = Memoria(self._home.for_tenant(tenant), _CHANNEL)
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
        allowed = max(map(Access, _find_token(request).scopes), key=list(Access).index)
        return allowed if self._most.includes(allowed) else self._most


def _find_token(request: object) -> AccessToken:
    """Return the token of a request, which came no further without one."""
    if not isinstance(request, HTTPConnection):
        raise TypeError(type(request).__name__)
    user: object = request.user
    if not isinstance(user, AuthenticatedUser):
        raise PermissionError("a request without a token")
    return user.access_token
