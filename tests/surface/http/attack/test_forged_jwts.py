"""Nothing but a token that the configured issuer signed for this memory opens it."""

import base64
import hashlib
import hmac
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import RSAAlgorithm
from tests.surface.http.attack.conftest import Served, serving
from tests.surface.http.attack.forged import HOUR, NOW, encode_part, list_claims, sign, write
from tests.surface.http.authority import (
    AUDIENCE,
    EC_KEY,
    ED_KEY,
    KEYS,
    RSA_KEY,
    Authority,
    public_keys,
    run_authority,
)
from tests.surface.http.conftest import HttpServer, StartServer

from memoria.surface.http.app import HttpOptions

ATTACKER = rsa.generate_private_key(public_exponent=65537, key_size=2048)
ATTACKER_EC = ec.generate_private_key(ec.SECP256R1())
_MILLION = 1_000_000
_SHAPES = (serialization.Encoding.PEM, serialization.Encoding.DER)


@pytest.fixture
def trusting(start_server: StartServer) -> Iterator[tuple[Served, Authority]]:
    """A server that takes the tokens of an issuer, and the issuer."""
    known: list[Authority] = []

    @asynccontextmanager
    async def serve() -> AsyncIterator[HttpServer]:
        async with run_authority() as authority:
            known.append(authority)
            async with start_server(HttpOptions(), **authority.settings) as server:
                yield server

    with serving(serve) as served:
        yield served, known[0]


def check_refused(trusting: tuple[Served, Authority], tokens: dict[str, str]) -> None:
    """Check that none of some tokens opens anything, begins a tenant or is told anywhere."""
    served, authority = trusting
    store = served.server.home.store
    before = [*store.tenants()]
    for what, token in tokens.items():
        answer = served.ask("/mcp", b"Authorization: Bearer " + token.encode())
        served.check_refusal(answer, (400, 401), what)
        assert token[-40:].encode() not in answer.raw, what
    assert [*store.tenants()] == before
    good = served.ask("/mcp", f"Authorization: Bearer {authority.issue()}")
    assert good.status not in (None, 401, 403, 500), good.raw[:300]


def read_public_texts() -> Iterator[bytes]:
    """Every way in which somebody may have written down the issuer's public keys."""
    for key in (RSA_KEY.public_key(), EC_KEY.public_key(), ED_KEY.public_key()):
        for shape in _SHAPES:
            text = key.public_bytes(shape, serialization.PublicFormat.SubjectPublicKeyInfo)
            yield from (text, text.strip(), text.replace(b"\n", b"\r\n"))
    public = RSA_KEY.public_key()
    for shape in _SHAPES:
        yield public.public_bytes(shape, serialization.PublicFormat.PKCS1)
    for one in public_keys():
        yield json.dumps(one).encode()
        yield json.dumps(one, separators=(",", ":"), sort_keys=True).encode()
        yield from (str(one[name]).encode() for name in ("n", "x", "kid") if name in one)
    yield json.dumps({"keys": public_keys()}).encode()
    yield from (b"", b"\0", b"secret", AUDIENCE.encode())


def test_a_token_without_a_signature_is_refused(trusting: tuple[Served, Authority]) -> None:
    claims = list_claims(trusting[1])
    good, other = trusting[1].issue(), trusting[1].issue({"sub": "ben"})
    head, said, signature = good.split(".")
    tokens = {
        f"{name} {len(mark)} {kid}": write({"alg": name, "kid": kid}, claims, mark)
        for name in ("none", "None", "NONE", "nOnE", "", " none", "none\0", "null", "RS256")
        for mark in (b"", b"\0", b"x")
        for kid in ("RS256", "none")
    }
    for name, alg in (("null", None), ("a list", ["none", "RS256"]), ("0", 0), ("an object", {})):
        tokens[f"algorithm {name}"] = write({"alg": alg, "kid": "RS256"}, claims)
    tokens |= {
        "no algorithm": write({"kid": "RS256"}, claims),
        "no header": f".{said}.{signature}",
        "no claims": f"{head}..{signature}",
        "two parts": f"{head}.{said}",
        "an empty signature": f"{head}.{said}.",
        "four parts": f"{good}.{signature}",
        "five parts": f"{good}.{signature}.{signature}",
        "a cut signature": good[:-2],
        "a signature of another": f"{head}.{said}.{other.split('.')[2]}",
        "other claims": f"{head}.{encode_part(claims | {'sub': 'ben'})}.{signature}",
        "another header": f"{encode_part({'alg': 'RS256', 'x': 1})}.{said}.{signature}",
    }
    check_refused(trusting, tokens)


