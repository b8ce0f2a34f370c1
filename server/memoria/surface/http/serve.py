"""`memoria serve --http`: runs the application until it is told to stop."""

import ipaddress
import logging
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing

import uvicorn

from memoria.app.compose import open_home
from memoria.app.engine import open_store
from memoria.app.open_home import OpenHome
from memoria.app.tokens import has_way_in
from memoria.config import Settings
from memoria.errors import InvalidInputError, quote_value
from memoria.model.access import Access
from memoria.surface.http.app import HttpOptions, build_app

_STOPS_AFTER_S = 5
"""Seconds that calls have to end in when the server is told to stop."""
_MOST_CALLS = 1_000
"""Number of calls at once beyond which a caller is told to come back."""
_LAST_PORT = 65_535


def serve_http(
    settings: Settings, address: str, *, names: tuple[str, ...] = (), is_read_only: bool = False
) -> None:
    """Serve all tenants of a home over HTTP, until SIGTERM or Ctrl-C.

    Args:
        settings: those of the home.
        address: where to listen: `127.0.0.1:8420`, `[::1]:8420`.
        names: names by which callers may address the server, beside loopback's and the address.
        is_read_only: True if nobody may change anything.

    Raises:
        InvalidInputError: the address can't be read, or is one that other machines reach and nobody
            has a token.
    """
    host, port = parse_address(address)
    if not _is_loopback(host):
        _require_way_in(settings, address)
    options = HttpOptions(
        names=(*names, f"[{host}]" if ":" in host else host),
        most=Access.READ if is_read_only else Access.ADMIN,
    )
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)

    @asynccontextmanager
    async def open_and_tell() -> AsyncIterator[OpenHome]:
        async with open_home(settings) as home:
            _tell(f"Memoria serves {settings.home_path} at http://{address}/mcp")
            if not _is_loopback(host):
                _tell(
                    "Other machines can reach it. Tokens and memories travel as they are: put TLS "
                    "in front."
                )
            yield home

    uvicorn.run(
        build_app(open_and_tell, options),
        host=host,
        port=port,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=_MOST_CALLS,
        timeout_graceful_shutdown=_STOPS_AFTER_S,
    )


def _require_way_in(settings: Settings, address: str) -> None:
    """Refuse to listen where others reach it while nobody may come in: that is a mistake.

    Raises:
        InvalidInputError: there is neither a token that holds nor an issuer.
    """
    if settings.jwt_issuer is not None:
        return
    with closing(open_store(settings)) as store:
        is_open = has_way_in(store)
    if not is_open:
        raise InvalidInputError(
            f"--http: other machines reach {address}, and nobody has a token that holds. Make one "
            "with `memoria token create`, or listen on 127.0.0.1."
        )


def parse_address(address: str) -> tuple[str, int]:
    """Parse where to listen.

    >>> parse_address("127.0.0.1:8420"), parse_address("[::1]:80")
    (('127.0.0.1', 8420), ('::1', 80))

    Raises:
        InvalidInputError: it is no host with a port.
    """
    host, _, port = address.rpartition(":")
    if not host or not (port.isascii() and port.isdigit()) or int(port) > _LAST_PORT:
        raise InvalidInputError(
            f"--http: {quote_value(address)} is no address. Give a host and a port, such as "
            "127.0.0.1:8420."
        )
    return host.removeprefix("[").removesuffix("]"), int(port)


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)  # noqa: T201


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
