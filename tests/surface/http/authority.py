"""An authorization server on loopback: its metadata, its public keys, and the tokens it issues."""

import json
import socket
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import jwt
import uvicorn
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

AUDIENCE = "https://memory.example.com/mcp"
RSA_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
EC_KEY = ec.generate_private_key(ec.SECP256R1())
ED_KEY = ed25519.Ed25519PrivateKey.generate()
KEYS: dict[str, Any] = {"RS256": RSA_KEY, "ES256": EC_KEY, "EdDSA": ED_KEY}
PUBLIC_PEM = RSA_KEY.public_key().public_bytes(
    serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
)


def public_keys() -> list[dict[str, Any]]:
    """The public keys as a JWKS lists them; the id of each is its algorithm."""
    written = {
        "RS256": RSAAlgorithm.to_jwk(RSA_KEY.public_key(), as_dict=True),
        "ES256": ECAlgorithm.to_jwk(EC_KEY.public_key(), as_dict=True),
        "EdDSA": OKPAlgorithm.to_jwk(ED_KEY.public_key(), as_dict=True),
    }
    return [{**key, "kid": name, "use": "sig"} for name, key in written.items()]


class Authority:
    """The server; `asked` counts the requests for each path."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.issuer = f"{url}/realms/home"
        self.keys = public_keys()
        self.asked = Counter[str]()
        self.is_down = False
        self.granted: dict[str, str] = {}
        """What each code of a person who has signed in allows."""

    @property
    def settings(self) -> dict[str, object]:
        """Settings of a memory that takes its tokens."""
        return {"jwt_issuer": self.issuer, "jwt_audience": AUDIENCE}

    @property
    def metadata(self) -> dict[str, object]:
        """Its own metadata (RFC 8414)."""
        return {
            "issuer": self.issuer,
            "jwks_uri": f"{self.url}/keys",
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "registration_endpoint": f"{self.url}/register",
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none"],
        }

    async def answer(self, request: Request) -> Response:
        path = request.url.path
        self.asked[path] += 1
        if self.is_down:
            return Response(status_code=503)
        if path == "/realms/home/.well-known/openid-configuration":
            return JSONResponse(self.metadata)
        if path == "/keys":
            return JSONResponse({"keys": self.keys})
        if path == "/register":
            asked = await request.json()
            return JSONResponse({**asked, "client_id": "program"}, 201)
        if path == "/token":
            form = await request.form()
            token = self.issue({"aud": form["resource"], "scope": self.granted[str(form["code"])]})
            return JSONResponse({"access_token": token, "token_type": "Bearer", "expires_in": 300})
        return Response(status_code=404)

    def issue(
        self,
        claims: dict[str, Any] | None = None,
        *,
        algorithm: str = "RS256",
        key: Any = None,  # noqa: ANN401  (a key of any library)
        **headers: object,
    ) -> str:
        """Issue a token; a claim of None is left out."""
        now = int(time.time())
        whole = {
            "iss": self.issuer,
            "aud": AUDIENCE,
            "sub": "ann",
            "exp": now + 300,
            "scope": "openid memoria:write",
            **(claims or {}),
        }
        said = {name: value for name, value in whole.items() if value is not None}
        signed_with = KEYS[algorithm] if key is None else key
        return jwt.encode(said, signed_with, algorithm, {"kid": algorithm, **headers})


def forge(header: dict[str, Any], claims: dict[str, Any], signature: bytes = b"") -> str:
    """Write a token by hand, as no library would."""
    parts = (json.dumps(header).encode(), json.dumps(claims).encode(), signature)
    return ".".join(jwt.utils.base64url_encode(part).decode() for part in parts)


@asynccontextmanager
async def run_authority() -> AsyncIterator[Authority]:
    """Run an authorization server until the block ends."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        authority = Authority(f"http://127.0.0.1:{listening.getsockname()[1]}")
        app = Starlette()
        app.add_route("/{path:path}", authority.answer, methods=["GET", "POST"])
        server = uvicorn.Server(uvicorn.Config(app, log_level="critical"))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server.serve, [listening])
            while not server.started:
                await anyio.lowlevel.checkpoint()
            yield authority
            server.should_exit = True
