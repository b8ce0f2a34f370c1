"""`memoria ui`: a link to a server that runs, or to one that it starts."""

import subprocess
import sys
from functools import partial
from pathlib import Path

import anyio.to_thread
import httpx2
import pytest
from tests.databases import process_environment
from tests.surface.http.conftest import StartServer, listen
from tests.surface.shell import Shell


@pytest.mark.anyio
async def test_a_link_leads_to_the_server_that_has_this_memory_and_to_no_other(
    start_server: StartServer, shell: Shell, tmp_path: Path
) -> None:
    async with start_server() as server, httpx2.AsyncClient() as http:
        run = partial(shell, "--tenant", "ann", "ui", "--url", server.url, "--json")
        printed = await anyio.to_thread.run_sync(run)
        entered = await http.get(printed.document["link"])
        other = partial(Shell(tmp_path / "other").begin(), "ui", "--url", server.url, "--json")
        refused = await anyio.to_thread.run_sync(other)
    assert printed.code == 0
    assert entered.status_code == 200
    assert refused.code != 0
    assert "does not have this memory" in refused.err


def test_a_link_never_travels_to_another_machine_in_the_clear(shell: Shell) -> None:
    refused = shell("ui", "--url", "http://memory.example.com")
    assert refused.code != 0
    assert "https://" in refused.err


def test_a_server_is_started_where_none_runs(home: Path) -> None:
    with listen() as (free, url):
        free.close()
    command = [sys.executable, "-m", "memoria", "--home", str(home), "ui", "--url", url]
    environment = process_environment(home)
    with subprocess.Popen(  # noqa: S603  (our own program)
        [*command, "--no-browser"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        cwd=home.parent,
        text=True,
    ) as server:
        assert server.stdout is not None
        assert server.stderr is not None
        try:
            assert "Making a link" in server.stderr.readline()
            link = server.stdout.readline().strip()
            assert "Memoria serves" in server.stderr.readline()
            patient = httpx2.HTTPTransport(retries=5)  # it listens a moment after it says so
            with httpx2.Client(transport=patient) as http:
                entered = http.get(link)
        finally:
            server.terminate()
    assert entered.status_code == 200
    assert link.startswith(f"{url}/ui/enter?link=memlink_")
