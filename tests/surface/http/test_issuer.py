"""Tokens of a configured issuer open the memory of their tenant, and nothing else opens by them."""

import hashlib
import hmac
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing
from pathlib import Path

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from tests.surface.http.authority import (
    AUDIENCE,
    PUBLIC_PEM,
    RSA_KEY,
    Authority,
    forge,
    run_authority,
)
from tests.surface.http.conftest import HttpServer, StartServer
from tests.surface.http.test_callers import FACT, call

from memoria.app.engine import open_store
from memoria.app.refusals import RefusedCalls
from memoria.config import Settings
from memoria.errors import InvalidInputError
from memoria.model.access import Access
from memoria.model.provenance import LoggedAction
from memoria.store.engine import Store
from memoria.surface.http.issuer import Issuer

pytestmark = pytest.mark.anyio
NOW = int(time.time())
OTHER_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
WEAK_KEY = rsa.generate_private_key(public_exponent=65537, key_size=1024)  # noqa: S505  (that it is weak is its point)
METADATA = "/.well-known/oauth-protected-resource"


@pytest.fixture
async def authority() -> AsyncIterator[Authority]:
    async with run_authority() as one:
        yield one


@pytest.fixture
def store(home: Path) -> Iterator[Store]:
    with closing(open_store(Settings.from_values(home=home, embedder="off"))) as one:
        yield one


def issuer_of(
    authority: Authority, store: Store, clock: Callable[[], float] = time.monotonic, **given: object
) -> Issuer:
    settings = Settings.from_values(**authority.settings, **given)
    return Issuer(settings, RefusedCalls(store), clock)


async def status_of(server: HttpServer, token: str) -> int:
    """What a request with a token is answered: 400 for one that came as far as MCP."""
    async with server.client(token) as client:
        return (await client.post("/mcp", json={})).status_code


def logged(server: HttpServer, tenant: str) -> list[LoggedAction]:
    with server.home.store.read(tenant) as tx:
        return tx.audit.list_latest(100, 0)


@pytest.mark.parametrize("algorithm", ["RS256", "ES256", "EdDSA"])
async def test_a_token_of_the_issuer_opens_the_memory_of_its_tenant_alone(
    start_server: StartServer, authority: Authority, algorithm: str
) -> None:
    async with start_server(**authority.settings) as server:
        ann = authority.issue(algorithm=algorithm)
        ben = authority.issue({"sub": "ben"}, algorithm=algorithm)
        async with server.connect(ann) as client:
            await call(client, "remember", content=FACT)
            found, _ = await call(client, "search_memory", query="spare key")
            assert "third shelf" in found
        async with server.connect(ben) as client:
            found, _ = await call(client, "search_memory", query="spare key")
            assert "third shelf" not in found
        (kept,) = [line for line in logged(server, "ann") if line.action == "remember"]
        assert kept.caller == "subject ann"
    assert authority.asked["/keys"] == 1


async def test_our_own_tokens_open_beside_those_of_the_issuer(
    start_server: StartServer, authority: Authority
) -> None:
    async with start_server(**authority.settings) as server:
        own = await server.create_token("ann", Access.READ)
        assert await status_of(server, own.text) == 400
        assert await status_of(server, authority.issue()) == 400
    async with start_server() as server:
        assert await status_of(server, authority.issue()) == 401


