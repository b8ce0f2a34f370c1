"""Standard input and output, taken over before anything else can write to them.

Lines come in through a thread of their own, whether or not the server stands, and wait for it in
order. What goes out is one message a line, whoever says it.
"""

import io
import os
from collections import deque
from collections.abc import Iterator, Mapping
from threading import Condition, Lock

from memoria.bare.plain_json import read_json, write_json

MODERN = "2026-07-28"
"""The version whose requests carry an envelope; clients of older ones begin with a handshake."""
INITIALIZE, LISTEN = "initialize", "subscriptions/listen"
_META = "io.modelcontextprotocol/"
_FLAGS = ("toolsListChanged", "promptsListChanged", "resourcesListChanged")
_URIS = "resourceSubscriptions"
Json = dict[str, object]


def read_message(line: str) -> Json | None:
    """Read a JSON-RPC message; None for any other line."""
    try:
        message = read_json(line)
    except ValueError:
        return None
    is_message = isinstance(message, dict) and message.get("jsonrpc") == "2.0"
    return message if is_message and isinstance(message, dict) else None


def request_id(message: Json | None) -> int | str | None:
    """Return the id of a request; None if the message is no request."""
    number = message.get("id") if message is not None and "method" in message else None
    return number if isinstance(number, int | str) and not isinstance(number, bool) else None


def message_key(message: object) -> tuple[object, object]:
    """Return the key shared by all answers to a request, or notifications of a subscription."""
    if not isinstance(message, dict):
        return None, None
    if "method" not in message:
        return None, message.get("id")
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    return message["method"], meta.get(_META + "subscriptionId") if isinstance(meta, dict) else None


def has_envelope(params: Json) -> bool:
    """Check whether a request names its protocol version in an envelope."""
    meta = params.get("_meta")
    return isinstance(meta, dict) and _META + "protocolVersion" in meta


def is_whole_envelope(params: Json) -> bool:
    """Check whether an envelope is of the newer version and complete."""
    meta = params.get("_meta")
    if not isinstance(meta, dict) or meta.get(_META + "protocolVersion") != MODERN:
        return False
    client = meta.get(_META + "clientInfo")
    return _are_capabilities(meta.get(_META + "clientCapabilities")) and (
        client is None or _is_client(client)
    )


def is_whole_handshake(params: Json) -> bool:
    """Check whether a handshake has all that a client must say of itself."""
    return _are_capabilities(params.get("capabilities")) and _is_client(params.get("clientInfo"))


def acknowledge(number: int | str, params: Json) -> Json | None:
    """Return the acknowledgement of a subscription; None if the request is unclear."""
    wanted = params.get("notifications")
    if not isinstance(wanted, dict) or set(params) - {"_meta", "notifications"}:
        return None
    uris = wanted.get(_URIS)
    are_uris = uris is None or (isinstance(uris, list) and all(isinstance(u, str) for u in uris))
    are_flags = all(isinstance(wanted.get(flag), bool | None) for flag in _FLAGS)
    if set(wanted) - {*_FLAGS, _URIS} or not are_uris or not are_flags:
        return None
    honoured: Json = {flag: True for flag in _FLAGS if wanted.get(flag)}
    if uris:
        honoured[_URIS] = uris
    return {
        "jsonrpc": "2.0",
        "method": "notifications/subscriptions/acknowledged",
        "params": {"_meta": {_META + "subscriptionId": number}, "notifications": honoured},
    }


def _are_capabilities(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(one, dict) for one in value.values())


def _is_client(value: object) -> bool:
    return isinstance(value, dict) and all(
        isinstance(value.get(part), str) for part in ("name", "version")
    )


_CHUNK_BYTES = 1 << 16
_MOST_WAITING_CHARS = 1 << 26
"""Waiting characters above which no more is read from a client."""


def claim_streams() -> tuple[int, int]:
    """Duplicate standard input and output, and redirect the originals.

    Whatever is printed goes to standard error, and whoever reads finds nothing, so that no library
    and no child process can come between the client and us.
    """
    source, sink = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.close(nowhere)
    try:
        os.dup2(2, 1)
    except OSError:  # there is no standard error
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.close(nowhere)
    return source, sink


def read_lines(source: int) -> Iterator[str]:
    """Yield lines as they arrive, an unfinished last line too; bytes outside UTF-8 are replaced."""
    parts: list[bytes] = []
    while chunk := os.read(source, _CHUNK_BYTES):
        *ended, rest = chunk.split(b"\n")
        for end in ended:
            yield b"".join((*parts, end, b"\n")).decode("utf-8", "replace")
            parts.clear()
        parts.append(rest)
    if any(parts):
        yield b"".join(parts).decode("utf-8", "replace")


class Inbox(io.TextIOBase):
    """Lines that wait for the server, to be read like a file."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque()
        self._chars = 0
        self._has_ended = False
        self.is_read = False
        """True once the server has begun to read."""
        self._changed = Condition()

    def put(self, line: str) -> None:
        """Add a line, after a pause if too much waits."""
        with self._changed:
            self._changed.wait_for(lambda: self._chars < _MOST_WAITING_CHARS)
            self._lines.append(line)
            self._chars += len(line)
            self._changed.notify_all()

    def end(self) -> None:
        """Note that no further line will come."""
        with self._changed:
            self._has_ended = True
            self._changed.notify_all()

    def take_all(self) -> list[str]:
        """Take out all lines that wait now."""
        with self._changed:
            lines = list(self._lines)
            self._lines.clear()
            return lines

    def readline(self, _size: int = -1, /) -> str:  # type: ignore[override]  # text alone is read
        """Wait for the next line and return it; empty at the end."""
        with self._changed:
            self.is_read = True
            self._changed.wait_for(lambda: self._lines or self._has_ended)
            if not self._lines:
                return ""
            line = self._lines.popleft()
            self._chars -= len(line)
            self._changed.notify_all()
            return line


class Outbox(io.TextIOBase):
    """Output to the client, without the server's repeats of answers that were given ahead of it."""

    def __init__(self, sink: int) -> None:
        self._sink = sink
        self._lock = Lock()
        self._said: set[tuple[object, object]] = set()

    def say(self, message: Mapping[str, object], *, is_repeated: bool = False) -> None:
        """Send a message ahead of the server, whose own is dropped later if `is_repeated`."""
        text = write_json(message) + "\n"
        with self._lock:
            if is_repeated:
                self._said.add(message_key(message))
            self._write(text)

    def has_said(self, message: Mapping[str, object]) -> bool:
        """Check whether this message was sent ahead of the server."""
        return message_key(message) in self._said

    def write(self, text: str, /) -> int:
        """Send a line of the server, unless it was sent ahead."""
        with self._lock:
            if not (self._said and self._is_repetition(text)):
                self._write(text)
        return len(text)

    def _is_repetition(self, text: str) -> bool:
        key = message_key(read_json(text))
        if key not in self._said:
            return False
        self._said.remove(key)
        return True

    def _write(self, text: str) -> None:
        left = memoryview(text.encode("utf-8", "replace"))
        while left:
            left = left[os.write(self._sink, left) :]
