"""Settings of a server over HTTP: whose tokens it takes, and how much a caller may ask."""

from typing import Annotated

from pydantic import (
    BaseModel,
    BeforeValidator,
    Field,
    IPvAnyNetwork,
    StringConstraints,
    field_validator,
)

from memoria.config_checks import check_safe_url

TenantName = Annotated[str, StringConstraints(min_length=1, max_length=200, strip_whitespace=True)]
_Word = Annotated[str, StringConstraints(min_length=1, max_length=1000, strip_whitespace=True)]


def _split_pairs(value: object) -> object:
    """Return a text such as `ann@example.com=ann,ben@example.com=ben` as a mapping."""
    if not isinstance(value, str):
        return value
    pairs = [part.rpartition("=") for part in value.split(",") if part.strip()]
    named = {name.strip(): tenant.strip() for name, _, tenant in pairs}
    if len(named) < len(pairs) or not all(named) or not all(named.values()):
        raise ValueError("write VALUE=TENANT for each value once, such as ann@example.com=ann")
    return named


def _split_networks(value: object) -> object:
    """Return a text such as `10.0.3.7,192.168.0.0/24` as the list of its parts."""
    if not isinstance(value, str):
        return value
    return [part.strip() for part in value.split(",") if part.strip()]


class HttpSettings(BaseModel):
    """Settings of a server over HTTP."""

    jwt_issuer: str | None = None
    """The authorization server whose tokens (JWT) a server over HTTP takes beside its own, by the
    `iss` that stands in them, such as https://id.example.com/realms/home. None by default."""

    jwt_audience: _Word | None = None
    """The `aud` that must stand in such a token, so that no token for another service opens this
    memory: best the address clients are given, such as https://memory.example.com/mcp."""

    jwt_resource: str | None = None
    """The address at which clients reach the memory, where the audience is another word; clients
    compare it with the address they were given."""

    jwt_keys_url: str | None = None
    """Where the issuer's public keys (JWKS) are, if the issuer's own metadata does not say it."""

    jwt_tenant_claim: _Word = "sub"
    """The claim that says whose memory a token opens."""

    jwt_tenants: Annotated[dict[str, TenantName], BeforeValidator(_split_pairs)] | None = None
    """Values of that claim and their tenants, such as `ann@example.com=ann,ben@example.com=ben`; no
    other value opens anything. By default the value is the name of the tenant."""

    jwt_access_claim: _Word = "scope"
    """The claim with what a token allows: words such as `memoria:read` or `read`, or a list."""

    http_calls_per_second: float = Field(20, ge=0, le=100_000)
    """How many calls a second a token may make over HTTP on average; five times as many at once. 0:
    any number."""

    private_networks: (
        Annotated[tuple[IPvAnyNetwork, ...], BeforeValidator(_split_networks)] | None
    ) = None
    """Addresses or networks beside the public internet to which a server over HTTP may send events
    and ask an issuer for its keys, such as `10.0.3.7,192.168.0.0/24`; to these also without TLS. By
    default none, but for the addresses that stand in the settings of the issuer themselves."""

    _check_urls = field_validator("jwt_issuer", "jwt_keys_url", "jwt_resource")(check_safe_url)
