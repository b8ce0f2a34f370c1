"""Many tenants with a home each: how long a call to a cold home and to a warm one takes."""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

import anyio

from bench.http.callers import open_http
from bench.http.server import HttpServerProcess, Place, serve
from bench.http.world import Call, Talk, Tenant, fill, find_foreign
from bench.metrics import percentile
from bench.output import rounded
from bench.throughput.clients import count_cpu_s, count_memory_mib

_MS = 1000
_SHOWN = 5
_VISITS = (("cold", "search_memory"), ("warm", "search_memory"), ("warm", "remember"))
"""What is called once in each home; warm are those that stay open, called for last."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A call to each of some homes, one after the other; times in milliseconds."""

    what: str
    calls: int
    p50: float
    p95: float
    most: float
    cpu_ms: float
    """Of the server for each call, with opening and closing homes."""
    memory_mib: float
    files: int
    threads: int


async def visit_homes(
    folder: Path, tenants: list[Tenant], open_homes: int, tell: Callable[[Visit], None]
) -> list[str]:
    """Call once in every home, then again in as many as stay open; return what was wrong.

    Args:
        folder: of the homes.
        tenants: whose they are.
        open_homes: number of homes that stay open.
        tell: told of each round of calls.
    """
    talk, wrong = Talk(tenants, seed=1), list[str]()
    some = tenants[-min(open_homes, len(tenants)) :]
    place = Place(folder, has_home_each=True, open_homes=open_homes)

    async def call(tenant: Tenant, tool: str) -> float:
        """Call once; return how long it took, in milliseconds."""
        said = {"content": talk.say(tenant.number)}
        arguments = said if tool == "remember" else {"query": talk.ask()}
        async with open_http(server.url, tenant.token) as caller:
            began = time.perf_counter()
            result = await caller.call(Call(tool, dict[str, object](arguments)))
            took_ms = (time.perf_counter() - began) * _MS
        text = json.dumps(result)
        if result.get("isError") or find_foreign(tenant.number, text):
            wrong.append(f"{tenant.name}: {text}")
        return took_ms

    with serve(place) as server:
        tell(_look(server, f"{open_homes} stay open: nothing", [0.0], 0.0))
        for what, tool in _VISITS:
            before = count_cpu_s([server.pid])
            took = [await call(one, tool) for one in (tenants if what == "cold" else some)]
            cpu_ms = (count_cpu_s([server.pid]) - before) * _MS / len(took)
            tell(_look(server, f"{open_homes} stay open: {what}, {tool}", took, cpu_ms))
        last = _look(server, f"{open_homes} stay open: stopping", [0.0], 0.0)
        took_ms = server.stop() * _MS
        tell(replace(last, p50=took_ms, p95=took_ms, most=took_ms))
    return wrong


def _look(server: HttpServerProcess, what: str, took: list[float], cpu_ms: float) -> Visit:
    return Visit(
        what=what,
        calls=len(took),
        p50=percentile(50, took),
        p95=percentile(95, took),
        most=max(took),
        cpu_ms=cpu_ms,
        memory_mib=count_memory_mib([server.pid]),
        files=server.count_files(),
        threads=server.count_threads(),
    )


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this part."""
    parser.add_argument("--tenants", type=int, default=1000)
    parser.add_argument("--turns", type=int, default=20, help="that each tenant has said before")
    parser.add_argument(
        "--open", type=int, nargs="+", default=[200, 1000], help="homes that stay open, in turns"
    )


def run(arguments: argparse.Namespace) -> int:
    """Visit the homes, print, and return the exit code."""
    with tempfile.TemporaryDirectory(prefix="memoria-http-") as name:
        filling = partial(fill, has_home_each=True)
        tenants = anyio.run(filling, Path(name), arguments.tenants, arguments.turns, "off")
        visits, wrong = list[Visit](), list[str]()

        def tell(one: Visit) -> None:
            visits.append(one)
            if not arguments.json:
                print(_describe(one), flush=True)

        for most in arguments.open:
            wrong += anyio.run(visit_homes, Path(name), tenants, most, tell)
    if arguments.json:
        shown = [rounded(asdict(one)) for one in visits]
        print(json.dumps({"benchmark": "bench.http homes", "visits": shown, "wrong": wrong}))
    for line in wrong[:_SHOWN]:
        print(f"WRONG: {line}", file=sys.stderr)
    return 1 if wrong else 0


def _describe(one: Visit) -> str:
    return (
        f"{one.what}: {one.calls} calls, p50 {one.p50:.1f}, p95 {one.p95:.1f}, most "
        f"{one.most:.1f} ms, {one.cpu_ms:.1f} ms of the processor a call, "
        f"{one.memory_mib:.0f} MiB, {one.files} files, {one.threads} threads"
    )
