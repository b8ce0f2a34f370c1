"""The real server at the other end of two pipes, without a client's library between.

So a client can be played that keeps many calls in flight, that does not read, or that goes away in
the middle of an answer.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.faults.server import ROOT, process_environment

_PROTOCOL = "2025-06-18"


class ServerGoneError(Exception):
    """The server's end of the pipes is closed."""


@dataclass(slots=True)
class Piped:
    """A server, and the numbers of the calls it has been sent."""

    process: "subprocess.Popen[bytes]"
    errors: Path
    """What it writes on standard error."""
    sent: int = field(default=0)

    def initialize(self) -> None:
        """Say hello, and wait for the answer."""
        hello = {
            "protocolVersion": _PROTOCOL,
            "capabilities": {},
            "clientInfo": {"name": "bench-faults", "version": "1"},
        }
        number = self._send("initialize", hello)
        while self.receive()[0] != number:
            pass
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send_call(self, tool: str, arguments: Mapping[str, object]) -> int:
        """Send a call without waiting; gives its number.

        Raises:
            ServerGoneError: there is no server.
        """
        return self._send("tools/call", {"name": tool, "arguments": arguments})

    def receive(self) -> tuple[int, dict[str, Any]]:
        """The next answer: the number of its call, and what it says.

        Raises:
            ServerGoneError: there is no server.
        """
        if self.process.stdout is None or self.process.stdout.closed:
            raise ServerGoneError
        while line := self.process.stdout.readline():
            with suppress(json.JSONDecodeError):  # the last line of who was killed may be half
                message = json.loads(line)
                if "id" in message and "method" not in message:
                    return int(message["id"]), message.get("result", message)
        raise ServerGoneError

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        """Call and wait for the answer, with nothing else in flight."""
        number = self.send_call(tool, arguments)
        while True:
            answered, answer = self.receive()
            if answered == number:
                return answer

    def kill(self) -> None:
        """End it without a word of warning."""
        with suppress(ProcessLookupError):
            os.kill(self.process.pid, signal.SIGKILL if os.name == "posix" else signal.SIGTERM)

    def encode_call(self, tool: str, arguments: Mapping[str, object]) -> bytes:
        """The line of a call that somebody else sends."""
        self.sent += 1
        params = {"name": tool, "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": self.sent, "method": "tools/call", "params": params}
        return json.dumps(message).encode() + b"\n"

    def hang_up(self) -> None:
        """Close both pipes, as the system does for a client that has crashed."""
        for pipe in (self.process.stdout, self.process.stdin):
            with suppress(BrokenPipeError):
                if pipe is not None:
                    pipe.close()

    def _send(self, method: str, params: Mapping[str, object]) -> int:
        self.sent += 1
        self._write({"jsonrpc": "2.0", "id": self.sent, "method": method, "params": params})
        return self.sent

    def _write(self, message: Mapping[str, object]) -> None:
        if self.process.stdin is None:
            raise ServerGoneError
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()
        except (BrokenPipeError, ValueError) as error:
            raise ServerGoneError from error


@contextmanager
def serve_piped(home: Path, errors: Path, embedder: str = "off") -> Iterator[Piped]:
    """Start `memoria serve` on a home; it is killed at the end if it still runs then."""
    with (
        errors.open("ab") as log,
        subprocess.Popen(  # noqa: S603  (our own module)
            [sys.executable, "-m", "memoria", "--home", str(home), "--workspace", "none", "serve"],
            cwd=ROOT,
            env=process_environment(embedder),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
        ) as process,
    ):
        server = Piped(process, errors)
        try:
            yield server
        finally:
            server.kill()
            process.wait()
            server.hang_up()


def text_of(answer: Mapping[str, Any]) -> str:
    """The words of an answer."""
    return "\n".join(str(part.get("text", "")) for part in answer.get("content", ()))