def attacks(authority: Authority) -> dict[str, str]:
    """Tokens that open nothing, by what is wrong with them."""
    claims = {"iss": authority.issuer, "aud": AUDIENCE, "sub": "ann", "exp": NOW + 86_400}
    claims["scope"] = "memoria:admin"
    by_hand = {"alg": "HS256", "typ": "JWT", "kid": "RS256"}
    unsigned = forge(by_hand, claims).rpartition(".")[0]
    confused = hmac.new(PUBLIC_PEM, unsigned.encode(), hashlib.sha256).digest()
    jwks = f"{authority.url}/evil"
    good = authority.issue()
    head, body, signature = good.split(".")
    return {
        "no algorithm": forge({"alg": "none", "kid": "RS256"}, claims),
        "no algorithm, in capitals": forge({"alg": "NONE"}, claims, b"x"),
        "the public key as a shared secret": forge(by_hand, claims, confused),
        "an algorithm that is not pinned": authority.issue(
            algorithm="PS256", key=RSA_KEY, kid="RS256"
        ),
        "a key of another kind": authority.issue(algorithm="RS256", kid="ES256"),
        "somebody else's key": authority.issue(key=OTHER_KEY),
        "an unknown key": authority.issue(key=OTHER_KEY, kid="new"),
        "a key in the token": authority.issue(
            key=OTHER_KEY, jwk=jwt.algorithms.RSAAlgorithm.to_jwk(OTHER_KEY.public_key(), True)
        ),
        "an address of keys in the token": authority.issue(key=OTHER_KEY, kid="new", jku=jwks),
        "an address of certificates": authority.issue(key=OTHER_KEY, kid="new", x5u=jwks),
        "an unknown header that must be known": authority.issue(crit=["evil"], evil=1),
        "another issuer": authority.issue({"iss": f"{authority.issuer}/"}),
        "no issuer": authority.issue({"iss": None}),
        "another audience": authority.issue({"aud": "https://other.example.com/mcp"}),
        "no audience": authority.issue({"aud": None}),
        "over": authority.issue({"exp": NOW - 60}),
        "without an end": authority.issue({"exp": None}),
        "not yet": authority.issue({"nbf": NOW + 86_400}),
        "without a subject": authority.issue({"sub": None}),
        "another body": ".".join((head, forge({}, claims).split(".")[1], signature)),
        "no signature": f"{head}.{body}.",
        "endless": authority.issue({"more": "x" * 20_000}),
        "no token at all": "a.b.c",
        "nested": "e30." * 400,
    }


async def test_no_forged_stolen_or_ended_token_opens_anything(
    store: Store, authority: Authority, caplog: pytest.LogCaptureFixture
) -> None:
    issuer = issuer_of(authority, store)
    for name, token in attacks(authority).items():
        assert await issuer.verify(token) is None, name
        assert token not in caplog.text
    assert await issuer.verify(authority.issue()) is not None
    assert store.tenants() == []
    assert authority.asked["/evil"] == 0
    assert authority.asked["/keys"] == 1  # the flood of unknown keys came within ten seconds


async def test_a_clock_that_is_a_little_off_is_forgiven(
    start_server: StartServer, authority: Authority
) -> None:
    async with start_server(**authority.settings) as server:
        now = int(time.time())
        assert await status_of(server, authority.issue({"exp": now - 5})) == 400
        assert await status_of(server, authority.issue({"nbf": now + 5})) == 400


@pytest.mark.parametrize(
    "value",
    [None, "", " ann", "ann ", "a\nb", "x" * 201, 7, True, ["ann"], {"name": "ann"}],
    ids=repr,
)
async def test_a_claim_that_is_no_tenants_name_opens_nothing(
    store: Store, authority: Authority, value: object
) -> None:
    issuer = issuer_of(authority, store, jwt_tenant_claim="tenant")
    assert await issuer.verify(authority.issue({"tenant": value})) is None
    assert store.tenants() == []


async def test_only_the_tenants_that_are_named_are_opened(
    start_server: StartServer, authority: Authority
) -> None:
    chosen = {"jwt_tenant_claim": "email", "jwt_tenants": "ann@example.com=default"}
    async with start_server(**authority.settings, **chosen) as server:
        async with server.connect(authority.issue({"email": "ann@example.com"})) as client:
            await call(client, "remember", content=FACT)
        assert server.home.store.tenants() == ["default"]
        for other in ("ben@example.com", "default", "ANN@example.com"):
            assert await status_of(server, authority.issue({"email": other})) == 401


@pytest.mark.parametrize(
    ("scope", "allowed"),
    [
        ("memoria:read", Access.READ),
        ("read openid", Access.READ),
        (["write"], Access.WRITE),
        ("memoria:read memoria:forget", Access.FORGET),
        ("memoria:admin", Access.ADMIN),
        ("openid profile", None),
        ("memoria:readwrite READ memoria:", None),
        (None, None),
        (7, None),
        ([7, ["read"]], None),
        ({"read": True}, None),
    ],
    ids=repr,
)
async def test_a_token_allows_what_its_scope_says_and_nothing_without_one(
    store: Store, authority: Authority, scope: object, allowed: Access | None
) -> None:
    found = await issuer_of(authority, store).verify(authority.issue({"scope": scope}))
    assert found is not None
    levels = [access.value for access in Access if allowed and allowed.includes(access)]
    assert found.scopes == levels
    assert found.token == ""


