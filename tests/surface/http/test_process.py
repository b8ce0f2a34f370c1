"""`memoria serve --http` as a process of its own, and the nights of its tenants."""

import socket
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from tests.databases import process_environment

from memoria import Settings
from memoria.app import Memoria, nightly
from memoria.app.compose import open_home
from memoria.model.access import Access
from memoria.model.provenance import COMMAND_LINE
from memoria.surface.mcp.idle import run_idle_maintenance

LONGEST_S = 60


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


async def is_ready(client: httpx2.AsyncClient, url: str) -> bool:
    try:
        return (await client.get(f"{url}/readyz")).status_code == 200
    except httpx2.TransportError:
        return False


@asynccontextmanager
async def serving(settings: Settings, folder: Path) -> AsyncIterator[str]:
    """Run a server of a home in a folder; yield its URL."""
    environment = process_environment(settings.home_path)
    address = f"127.0.0.1:{free_port()}"
    command = [sys.executable, "-m", "memoria", "--home", str(settings.home_path), "serve"]
    process = await anyio.open_process([*command, "--http", address], cwd=folder, env=environment)
    try:
        async with httpx2.AsyncClient() as client:
            with anyio.fail_after(LONGEST_S):
                while not await is_ready(client, f"http://{address}"):
                    await anyio.sleep(0.05)
        yield f"http://{address}"
    finally:
        process.terminate()
        await process.wait()


async def test_what_is_said_to_a_server_is_not_of_the_project_in_whose_folder_it_was_started(
    tmp_path: Path,
) -> None:
    settings = Settings.from_values(home=tmp_path / "home", embedder="off")
    async with open_home(settings) as home:
        memory = Memoria(home.for_tenant("ann"), COMMAND_LINE)
        token = (await memory.tokens.create(Access.WRITE)).text
    folder = tmp_path / "somebody-s-project"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n", "utf-8")
    headers = {"Authorization": f"Bearer {token}"}
    turn = {"role": "user", "content": "Ann likes tea.", "session_id": "s"}
    async with (
        serving(settings, folder) as url,
        httpx2.AsyncClient(headers=headers) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client,
    ):
        await client.call_tool("record_conversation", {"turns": [turn]})
    async with open_home(settings) as home:
        memory = Memoria(home.for_tenant("ann"), COMMAND_LINE)
        (said,) = (await memory.get_session("s")).turns
    assert said.workspace is None


async def test_each_tenant_s_night_is_run_while_nobody_asks(tmp_path: Path) -> None:
    settings = Settings.from_values(
        home=tmp_path / "home", embedder="off", nightly_idle_minutes=0.001
    )
    tenants = ("ann", "ben")
    async with open_home(settings) as home:
        for tenant in tenants:
            await Memoria(home.for_tenant(tenant), COMMAND_LINE).remember("The user likes tea")

    def list_states(tenant: str) -> list[str]:
        own = settings.model_copy(update={"tenant": tenant})
        return [run.state for run in nightly.list_runs(own, 10)]

    seen, ended = list[list[list[str]]](), anyio.Event()

    def list_tenants() -> Iterator[str]:
        for tenant in tenants:
            seen.append([list_states(one) for one in tenants])
            yield tenant
        ended.set()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run_idle_maintenance, settings, lambda: 0.0, list_tenants)
        with anyio.fail_after(LONGEST_S):
            await ended.wait()
        tasks.cancel_scope.cancel()
    assert seen == [[[], []], [["finished"], []]]
    assert [list_states(one) for one in tenants] == [["finished"], ["finished"]]
