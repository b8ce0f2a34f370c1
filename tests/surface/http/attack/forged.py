"""Tokens as no library would write them."""

import base64
import json
import time
from typing import Any

from jwt.algorithms import RSAAlgorithm
from tests.surface.http.authority import AUDIENCE, RSA_KEY, Authority

NOW = int(time.time())
HOUR = 3600


def write(header: object, claims: object, signature: bytes = b"") -> str:
    """Write a token whose parts are what they are."""
    return f"{encode_part(header)}.{encode_part(claims)}.{encode_part(signature)}"


def encode_part(part: object) -> str:
    raw = part if isinstance(part, bytes) else json.dumps(part).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def sign(header: object, claims: object) -> str:
    """Write a token whose header says anything, and sign it as the issuer does with RS256."""
    said = f"{encode_part(header)}.{encode_part(claims)}"
    signature = RSAAlgorithm(RSAAlgorithm.SHA256).sign(said.encode(), RSA_KEY)
    return f"{said}.{encode_part(signature)}"


def list_claims(authority: Authority, **changed: object) -> dict[str, Any]:
    """The claims of a token that opens the memory, some of them changed."""
    claims = {
        "iss": authority.issuer,
        "aud": AUDIENCE,
        "sub": "ann",
        "exp": NOW + HOUR,
        "scope": "memoria:write",
    }
    return {**claims, **changed}
