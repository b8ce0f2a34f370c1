"""The real server over HTTP, as a shell starts it, with its processes in hand."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx2

from bench.checkouts import THIS, memoria_command

_STARTS_WITHIN_S = 60.0
_ENDS_WITHIN_S = 30.0
_POLL_S = 0.05


@dataclass(frozen=True, slots=True)
class Place:
    """What is served: a home, or a folder of homes, and how."""

    folder: Path
    has_home_each: bool
    embedder: str = "off"
    workers: int = 1
    open_homes: int = 200
    more: Mapping[str, str] = field(default_factory=dict)
    """Further variables of the environment."""

    def environment(self) -> dict[str, str]:
        """The environment of a process that serves it."""
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        return {
            **kept,
            "MEMORIA_HOMES" if self.has_home_each else "MEMORIA_HOME": str(self.folder),
            "MEMORIA_EMBEDDER": self.embedder,
            "MEMORIA_WORKSPACE": "none",
            "MEMORIA_HTTP_CALLS_PER_SECOND": "0",
            "MEMORIA_OPEN_HOMES": str(self.open_homes),
            **self.more,
        }


class HttpServerProcess:
    """A server that runs at one address; killed and started again, it stays there."""

    def __init__(self, place: Place) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._place = place
        self.process = self._start()

    @property
    def pid(self) -> int:
        """The process that was started: the server, or the supervisor of its workers."""
        return self.process.pid

    def list_workers(self) -> list[int]:
        """The processes that answer."""
        if self._place.workers == 1:
            return [self.pid]
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        return [int(one) for one in children if b"spawn_main" in _command_line(one)]

    def start_again(self) -> None:
        """Start the server again at the same address, once what was killed has let go of it."""
        self.process.wait()
        deadline = time.monotonic() + _STARTS_WITHIN_S
        while True:
            self.process = self._start()
            try:
                self.wait_until_ready()
            except RuntimeError:
                if time.monotonic() > deadline:
                    raise
            else:
                return

    def wait_until_ready(self) -> None:
        """Wait until it answers that it is ready.

        Raises:
            RuntimeError: it has ended, or takes too long.
        """
        deadline = time.monotonic() + _STARTS_WITHIN_S
        with httpx2.Client(base_url=self.url) as client:
            while time.monotonic() < deadline and self.process.poll() is None:
                try:
                    if client.get("/readyz").status_code == httpx2.codes.OK:
                        return
                except httpx2.TransportError:
                    pass
                time.sleep(_POLL_S)
        raise RuntimeError("the server does not get ready")

    def count_files(self) -> int:
        """Number of files that its processes have open."""
        return sum(len([*Path(f"/proc/{pid}/fd").iterdir()]) for pid in self.list_workers())

    def count_threads(self) -> int:
        """Number of threads of its processes."""
        return sum(len([*Path(f"/proc/{pid}/task").iterdir()]) for pid in self.list_workers())

    def stop(self) -> float:
        """Stop it as a service manager would; return how long that took, in seconds."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(_ENDS_WITHIN_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        return time.monotonic() - began

    def _start(self) -> subprocess.Popen[bytes]:
        options = ("serve", "--http", f"127.0.0.1:{self.port}")
        workers = ("--workers", str(self._place.workers))
        command = memoria_command(THIS, *options, *workers)
        return subprocess.Popen(  # noqa: S603  (this checkout)
            command, env=self._place.environment(), stderr=subprocess.DEVNULL
        )


@contextmanager
def serve(place: Place) -> Iterator[HttpServerProcess]:
    """Serve while the block runs."""
    server = HttpServerProcess(place)
    try:
        server.wait_until_ready()
        yield server
    finally:
        if server.process.poll() is None:
            server.stop()


def _command_line(pid: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