def test_no_public_key_signs_as_a_secret(trusting: tuple[Served, Authority]) -> None:
    claims, tokens = list_claims(trusting[1]), {}
    for number, secret in enumerate(read_public_texts()):
        for name in ("HS256", "HS384", "HS512"):
            for kid in ("RS256", "ES256", None):
                header = {"alg": name, "typ": "JWT"} | ({} if kid is None else {"kid": kid})
                said = f"{encode_part(header)}.{encode_part(claims)}".encode()
                digest = hmac.new(secret, said, getattr(hashlib, f"sha{name[2:]}")).digest()
                tokens[f"{name} {number} {kid}"] = f"{said.decode()}.{encode_part(digest)}"
    check_refused(trusting, tokens)


def test_no_algorithm_is_taken_for_another(trusting: tuple[Served, Authority]) -> None:
    authority = trusting[1]
    claims = list_claims(authority)
    tokens = {
        f"{claimed} by {made} of {kid}": sign_as(claimed, made, kid, claims)
        for claimed in ("RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "ES256K", "EdDSA")
        for made in ("RS256", "ES256", "EdDSA")
        for kid in ("RS256", "ES256", "EdDSA", None)
        if not (claimed == made and kid in (claimed, None))
    }
    head = {"alg": "ES256", "kid": "ES256"}
    for name, mark in {"zeros": bytes(64), "nothing": b"", "order": b"\xff" * 64}.items():
        tokens[f"ES256 of {name}"] = write(head, claims, mark)
        tokens[f"EdDSA of {name}"] = write({"alg": "EdDSA", "kid": "EdDSA"}, claims, mark)
        tokens[f"RS256 of {name}"] = write({"alg": "RS256", "kid": "RS256"}, claims, mark * 4)
    tokens["ES256 as DER"] = write(head, claims, b"\x30\x06\x02\x01\x01\x02\x01\x01")
    check_refused(trusting, tokens)


def sign_as(claimed: str, made: str, kid: str | None, claims: dict[str, Any]) -> str:
    """Sign with one algorithm, and claim another."""
    header = {"alg": claimed} | ({} if kid is None else {"kid": kid})
    said = f"{encode_part(header)}.{encode_part(claims)}"
    algorithm = jwt.get_algorithm_by_name(made)
    return f"{said}.{encode_part(algorithm.sign(said.encode(), KEYS[made]))}"


def test_a_key_that_comes_with_a_token_signs_nothing(trusting: tuple[Served, Authority]) -> None:
    _, authority = trusting
    claims = list_claims(authority)
    own = {**RSAAlgorithm.to_jwk(ATTACKER.public_key(), as_dict=True), "use": "sig"}
    evil = f"{authority.url}/evil"
    headers: dict[str, dict[str, object]] = {
        "jwk": {"jwk": own},
        "jwk with the issuer's id": {"jwk": own | {"kid": "RS256"}, "kid": "RS256"},
        "jku": {"jku": evil, "kid": "evil"},
        "jku with the issuer's id": {"jku": evil, "kid": "RS256"},
        "x5u": {"x5u": evil, "kid": "evil"},
        "x5c": {"x5c": [base64.b64encode(b"x" * 400).decode()], "x5t": "a"},
        "all": {"jwk": own, "jku": evil, "x5u": evil, "kid": evil, "iss": authority.issuer},
        "an id that is an address": {"kid": evil},
        "an id that is a path": {"kid": "../../evil"},
        "an id that is a file": {"kid": "file:///dev/null"},
        "an id that asks SQL": {"kid": "x' UNION SELECT 'a"},
    }
    tokens = {
        what: jwt.encode(claims, ATTACKER, "RS256", header) for what, header in headers.items()
    }
    tokens["no id"] = jwt.encode(claims, ATTACKER, "RS256")
    check_refused(trusting, tokens)
    asked = [path for path in authority.asked if path != "/keys" and ".well-known" not in path]
    assert asked == []


def test_a_flood_of_unknown_keys_asks_the_issuer_hardly_ever(
    trusting: tuple[Served, Authority],
) -> None:
    _, authority = trusting
    claims = list_claims(authority)
    odd: list[Any] = [
        "",
        " ",
        "\0",
        None,
        0,
        True,
        [],
        ["RS256"],
        {},
        {"a": 1},
        "k" * 20_000,
        1e308,
    ]
    ids = [
        *odd,
        *(f"key-{number}" for number in range(60)),
        "rs256",
        "RS256 ",
        "RS256\0",
        "ES256/../RS256",
    ]
    tokens = {repr(kid)[:40]: sign({"alg": "RS256", "kid": kid}, claims) for kid in ids}
    del tokens["None"]  # without an id, the issuer's only key of the algorithm is meant
    check_refused(trusting, tokens)
    assert authority.asked.total() <= 6, authority.asked


def test_no_other_issuer_and_no_other_audience_opens(trusting: tuple[Served, Authority]) -> None:
    authority = trusting[1]
    at = authority.issuer
    issuers: list[object] = [
        "", f"{at}/", f"{at}.evil.com", f"{at}@evil.com", f"{at}#", f"{at}?", at.upper(), f" {at}",
        at[:-1], f"{at}\0", f"https://evil.com/{at}", [at], {"iss": at}, None, True, 0, [at, "x"],
        at.replace("http", "https"), at.replace("/realms/home", "/realms/other"), "*",
    ]  # fmt: skip
    audiences: list[object] = [
        "", f"{AUDIENCE}/", f"{AUDIENCE}x", AUDIENCE[:-1], AUDIENCE.upper(), [], {}, None, 0, True,
        ["x"], [[AUDIENCE]], {AUDIENCE: 1}, [None], "*", f"x {AUDIENCE}", f"{AUDIENCE},x",
        ["https://memory.example.com"], list(AUDIENCE), AUDIENCE.replace("memory", "memory."),
    ]  # fmt: skip
    head = {"alg": "RS256", "kid": "RS256"}
    tokens = {f"issuer {one!r}": sign(head, list_claims(authority, iss=one)) for one in issuers}
    tokens |= {
        f"audience {one!r}": sign(head, list_claims(authority, aud=one)) for one in audiences
    }
    for name in ("iss", "aud", "exp", "sub"):
        claims = list_claims(authority)
        del claims[name]
        tokens[f"no {name}"] = sign(head, claims)
    check_refused(trusting, tokens)


def test_no_token_opens_outside_its_time(trusting: tuple[Served, Authority]) -> None:
    authority = trusting[1]
    head = {"alg": "RS256", "kid": "RS256"}
    times: dict[str, list[object]] = {
        "exp": [
            0, -1, NOW - HOUR, float(NOW - HOUR), str(NOW - HOUR), None, True, False, "",
            "abc", [], {}, [NOW + HOUR], float("nan"), float("-inf"), -(10**400), "2099-01-01",
        ],
        "nbf": [NOW + HOUR, float(NOW + HOUR), str(NOW + HOUR), "abc", [], {}, 10**400],
        "iat": [NOW + HOUR, float(NOW + HOUR), "abc", [], {}, 10**400],
    }  # fmt: skip
    tokens = {
        f"{name} {value!r}"[:60]: sign(head, list_claims(authority, **{name: value}))
        for name, values in times.items()
        for value in values
    }
    check_refused(trusting, tokens)


def test_no_odd_claim_or_header_fails_inside(trusting: tuple[Served, Authority]) -> None:
    served, authority = trusting
    head = {"alg": "RS256", "kid": "RS256"}
    odd: list[object] = [
        float("inf"), float("nan"), 10**400, 1e308, -0.0, str(NOW + HOUR), "\ud800", "\0", {}, [],
        [[[]]], {"a": {"b": []}}, True, None, "x" * 20_000, "²", "١٢٣",
    ]  # fmt: skip
    for name in (
        "exp",
        "nbf",
        "iat",
        "sub",
        "scope",
        "aud",
        "iss",
        "jti",
        "client_id",
        "azp",
        "act",
    ):
        for value in odd:
            token = sign(head, {**list_claims(authority, sub=f"ann {name}"), name: value})
            answer = served.ask("/mcp", f"Authorization: Bearer {token}")
            assert answer.status in (400, 401, 403), (name, value, answer.raw[:300])
            served.check_tells_nothing(answer.raw)
    for name in ("alg", "kid", "typ", "cty", "crit", "b64", "jwk", "x5c", "zip"):
        for value in odd:
            token = sign({**head, name: value}, list_claims(authority, sub=f"ann {name}"))
            answer = served.ask("/mcp", f"Authorization: Bearer {token}")
            assert answer.status in (400, 401, 403), (name, value, answer.raw[:300])
            served.check_tells_nothing(answer.raw)


def test_what_is_no_plain_token_is_refused(trusting: tuple[Served, Authority]) -> None:
    authority = trusting[1]
    head, claims = {"alg": "RS256", "kid": "RS256"}, list_claims(authority)
    inner = authority.issue()
    tokens = {
        "a nested token": sign({**head, "cty": "JWT"}, inner.encode()),
        "a nested token as text": sign(head, inner),
        "an encrypted one": ".".join(
            [encode_part({"alg": "dir", "enc": "A128GCM"}), "", "a", "b", "c"]
        ),
        "a packed one": sign({**head, "zip": "DEF"}, b"\x78\x9c\x03\x00"),
        "a crit that nobody knows": sign({**head, "crit": ["x-a"], "x-a": 1}, claims),
        "a crit without its header": sign({**head, "crit": ["exp"]}, claims),
        "a crit of b64": sign({**head, "crit": ["b64"], "b64": False}, claims),
        "an empty crit": sign({**head, "crit": []}, claims),
        "a crit that is a text": sign({**head, "crit": "x"}, claims),
        "claims in a list": sign(head, [claims]),
        "claims that are null": sign(head, None),
        "claims that are a number": sign(head, 1),
        "claims that are nothing": sign(head, b""),
        "claims that are no JSON": sign(head, b"{"),
        "deep claims": sign(head, b"[" * 20_000 + b"]" * 20_000),
        "a header in a list": sign([head], claims),
        "a deep header": sign(b'{"a":' * 9_000 + b"1" + b"}" * 9_000, claims),
        "a second header": sign(b'{"alg":"none","alg":"RS256","kid":"x","kid":"none"}', claims),
        "spaces around": f" {inner} x",
        "a newline's escape": inner.replace(".", ".\t", 1),
        "an array of tokens": json.dumps({"payload": inner, "signatures": []}),
        "many dots": "." * 30_000,
        "many parts": f"{inner}." * 60,
    }
    check_refused(trusting, tokens)
    served = trusting[0]
    for token in (
        f"{inner}{'A' * _MILLION}",
        sign(head, {**claims, "x": "x" * _MILLION}),
        sign({**head, "x": "x" * _MILLION}, claims),
    ):
        served.check_refusal(served.ask("/mcp", f"Authorization: Bearer {token}"), (400, 401, 431))


def test_no_odd_tenant_is_taken_for_another_or_begun(trusting: tuple[Served, Authority]) -> None:
    authority = trusting[1]
    head = {"alg": "RS256", "kid": "RS256"}
    odd: list[object] = ["", None, [], ["ann"], {}, {"ann": 1}, 0, 1, True, 1.5, ["ann", "ben"]]
    check_refused(
        trusting, {f"{one!r}": sign(head, list_claims(authority, sub=one)) for one in odd}
    )
    served = trusting[0]
    ann = served.agent(authority.issue({"sub": "ann"}))
    ann.do("remember", content="Ann keeps bees.")
    for name in (
        " ann",
        "ann ",
        "ann\0",
        "ANN",
        "Ann",
        "ann/",
        "./ann",
        "../ann",
        "ann\n",
        "ａnn",
        "аnn",
    ):
        token = sign(head, list_claims(authority, sub=name, scope="memoria:read"))
        agent = served.agent(token)
        answer = agent.post("tools/call", {"name": "search_memory", "arguments": {"query": "bees"}})
        assert answer.status_code in (200, 401, 403), (name, answer.text)
        assert "keeps bees" not in answer.text, name


def test_no_scope_but_its_own_words_allows_anything(trusting: tuple[Served, Authority]) -> None:
    served, authority = trusting
    head = {"alg": "RS256", "kid": "RS256"}
    odd: list[object] = [
        "", "memoria", "memoria:", "memoria:adminx", "xmemoria:admin", "MEMORIA:ADMIN",
        "memoria:admin,x", "memoria:*", "*", "memoria:\0admin", "memoria:аdmin",
        "openid profile", {"memoria:admin": True}, [["memoria:admin"]], True, 1, None,
        "memoria:admin\0", "memoria/admin", '"memoria:admin"',
    ]  # fmt: skip
    for scope in odd:
        token = sign(head, list_claims(authority, scope=scope))
        answer = served.ask("/mcp", f"Authorization: Bearer {token}")
        served.check_refusal(answer, (400, 401, 403), scope)
        assert not answer.is_by_parser, scope
    for scope in ("memoria:read", "memoria:read memoria:adminx", ["memoria:read", {}]):
        agent = served.agent(sign(head, list_claims(authority, scope=scope)))
        listed = {one["name"] for one in agent.request("tools/list")["result"]["tools"]}
        assert listed == {"search_memory", "search_conversation_traces", "get_memory"}, scope


def test_a_flood_of_wrong_tokens_shuts_nobody_out(trusting: tuple[Served, Authority]) -> None:
    served, authority = trusting
    own = served.create_token("ben").text
    for number in range(400):
        wrong = (f"mem_YW5u.{number}.x", f"{authority.issue()[:-9]}{number:09}", f"{number}", "")
        served.ask("/mcp", f"Authorization: Bearer {wrong[number % 4]}")
    for good in (own, authority.issue()):
        assert "result" in served.agent(good).request("tools/list")
