"""Whoever sends slowly, or stops, holds a place for some minutes at most."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from tests.empty_home import lay_empty_home
from tests.surface.http.attack.fake_time import JumpingLoop

from memoria import Settings
from memoria.app.compose import open_home
from memoria.app.tokens import TokenService
from memoria.model.access import Access
from memoria.model.provenance import COMMAND_LINE
from memoria.surface.http.app import build_app

_MOST_S = 600
"""Seconds after which the server must have given up."""
_BETWEEN_BYTES_S = 15
_BYTES = 1_000_000
Message = MutableMapping[str, Any]


async def send_a_byte_now_and_then() -> Message:
    """Send the next byte of a body that is promised to be long."""
    await asyncio.sleep(_BETWEEN_BYTES_S)
    return {"type": "http.request", "body": b" ", "more_body": True}


async def send_nothing() -> Message:
    """Send nothing, and stay connected."""
    await asyncio.Event().wait()
    raise AssertionError


async def send_empty() -> Message:
    """Send a body that is empty."""
    return {"type": "http.request", "body": b"", "more_body": False}


async def ask(
    app: Starlette, path: str, shown: str, version: str, send_body: Callable[[], Awaitable[Message]]
) -> int | None:
    """Send a request slowly; return the status that comes before the server waits too long."""
    sent: list[Message] = []

    async def keep(message: Message) -> None:
        sent.append(message)

    headers = {
        "host": "127.0.0.1",
        "authorization": shown,
        "content-type": "application/json",
        "content-length": str(_BYTES),
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": version,
    }
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST",
        "path": path, "raw_path": path.encode(), "query_string": b"", "root_path": "",
        "scheme": "http", "server": ("127.0.0.1", 80), "client": ("127.0.0.1", 1),
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }  # fmt: skip
    try:
        await asyncio.wait_for(app(scope, send_body, keep), _MOST_S)
    except TimeoutError:
        return None
    return int(sent[0]["status"]) if sent else None


async def ask_slowly(
    home: Path, path: str, version: str, send_body: Callable[[], Awaitable[Message]], shown: str
) -> int | None:
    """Start an application over a home, and send it a request slowly."""
    settings = Settings.from_values(home=home, embedder="off")
    async with open_home(settings) as opened:
        token = await TokenService(opened.store, "ann", COMMAND_LINE).create(Access.WRITE)
    app = build_app(lambda: open_home(settings))
    async with app.router.lifespan_context(app):
        given = shown.format(token=token.text)
        # While a thread looks the token up the clock would jump; once it is known, none does.
        while await ask(app, "/nowhere", f"Bearer {token.text}", version, send_empty) != 404:
            pass
        return await ask(app, path, given, version, send_body)


@pytest.mark.parametrize("send_body", [send_a_byte_now_and_then, send_nothing])
@pytest.mark.parametrize(
    ("path", "version"), [("/mcp", "2026-07-28"), ("/mcp", "2025-06-18"), ("/memory/ingest", "")]
)
def test_a_body_that_does_not_come_is_given_up(
    home: Path, path: str, version: str, send_body: Callable[[], Awaitable[Message]]
) -> None:
    lay_empty_home(home)
    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        status = runner.run(ask_slowly(home, path, version, send_body, "Bearer {token}"))
    assert status is not None, "it still waits"
    assert status in range(400, 500)


@pytest.mark.parametrize("send_body", [send_a_byte_now_and_then, send_nothing])
@pytest.mark.parametrize("shown", ["", "Bearer mem_YW5u.x.y"])
def test_without_a_token_a_body_that_does_not_come_is_given_up(
    home: Path, shown: str, send_body: Callable[[], Awaitable[Message]]
) -> None:
    lay_empty_home(home)
    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        assert runner.run(ask_slowly(home, "/mcp", "2026-07-28", send_body, shown)) == 401
