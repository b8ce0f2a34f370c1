"""A server over HTTP with a home of its own, which no client's environment leads to."""

import json
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.e2e.program import Program

_STARTS_IN_S = 180


@dataclass(frozen=True)
class Elsewhere:
    """A server that runs, and a token for all its tools."""

    home: Path
    url: str
    token: str


@contextmanager
def serve_elsewhere(program: Program) -> Iterator[Elsewhere]:
    """Serve an empty home on loopback until the block ends.

    Raises:
        RuntimeError: it does not come to serve.
    """
    with TemporaryDirectory(prefix="memoria-e2e-server-", ignore_cleanup_errors=True) as folder:
        top = Path(folder).resolve()
        home, environment = top / "memory", {"HOME": str(top), "LANG": "C.UTF-8"}
        made = program.run(
            environment,
            top,
            *("--home", str(home), "token", "create", "--access", "forget", "--json"),
        )
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = int(free.getsockname()[1])
        command = [*program.command, "--home", str(home), "serve", "--http", f"127.0.0.1:{port}"]
        server = subprocess.Popen(command, env=environment, cwd=top)  # noqa: S603  (our own program)
        try:
            _wait_until_ready(server, port)
            yield Elsewhere(home, f"http://127.0.0.1:{port}", json.loads(made)["text"])
        finally:
            server.terminate()
            server.wait(30)


def _wait_until_ready(server: subprocess.Popen[bytes], port: int) -> None:
    until = time.monotonic() + _STARTS_IN_S
    while time.monotonic() < until:
        time.sleep(0.1)
        if server.poll() is not None:
            raise RuntimeError(f"the server over HTTP ended with {server.returncode}")
        connection = HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("GET", "/readyz")
            if connection.getresponse().status == 200:
                return
        except OSError:
            continue  # it does not listen yet
        finally:
            connection.close()
    raise RuntimeError("the server over HTTP did not come to serve")
