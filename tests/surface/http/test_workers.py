"""Workers on one socket: one that dies is replaced, and all are replaced on SIGHUP, unnoticed."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

import pytest
import uvicorn

from memoria.surface.http.serve import bind_at_once

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="children are listed as Linux lists them"
)
_PROGRAM = Path(__file__).with_name("supervised.py")
_WITHIN_S = 30.0
_AGAIN_S = 0.01
"""Who looks without a pause takes the CPU that a worker needs to start."""


def _answers(pid: str) -> bool:
    """Whether a process was started to answer; one that has just died was not."""
    try:
        return b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except FileNotFoundError:
        return False


@dataclass(frozen=True, slots=True)
class Supervisor:
    """A supervisor that runs, and where its workers listen."""

    process: subprocess.Popen[str]
    port: int
    lines: list[str]
    """What it has written to standard error, once it has ended."""

    def list_workers(self) -> set[int]:
        """List the processes that the supervisor has started to answer."""
        pid = self.process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text("utf-8").split()
        return {int(one) for one in children if _answers(one)}

    def ask(self) -> int:
        """Ask, again and again until there is an answer; return which process gave it."""
        deadline = monotonic() + _WITHIN_S
        while monotonic() < deadline:
            try:
                with socket.create_connection(("127.0.0.1", self.port)) as connection:
                    connection.sendall(b"GET / HTTP/1.0\r\n\r\n")
                    answer = b"".join(iter(lambda: connection.recv(1000), b""))
                    return int(answer.rpartition(b"\r\n\r\n")[2])
            except (ConnectionError, ValueError):
                sleep(_AGAIN_S)
        raise TimeoutError

    def ask_until(self, is_reached: Callable[[], bool]) -> None:
        """Ask on and on until something is the case; no question stays without an answer."""
        deadline = monotonic() + _WITHIN_S
        while not is_reached():
            assert monotonic() < deadline
            self.ask()
            sleep(_AGAIN_S)


@contextmanager
def supervise() -> Iterator[Supervisor]:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        process = subprocess.Popen(  # noqa: S603  (this test's own program)
            [sys.executable, str(_PROGRAM), str(listening.fileno())],
            pass_fds=[listening.fileno()],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        port = listening.getsockname()[1]
    with process as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stdout.readline() == "ready\n"
        try:
            supervisor = Supervisor(running, port, [])
            yield supervisor
        finally:
            running.send_signal(signal.SIGTERM)
            supervisor.lines.extend(running.stderr)


def test_a_worker_that_dies_is_started_again_while_others_answer() -> None:
    with supervise() as supervisor:
        before = supervisor.list_workers()
        assert len(before) == 2
        dead = supervisor.ask()
        os.kill(dead, signal.SIGKILL)
        supervisor.ask_until(lambda: len(supervisor.list_workers() - {dead}) == 2)
        assert before - {dead} < supervisor.list_workers()
        new = (supervisor.list_workers() - before).pop()
        supervisor.ask_until(lambda: supervisor.ask() == new)
    (line,) = supervisor.lines
    assert f"worker {dead} died (exit code -9), and worker {new}" in line


def test_on_a_hangup_all_workers_are_replaced_and_somebody_always_answers() -> None:
    with supervise() as supervisor:
        before = supervisor.list_workers()
        supervisor.process.send_signal(signal.SIGHUP)
        supervisor.ask_until(lambda: not before & supervisor.list_workers())
        assert len(supervisor.list_workers()) == 2
    (line,) = supervisor.lines
    assert "SIGHUP: 2 of 2 workers were replaced" in line


def test_workers_end_when_their_supervisor_is_killed() -> None:
    with supervise() as supervisor:
        workers = supervisor.list_workers()
        supervisor.process.kill()
        supervisor.process.wait()
        deadline = monotonic() + _WITHIN_S
        while any(_is_running(pid) for pid in workers):
            assert monotonic() < deadline
            sleep(_AGAIN_S)


def _is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_no_packet_of_a_workers_answer_waits_for_the_caller() -> None:
    with bind_at_once(uvicorn.Config("none", port=0)) as listening:
        listening.listen()
        with socket.create_connection(listening.getsockname()), listening.accept()[0] as accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0
