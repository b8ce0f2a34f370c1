"""Raw MCP over a process's pipes: one JSON-RPC message a line, and a clock beside it.

The SDK's own client would add its imports and tasks to what is measured.
"""

import json
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Timer
from typing import IO, Any

from mcp.types import (
    CLIENT_CAPABILITIES_META_KEY,
    CLIENT_INFO_META_KEY,
    PROTOCOL_VERSION_META_KEY,
)
from mcp.types.version import LATEST_HANDSHAKE_VERSION, LATEST_MODERN_VERSION

_CLIENT = {"name": "bench.start", "version": "1"}
_HANG_S = 60.0
"""A server that takes longer is killed, and the pipe's end is the error."""


@dataclass(frozen=True, slots=True)
class Era:
    """How a client of a generation of the protocol opens a connection."""

    name: str
    opening: str
    params: Mapping[str, object]
    """Of the opening request."""
    meta: Mapping[str, object]
    """Of every request."""
    confirmed: bool
    """Whether the client confirms the opening before it asks for anything."""


LEGACY = Era(
    name=LATEST_HANDSHAKE_VERSION,
    opening="initialize",
    params={
        "protocolVersion": LATEST_HANDSHAKE_VERSION,
        "capabilities": {},
        "clientInfo": _CLIENT,
    },
    meta={},
    confirmed=True,
)
MODERN = Era(
    name=LATEST_MODERN_VERSION,
    opening="server/discover",
    params={},
    meta={
        PROTOCOL_VERSION_META_KEY: LATEST_MODERN_VERSION,
        CLIENT_INFO_META_KEY: _CLIENT,
        CLIENT_CAPABILITIES_META_KEY: {},
    },
    confirmed=False,
)


@dataclass(frozen=True, slots=True)
class Question:
    """A request of a client at its start."""

    method: str
    params: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server answered, and when."""

    method: str
    took_ms: float
    """From before the process was made."""
    result: Mapping[str, Any]


def ask(
    command: Sequence[str],
    environment: Mapping[str, str],
    era: Era,
    questions: Sequence[Question],
) -> list[Reply]:
    """Start the server, ask one thing after another, and end it."""
    began = time.perf_counter()
    replies: list[Reply] = []
    with _server(command, environment) as (to_server, from_server):
        for number, question in enumerate(questions, 1):
            _request(to_server, number, question.method, question.params, era)
            result = _read_result(from_server, number)
            took_ms = (time.perf_counter() - began) * 1000
            replies.append(Reply(question.method, took_ms, result))
            if number == 1 and era.confirmed:
                _send(to_server, {"method": "notifications/initialized"})
    return replies


@contextmanager
def _server(
    command: Sequence[str], environment: Mapping[str, str]
) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """The server's stdin and stdout. It ends when stdin does."""
    process = subprocess.Popen(  # noqa: S603  (a server that bench.start was given)
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
    watchdog = Timer(_HANG_S, process.kill)
    watchdog.start()
    try:
        with process as running:
            if running.stdin is None or running.stdout is None:
                raise RuntimeError("the server has no pipes")
            yield running.stdin, running.stdout
            running.stdin.close()
            running.wait()
    finally:
        watchdog.cancel()


def _request(
    to_server: IO[bytes], number: int, method: str, params: Mapping[str, object], era: Era
) -> None:
    meta = {"_meta": era.meta} if era.meta else {}
    _send(to_server, {"id": number, "method": method, "params": {**params, **meta}})


def _send(to_server: IO[bytes], message: Mapping[str, object]) -> None:
    to_server.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    to_server.flush()


def _read_result(from_server: IO[bytes], number: int) -> dict[str, Any]:
    """Wait for the result of a request, past whatever the server notifies of in between."""
    for line in from_server:
        message = json.loads(line)
        if message.get("id") == number:
            if "error" in message:
                raise RuntimeError(f"the server refused: {message['error']}")
            result: dict[str, Any] = message["result"]
            return result
    raise RuntimeError("the server ended without an answer; run it by hand to see why")
