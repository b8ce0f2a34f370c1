"""`memoria serve --http` shows metrics and writes lines where it is told, until it is stopped."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio
import httpx2
import pytest
from typer.testing import CliRunner

from memoria.surface.cli.main import app


def find_ports(many: int) -> list[int]:
    """Ports that nobody listens at, at this moment."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(many)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


@contextmanager
def serve(home: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "memoria", "--home", str(home), "serve", *options]
    environment = {**os.environ, "MEMORIA_EMBEDDER": "off", "MEMORIA_WORKSPACE": "none"}
    with subprocess.Popen(  # noqa: S603
        command, env=environment, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.skipif(os.name == "nt", reason="SIGTERM kills there")
async def test_a_server_shows_metrics_and_writes_lines_until_it_is_stopped(home: Path) -> None:
    port, shown = find_ports(2)
    options = ("--http", f"127.0.0.1:{port}", "--metrics", f"127.0.0.1:{shown}", "--log", "json")
    with serve(home, *options) as process:
        assert process.stderr is not None
        said = await anyio.to_thread.run_sync(process.stderr.readline)
        assert json.loads(said)["message"].startswith("Memoria serves")
        async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:
            while (await _get(client, "/readyz")) != 200:
                await anyio.lowlevel.checkpoint()
            assert await _get(client, "/mcp") == 401
            text = (await client.get(f"http://127.0.0.1:{shown}/metrics")).text
        process.send_signal(signal.SIGTERM)
        _, rest = await anyio.to_thread.run_sync(process.communicate)
    assert 'memoria_http_requests_total{method="GET",route="unmatched",status="401"} 1.0' in text
    assert "memoria_home_up 1.0" in text
    assert "process_resident_memory_bytes" in text or sys.platform != "linux"
    rows = [json.loads(line) for line in rest.splitlines()]
    called = [(row["method"], row["status"]) for row in rows if "method" in row]
    assert [one for one in called if one[1] != 503] == [("GET", 401)]
    assert process.returncode in (0, -signal.SIGTERM)


@pytest.mark.parametrize(
    "option", [("--metrics", "127.0.0.1:9464"), ("--log", "text"), ("--read-only",)]
)
def test_an_option_of_http_without_it_is_refused(option: tuple[str, ...]) -> None:
    refused = CliRunner().invoke(app, ["serve", *option])
    assert refused.exit_code == 2
    assert "--http" in refused.output


async def _get(client: httpx2.AsyncClient, path: str) -> int:
    try:
        return (await client.get(path)).status_code
    except httpx2.ConnectError:  # it says what it serves right before it listens
        return 0
