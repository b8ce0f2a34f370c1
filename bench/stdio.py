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

from mcp.types import CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY, PROTOCOL_VERSION_META_KEY
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
    params={"protocolVersion": LATEST_HANDSHAKE_VERSION, "capabilities": {}, "clientInfo": _CLIENT},
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


class Session:
    """A connection to a running server: one request after the other."""

    def __init__(self, process: subprocess.Popen[bytes], era: Era) -> None:
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the server has no pipes")
        self.pid = process.pid
        self._to_server, self._from_server = process.stdin, process.stdout
        self._era = era
        self._requests = 0

    def request(self, method: str, params: Mapping[str, object]) -> dict[str, Any]:
        """Ask, and wait for the result.

        Raises:
            RuntimeError: the server refuses, or is gone.
        """
        self._requests += 1
        meta = {"_meta": self._era.meta} if self._era.meta else {}
        request = {"id": self._requests, "method": method, "params": {**params, **meta}}
        _send(self._to_server, request)
        result = _read_result(self._from_server, self._requests)
        if self._requests == 1 and self._era.confirmed:
            _send(self._to_server, {"method": "notifications/initialized"})
        return result


@contextmanager
def connect(
    command: Sequence[str], environment: Mapping[str, str], era: Era, most_s: float = _HANG_S
) -> Iterator[Session]:
    """Start a server and talk to it. It ends when the block does, or is killed after `most_s`."""
    process = subprocess.Popen(  # noqa: S603  (a server that a benchmark was given)
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
    watchdog = Timer(most_s, process.kill)
    watchdog.start()
    try:
        with process as running:
            yield Session(running, era)
            if running.stdin is not None:
                running.stdin.close()
            running.wait()
    finally:
        watchdog.cancel()


def ask(
    command: Sequence[str], environment: Mapping[str, str], era: Era, questions: Sequence[Question]
) -> list[Reply]:
    """Start the server, ask one thing after another, and end it."""
    began = time.perf_counter()
    replies: list[Reply] = []
    with connect(command, environment, era) as session:
        for question in questions:
            result = session.request(question.method, question.params)
            took_ms = (time.perf_counter() - began) * 1000
            replies.append(Reply(question.method, took_ms, result))
    return replies


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
