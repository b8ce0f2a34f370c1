"""Callers: who shows which token, which memory they reach, and what they may do there."""

from collections.abc import Sequence
from typing import Protocol

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.requests import HTTPConnection
from starlette.types import Scope

from memoria.app import Memoria
from memoria.app.compose import purge_hidden
from memoria.app.homes import TenantHomes
from memoria.app.open_home import OpenHome
from memoria.app.refusals import HTTP_CHANNEL, RefusalLog, RefusedCalls
from memoria.app.tokens import TokenChecker
from memoria.model import Channel, Trust
from memoria.model.access import TEXT_BEGINS, Access, Token
from memoria.surface.http.issuer import Issuer

CALLERS_CHANNEL = Channel(name=HTTP_CHANNEL, trust=Trust.REPORTED)


class Checker(Protocol):
    """Checker of the tokens that callers show."""

    async def check(self, shown: str, begins: str = TEXT_BEGINS) -> tuple[str, Token] | None:
        """Return the tenant and the token of a text shown for a use; None if it opens nothing."""
        ...


class TokenVerifier:
    """Verifies the tokens that callers show; while the home is not open, none of them holds."""

    def __init__(self) -> None:
        self.checker: Checker | None = None
        """Checker of the opened homes' tokens; None before it is open and after it is closed."""
        self.issuer: Issuer | None = None
        """Issuer whose tokens are taken beside them; None unless one is set."""
        self.homes: TenantHomes | None = None
        """Homes of tenants who have one each; None where all are in one home, or it is not open."""
        self.refusals: RefusalLog | None = None
        """Log of what was refused; None while the home is not open."""
        self.calls_per_second = 0.0
        """Number of calls a second that a token may make; 0 for any number."""

    def open(self, home: OpenHome | TenantHomes) -> None:
        """Begin to take the tokens of a home, or of the tenants' homes, and of the issuer."""
        if isinstance(home, TenantHomes):
            self.homes = self.checker = self.refusals = home
        else:
            self.refusals = RefusedCalls(home.store)
            self.checker = TokenChecker(home.store, self.refusals)
        self.calls_per_second = home.settings.http_calls_per_second
        is_set = home.settings.jwt_issuer is not None
        self.issuer = Issuer(home.settings, self.refusals) if is_set else None

    def close(self) -> None:
        """Take no token any more."""
        self.checker = self.issuer = self.refusals = self.homes = None

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return what a token allows, without its secret; None if it opens nothing."""
        if self.issuer is not None and not token.startswith(TEXT_BEGINS):
            return await self.issuer.verify(token)
        return await self.verify(token, TEXT_BEGINS)

    async def verify(self, token: str, begins: str) -> AccessToken | None:
        """Return what a token of ours allows that is shown for a use; None if it opens nothing."""
        found = None if self.checker is None else await self.checker.check(token, begins)
        if found is None:
            return None
        tenant, known = found
        allowed = [one.value for one in Access if known.access.includes(one)]
        return AccessToken(
            token="",
            client_id=known.id,
            scopes=allowed,
            subject=tenant,
            claims={"caller": known.caller},
        )

    async def note_refusal(self, scope: Scope, reason: str) -> None:
        """Note that a call was refused, with the tenant and the caller if they are known."""
        if self.refusals is None:
            return
        user = scope.get("user")
        token = user.access_token if isinstance(user, AuthenticatedUser) else None
        if token is None:
            await self.refusals.note(reason)
        else:
            await self.refusals.note(reason, token.subject, _name_caller(token))


class TenantMemories:
    """The memories of tenants, each opened when somebody first calls for it."""

    def __init__(
        self, home: OpenHome | TenantHomes, verifier: TokenVerifier, most: Access = Access.ADMIN
    ) -> None:
        """Make the memories of tenants.

        Args:
            home: the opened home of all of them, or the homes of tenants who have one each.
            verifier: of the tokens that callers show, which notes what they are refused.
            most: what callers may do at most, whatever their tokens say.
        """
        self._home = home
        self._verifier = verifier
        self._most = most
        self._open: dict[str, Memoria] = {}

    def find(self, request: object) -> Memoria:
        """Return the memory of the caller's tenant, stamped with the caller."""
        token = find_token(request)
        channel = CALLERS_CHANNEL.model_copy(update={"caller": _name_caller(token)})
        return self.open(token.subject or "").with_channel(channel)

    def open(self, tenant: str) -> Memoria:
        """Return the memory of a tenant; a call holds the home of one who has its own."""
        if isinstance(self._home, TenantHomes):
            return self._home.find(tenant)
        memory = self._open.get(tenant)
        if memory is None:
            memory = self._open[tenant] = Memoria(self._home.for_tenant(tenant), CALLERS_CHANNEL)
        return memory

    @property
    def is_read_only(self) -> bool:
        """True if nobody may change anything, whatever their tokens allow."""
        return self._most is Access.READ

    async def note_refusal(self, request: object, reason: str) -> None:
        """Note that a call of the caller was refused."""
        if isinstance(request, HTTPConnection):
            await self._verifier.note_refusal(request.scope, reason)

    def purge_hidden(self) -> None:
        """Erase what any tenant forgot and hid, once its period of grace is over."""
        if isinstance(self._home, OpenHome):  # a home of a tenant's own is purged when it is opened
            for tenant in self._home.store.tenants():
                purge_hidden(self._home, tenant)

    def list_tenants(self) -> Sequence[str]:
        """List the tenants; of those with a home each, whose homes are open."""
        if isinstance(self._home, TenantHomes):
            return self._home.list_open()
        return self._home.store.tenants()

    def close(self) -> None:
        """Close what the tenants' memories have open beside the home."""
        for memory in self._open.values():
            memory.spool.close()

    def find_access(self, request: object) -> Access:
        """Return what the caller may do: what the token allows, and the server."""
        allowed = max(map(Access, find_token(request).scopes), key=list(Access).index)
        return allowed if self._most.includes(allowed) else self._most


def find_token(request: object) -> AccessToken:
    """Return the token of a request, which came no further without one."""
    if not isinstance(request, HTTPConnection):
        raise TypeError(type(request).__name__)
    user: object = request.user
    if not isinstance(user, AuthenticatedUser):
        raise PermissionError("a request without a token")
    return user.access_token


def _name_caller(token: AccessToken) -> str:
    return str((token.claims or {}).get("caller", ""))
