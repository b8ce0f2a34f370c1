"""A client that knows nothing but the address has its user sign in, and reaches the memory."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import AnyUrl
from tests.surface.http.authority import Authority, run_authority
from tests.surface.http.conftest import StartServer
from tests.surface.http.test_callers import FACT, call


class Program:
    """A client's storage and its user, who signs in and agrees to whatever is asked."""

    def __init__(self, authority: Authority) -> None:
        self.authority = authority
        self.tokens: OAuthToken | None = None
        self.registered: OAuthClientInformationFull | None = None
        self.asked: dict[str, Any] = {}

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.registered

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.registered = client_info

    async def sign_in(self, address: str) -> None:
        self.asked = {name: one for name, (one,) in parse_qs(urlsplit(address).query).items()}
        self.authority.granted["agreed"] = self.asked["scope"]

    async def come_back(self) -> AuthorizationCodeResult:
        return AuthorizationCodeResult(code="agreed", state=self.asked["state"])


@pytest.mark.anyio
async def test_a_client_finds_the_issuer_registers_signs_in_and_remembers(
    start_server: StartServer,
) -> None:
    async with run_authority() as authority:
        given = {"jwt_issuer": authority.issuer, "jwt_audience": "{url}/mcp"}
        async with start_server(**given) as server:
            program = Program(authority)
            sign_in = OAuthClientProvider(
                f"{server.url}/mcp",
                OAuthClientMetadata(redirect_uris=[AnyUrl("http://127.0.0.1:1/callback")]),
                program,
                program.sign_in,
                program.come_back,
            )
            async with (
                httpx2.AsyncClient(auth=sign_in, timeout=30) as http,
                Client(streamable_http_client(f"{server.url}/mcp", http_client=http)) as client,
            ):
                text, is_error = await call(client, "remember", content=FACT)
                assert not is_error, text
            assert program.asked["resource"] == f"{server.url}/mcp"
            assert program.asked["scope"] == "memoria:read memoria:write"
            assert server.home.store.tenants() == ["ann"]
