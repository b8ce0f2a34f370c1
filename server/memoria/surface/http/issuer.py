"""Issuer: takes the tokens (JWT) of an authorization server that the user has configured.

Memoria is a resource server alone: it issues nothing, and asks the issuer for its public keys only.
"""

import hashlib
import time
from collections.abc import Callable
from typing import Any

import httpx2
import jwt
from mcp.server.auth.provider import AccessToken
from pydantic import TypeAdapter, ValidationError

from memoria.app.arguments import require_no_secret
from memoria.app.refusals import RefusalLog
from memoria.config import Settings
from memoria.config_http import TenantName
from memoria.errors import InvalidInputError
from memoria.model.access import Access
from memoria.surface.http.issuer_keys import IssuerKeys, KeysUnavailableError

METADATA_PATH = "/.well-known/oauth-protected-resource"
SCOPES = ("memoria:read", "memoria:write")
"""Scopes that a client asks the issuer for, unless somebody has told it otherwise."""
_LEEWAY_S = 30
_LONGEST_TOKEN = 16_384
_LONGEST_SUBJECT = 100
_TENANT = TypeAdapter[str](TenantName)


class Issuer:
    """The configured issuer, and what its tokens open."""

    def __init__(
        self, settings: Settings, refusals: RefusalLog, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Bind to an issuer.

        Args:
            settings: with an issuer and an audience.
            refusals: where refused tokens are noted.
            clock: seconds that only grow.
        """
        self._settings = settings
        self._refusals = refusals
        self._url = settings.jwt_issuer or ""
        networks = settings.private_networks or ()
        self._keys = IssuerKeys(self._url, settings.jwt_keys_url, clock, networks)

    @property
    def resource(self) -> str:
        """Address at which clients reach the memory."""
        return self._settings.jwt_resource or self._settings.jwt_audience or ""

    @property
    def metadata_url(self) -> str:
        """Address of the metadata, by which a client finds the issuer."""
        parts = httpx2.URL(self.resource)
        path = parts.path.rstrip("/")
        return str(parts.copy_with(raw_path=f"{METADATA_PATH}{path}".encode()))

    @property
    def metadata(self) -> dict[str, object]:
        """Metadata of this memory as a protected resource (RFC 9728)."""
        return {
            "resource": self.resource,
            "authorization_servers": [self._url],
            "scopes_supported": [*SCOPES],
            "bearer_methods_supported": ["header"],
            "resource_name": "Memoria",
        }

    async def verify(self, token: str) -> AccessToken | None:
        """Return what a token allows; None if it is none of the issuer's, or not for this memory.

        A token that names a tenant and no access is returned, and allows nothing.
        """
        claims, fault = await self._read(token)
        if claims is None:
            await self._refusals.note(f"a token of another issuer, or a wrong one: {fault}")
            return None
        subject = claims["sub"]
        caller = f"subject {_show(subject)}"
        tenant = self._find_tenant(claims)
        if tenant is None:
            claim = self._settings.jwt_tenant_claim
            await self._refusals.note(f"a token of the issuer names no tenant in `{claim}`")
            return None
        allowed = self._find_access(claims)
        if not allowed:
            claim = self._settings.jwt_access_claim
            await self._refusals.note(f"the token allows nothing in `{claim}`", tenant, caller)
        identity = hashlib.sha256(f"{self._url}\0{subject}".encode()).hexdigest()
        claimed = {"iss": self._url, "caller": caller}
        return AccessToken(
            token="", client_id=identity, scopes=allowed, subject=tenant, claims=claimed
        )

    async def _read(self, token: str) -> tuple[dict[str, Any] | None, str]:
        """Return a token's claims, or None with what is wrong with it."""
        if len(token) > _LONGEST_TOKEN:
            return None, "too long"
        try:
            header = jwt.get_unverified_header(token)
            key = await self._keys.find(header.get("kid"), header.get("alg"))
            if key is None:
                return None, "no key of the issuer has signed it"
            claims: dict[str, Any] = jwt.decode(
                token,
                key,
                algorithms=[key.algorithm_name],  # the key's, whatever the token says
                audience=self._settings.jwt_audience,
                issuer=self._url,
                leeway=_LEEWAY_S,
                options={
                    "require": ["iss", "aud", "exp", "sub"],
                    "enforce_minimum_key_length": True,
                },
            )
        except KeysUnavailableError as error:
            return None, str(error)
        except (jwt.PyJWTError, ValueError, ArithmeticError, RecursionError) as error:
            return None, type(error).__name__
        return claims, ""

    def _find_tenant(self, claims: dict[str, Any]) -> str | None:
        """Return the tenant that the claims name, by the checks of any tenant's name."""
        value = claims.get(self._settings.jwt_tenant_claim)
        if not isinstance(value, str):
            return None
        if self._settings.jwt_tenants is not None:
            return self._settings.jwt_tenants.get(value)
        try:
            name = _TENANT.validate_python(value, strict=True)
            require_no_secret("tenant", name)
        except (ValidationError, InvalidInputError):
            return None
        return name if name == value and name.isprintable() else None

    def _find_access(self, claims: dict[str, Any]) -> list[str]:
        """Return the levels of access that the claims allow; empty if they allow nothing."""
        value = claims.get(self._settings.jwt_access_claim)
        words = value.split() if isinstance(value, str) else value
        if not isinstance(words, list):
            return []
        named = {word.removeprefix("memoria:") for word in words if isinstance(word, str)}
        given = [access for access in Access if access.value in named]
        return [one.value for one in Access if any(each.includes(one) for each in given)]


def _show(subject: str) -> str:
    """Return a subject as it is logged: on one line, and short."""
    return "".join(char if char.isprintable() else "?" for char in subject[:_LONGEST_SUBJECT])
