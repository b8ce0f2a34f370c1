"""How a server is started: names it is given, a port that is taken, and a hangup."""

import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from tests.databases import process_environment
from tests.surface.shell import Shell

from memoria.errors import InvalidInputError
from memoria.surface.http.addresses import parse_name


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("memory.example.com", "memory.example.com"),
        ("https://Memory.example.com/mcp", "memory.example.com"),
        ("memory.example.com:8443", "memory.example.com"),
        ("[2001:db8::1]:80", "[2001:db8::1]"),
    ],
)
def test_a_name_is_found_in_the_address_that_has_it(given: str, name: str) -> None:
    assert parse_name(given) == name


@pytest.mark.parametrize("given", ["", "https://", "a b", "*.example.com", "[x"])
def test_what_names_no_server_is_refused(given: str) -> None:
    with pytest.raises(InvalidInputError, match="Give the name alone"):
        parse_name(given)


def test_a_port_that_is_taken_is_told_with_what_to_do_and_nothing_is_said_to_be_served(
    shell: Shell,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = shell("serve", "--http", f"127.0.0.1:{port}")
    assert refused.code == 1
    assert "another port" in refused.err
    assert "serves" not in refused.err


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGHUP")
def test_a_hangup_leaves_a_server_of_one_process_running_and_a_line_of_json(shell: Shell) -> None:
    environment = process_environment(shell.home)
    command = ["--home", str(shell.home), "serve", "--http", "127.0.0.1:0", "--log", "json"]
    with subprocess.Popen(  # noqa: S603  (our own program)
        [sys.executable, "-m", "memoria", *command],
        stderr=subprocess.PIPE,
        env=environment,
        cwd=Path(shell.home).parent,
        text=True,
    ) as server:
        assert server.stderr is not None
        try:
            assert '"message": "Memoria serves' in server.stderr.readline()
            server.send_signal(signal.SIGHUP)
            assert "SIGHUP: nothing was done" in server.stderr.readline()
            assert server.poll() is None
        finally:
            server.terminate()
    assert server.returncode in (0, -signal.SIGTERM)