async def test_a_token_without_access_is_refused_and_told_what_to_ask_for(
    start_server: StartServer, authority: Authority
) -> None:
    async with start_server(**authority.settings) as server:
        await server.create_token("ann", Access.READ)
        async with server.client(authority.issue({"scope": "openid"})) as client:
            answer = await client.post("/mcp", json={})
        assert answer.status_code == 403
        told = answer.headers["www-authenticate"]
        assert 'error="insufficient_scope"' in told
        assert f'resource_metadata="https://memory.example.com{METADATA}/mcp"' in told
        line = logged(server, "ann")[0]
        assert (line.action, line.caller) == ("refuse", "subject ann")


async def test_keys_are_fetched_anew_for_a_new_one_and_not_for_every_unknown_one(
    store: Store, authority: Authority
) -> None:
    now = [0.0]
    issuer = issuer_of(authority, store, lambda: now[0])
    assert await issuer.verify(authority.issue()) is not None
    for number in range(50):  # a flood of made-up keys
        assert await issuer.verify(authority.issue(kid=f"key {number}")) is None
    assert authority.asked["/keys"] == 1
    authority.keys = [{**key, "kid": f"new {key['kid']}"} for key in authority.keys]
    now[0] += 11
    assert await issuer.verify(authority.issue(kid="new RS256")) is not None
    assert await issuer.verify(authority.issue()) is None  # the former key was withdrawn
    assert authority.asked["/keys"] == 2
    authority.is_down = True
    now[0] += 4_000
    assert await issuer.verify(authority.issue(kid="new RS256")) is not None
    now[0] += 90_000
    assert await issuer.verify(authority.issue(kid="new RS256")) is None


async def test_keys_that_must_not_sign_are_left_out(store: Store, authority: Authority) -> None:
    weak = jwt.algorithms.RSAAlgorithm.to_jwk(WEAK_KEY.public_key(), as_dict=True)
    shared = {"kty": "oct", "k": "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LTEyMzQ1", "kid": "shared"}
    authority.keys = [shared, {**weak, "kid": "weak"}, {"kid": "RS256"}, *authority.keys]
    authority.keys[3] = {**authority.keys[3], "use": "enc"}
    issuer = issuer_of(authority, store)
    secret = b"secret-secret-secret-secret-12345"
    with pytest.warns(jwt.warnings.InsecureKeyLengthWarning):
        weakly_signed = authority.issue(key=WEAK_KEY, kid="weak")
    by_secret = authority.issue(algorithm="HS256", key=secret, kid="shared")
    for token in (weakly_signed, by_secret, authority.issue()):
        assert await issuer.verify(token) is None
    assert await issuer.verify(authority.issue(algorithm="ES256")) is not None


async def test_a_client_is_told_where_the_issuer_is(
    start_server: StartServer, authority: Authority
) -> None:
    async with start_server(**authority.settings) as server, server.client("") as client:
        answer = await client.post("/mcp", json={})
        told = answer.headers["www-authenticate"]
        assert f'resource_metadata="https://memory.example.com{METADATA}/mcp"' in told
        for path in (METADATA, f"{METADATA}/mcp"):
            found = (await client.get(path)).json()
            assert found["resource"] == AUDIENCE
            assert found["authorization_servers"] == [authority.issuer]
    async with start_server() as server, server.client("") as client:
        assert (await client.get(METADATA)).status_code == 404
        told = (await client.post("/mcp", json={})).headers["www-authenticate"]
        assert told == "Bearer"


@pytest.mark.parametrize(
    "given",
    [
        {"jwt_issuer": "https://id.example.com"},
        {"jwt_issuer": "http://id.example.com", "jwt_audience": AUDIENCE},
        {"jwt_issuer": "https://ann:secret@id.example.com", "jwt_audience": AUDIENCE},
        {"jwt_issuer": "https://id.example.com", "jwt_audience": "memory"},
        {"jwt_keys_url": "http://id.example.com/keys"},
        {"jwt_keys_url": "file:///etc/passwd"},
        {"jwt_tenants": "ann"},
        {"jwt_tenants": "ann=a,ann=b"},
    ],
    ids=str,
)
def test_an_issuer_that_could_be_forged_is_no_setting(given: dict[str, str]) -> None:
    with pytest.raises(InvalidInputError):
        Settings.from_values(**given)
