"""A server that nobody asks runs nightly maintenance by itself, once."""

import os
import sys
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters

import memoria.app.nightly as nights
from memoria.app import open_memoria
from memoria.config import Settings
from memoria.model.nightly import NightlyRun
from memoria.surface.mcp.idle import run_idle_maintenance

LONGEST_S = 600
"""So long only a server that hangs takes."""


def server(home: Path) -> StdioServerParameters:
    environment = {
        "PATH": os.environ["PATH"],
        "MEMORIA_EMBEDDER": "off",
        "MEMORIA_NIGHTLY_IDLE_MINUTES": "0.01",
    }
    arguments = ["-m", "memoria", "--home", str(home), "serve"]
    return StdioServerParameters(command=sys.executable, args=arguments, env=environment)


async def finished(settings: Settings) -> list[NightlyRun]:
    while True:
        found = nights.list_runs(settings, 10)
        if found and found[0].state == "finished":
            return found
        await anyio.sleep(0.1)


async def test_an_idle_server_runs_nightly_maintenance(tmp_path: Path) -> None:
    settings = Settings.from_values(home=tmp_path / "home", embedder="off")
    async with open_memoria(settings=settings) as m:  # a server may be idle before it is asked
        await m.remember("The user likes tea")
    with anyio.fail_after(LONGEST_S):
        async with Client(server(settings.home_path)) as client:
            assert len(await finished(settings)) == 1
            asked = await client.call_tool("search_memory", {"query": "tea"})
            assert not asked.is_error


async def test_where_no_idle_time_is_set_no_run_is_ever_started(tmp_path: Path) -> None:
    settings = Settings.from_values(home=tmp_path / "home", embedder="off", nightly_idle_minutes=0)
    with anyio.fail_after(LONGEST_S):
        await run_idle_maintenance(settings, lambda: 0.0)  # it has nothing to wait for
    assert not settings.home_path.exists()
