"""One tenant floods the server, another calls now and then: how long the other waits."""

import argparse
import json
import tempfile
import time
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import anyio

from bench.http.callers import HttpCaller, open_http
from bench.http.server import Place, serve
from bench.http.world import Call, Talk, Tenant, fill
from bench.metrics import percentile
from bench.output import rounded

_MS = 1000
_WARM_UP = 5


@dataclass(frozen=True, slots=True)
class Wait:
    """How long the tenant who calls now and then waited, in milliseconds."""

    when: str
    calls: int
    p50: float
    p95: float
    most: float
    flood_per_s: float
    """Calls of the other tenant that were answered in a second."""


async def _measure(
    place: Place, tenants: list[Tenant], flood: int, seconds: float, every_s: float
) -> list[Wait]:
    talk = Talk(tenants, seed=1)
    with serve(place) as server:
        async with AsyncExitStack() as stack:
            enter = stack.enter_async_context
            many = [await enter(open_http(server.url, tenants[0].token)) for _ in range(flood)]
            one = await enter(open_http(server.url, tenants[1].token))
            for caller in (one, many[0]):
                for _ in range(_WARM_UP):
                    await caller.call(Call("search_memory", {"query": talk.ask()}))
            quiet = await _wait(talk, one, [], seconds, every_s, "quiet")
            return [quiet, await _wait(talk, one, many, seconds, every_s, "in a flood")]


async def _wait(
    talk: Talk, one: HttpCaller, many: list[HttpCaller], seconds: float, every_s: float, when: str
) -> Wait:
    took, flooded = list[float](), 0
    until = time.monotonic() + seconds

    async def flood(caller: HttpCaller) -> None:
        nonlocal flooded
        while time.monotonic() < until:
            await caller.call(Call("search_memory", {"query": talk.ask()}))
            flooded += 1

    async with anyio.create_task_group() as tasks:
        for caller in many:
            tasks.start_soon(flood, caller)
        while time.monotonic() < until:
            await anyio.sleep(every_s)
            began = time.perf_counter()
            await one.call(Call("search_memory", {"query": talk.ask()}))
            took.append((time.perf_counter() - began) * _MS)
    return Wait(
        when=when,
        calls=len(took),
        p50=percentile(50, took),
        p95=percentile(95, took),
        most=max(took),
        flood_per_s=flooded / seconds,
    )


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this part."""
    parser.add_argument("--flood", type=int, default=32, help="calls at once of the one tenant")
    parser.add_argument("--every", type=float, default=1.0, help="seconds between the other's")
    parser.add_argument("--seconds", type=float, default=30.0, help="quiet, and as long in a flood")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--turns", type=int, default=400)
    parser.add_argument("--embedder", default="bundled", choices=["bundled", "off"])


def run(arguments: argparse.Namespace) -> int:
    """Measure, print, and return the exit code."""
    with tempfile.TemporaryDirectory(prefix="memoria-http-") as name:
        filling = partial(fill, has_home_each=True)
        tenants = anyio.run(filling, Path(name), 2, arguments.turns, arguments.embedder)
        place = Place(
            Path(name), has_home_each=True, embedder=arguments.embedder, workers=arguments.workers
        )
        waits = anyio.run(
            _measure, place, tenants, arguments.flood, arguments.seconds, arguments.every
        )
    if arguments.json:
        print(json.dumps([rounded(asdict(one)) for one in waits], indent=2))
    else:
        for one in waits:
            print(
                f"{one.when}: {one.calls} calls, p50 {one.p50:.0f}, p95 {one.p95:.0f}, most "
                f"{one.most:.0f} ms; the other tenant {one.flood_per_s:.1f} calls/s"
            )
    return 0
