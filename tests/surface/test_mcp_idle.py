"""A server that nobody asks runs a night by itself, once."""

import os
import sys
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters

import memoria.app.nightly as nights
from memoria.config import Settings
from memoria.model.nightly import NightlyRun

LONGEST_S = 60


def server(home: Path, idle_minutes: float) -> StdioServerParameters:
    environment = {
        "PATH": os.environ["PATH"],
        "MEMORIA_EMBEDDER": "off",
        "MEMORIA_NIGHT_IDLE_MINUTES": str(idle_minutes),
    }
    arguments = ["-m", "memoria", "--home", str(home), "serve"]
    return StdioServerParameters(command=sys.executable, args=arguments, env=environment)


async def finished(settings: Settings) -> list[NightlyRun]:
    while True:
        found = nights.list_runs(settings, 10)
        if found and found[0].state == "finished":
            return found
        await anyio.sleep(0.1)


async def test_a_server_at_idle_runs_a_night_of_its_own(tmp_path: Path) -> None:
    settings = Settings.from_values(home=tmp_path / "home", embedder="off")
    with anyio.fail_after(LONGEST_S):
        async with Client(server(settings.home_path, 0.01)) as client:
            answer = await client.call_tool(
                "remember", {"content": "The user likes tea", "type": "preference"}
            )
            assert not answer.is_error
            assert len(await finished(settings)) == 1
            asked = await client.call_tool("search_memory", {"query": "tea"})
            assert not asked.is_error


async def test_a_server_that_is_to_start_no_night_starts_none(tmp_path: Path) -> None:
    settings = Settings.from_values(home=tmp_path / "home", embedder="off")
    with anyio.fail_after(LONGEST_S):
        async with Client(server(settings.home_path, 0)) as client:
            answer = await client.call_tool("remember", {"content": "The user likes tea"})
            assert not answer.is_error
    assert nights.list_runs(settings, 10) == []
