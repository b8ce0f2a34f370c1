"""Clients of several tenants call all tools at once: over HTTP in each way, and over stdio."""

import argparse
import json
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import anyio

from bench.checkouts import THIS, memoria_command
from bench.http.callers import Caller, StdioCaller, open_http, open_rest
from bench.http.load import Limit, Summary, run_crowd, sum_up
from bench.http.server import Place, serve
from bench.http.world import Call, Talk, Tenant, fill
from bench.output import report_console, rounded, table
from bench.stdio import MODERN, connect

_HEADINGS = (
    *("way", "clients", "calls", "calls/s", "p50", "p95", "max"),
    *("CPU/call", "cores", "MiB", "errors", "foreign"),
)
_SHOWN = 5
_MOST_SERVERS = 8
"""Clients with a server of their own: each takes the memory of a process."""
_WARM_UP = 3
_HANG_S = 3600.0
_Opening = Callable[[str, str], AbstractAsyncContextManager[Caller]]
_FACES: dict[str, _Opening] = {"mcp": open_http, "rest": open_rest}
"""Faces that clients call over HTTP; of several, each next client calls another."""


@dataclass(frozen=True, slots=True)
class Way:
    """How clients reach their memory."""

    workers: int
    """0: none over HTTP, but a server of its own for each client."""
    has_home_each: bool


_WAYS = {
    "1 worker, one home": Way(1, has_home_each=False),
    "2 workers, one home": Way(2, has_home_each=False),
    "1 worker, a home each": Way(1, has_home_each=True),
    "2 workers, a home each": Way(2, has_home_each=True),
    "stdio, one home": Way(0, has_home_each=False),
    "stdio, a home each": Way(0, has_home_each=True),
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this part."""
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--tenants", type=int, default=8)
    parser.add_argument("--turns", type=int, default=400, help="that each tenant has said before")
    parser.add_argument("--seconds", type=float, default=20.0, help="of each way")
    parser.add_argument("--lead", type=float, default=4.0, help="seconds that are not counted")
    parser.add_argument("--calls", type=int, help="of each way, in place of a time")
    parser.add_argument("--embedder", default="bundled", choices=["bundled", "off"])
    parser.add_argument("--faces", nargs="+", choices=list(_FACES), default=["mcp"])
    parser.add_argument("--ways", nargs="+", choices=list(_WAYS), default=list(_WAYS))


def run(arguments: argparse.Namespace) -> int:
    """Measure every way, print, and return the exit code."""
    with tempfile.TemporaryDirectory(prefix="memoria-http-") as name:
        summaries = [
            _tell(one, arguments) for one in _measure_all(arguments, Path(name), arguments.ways)
        ]
    if arguments.json:
        ways = [rounded(asdict(one)) for one in summaries]
        print(json.dumps({"benchmark": "bench.http load", "ways": ways}, indent=2))
    else:
        _print(summaries)
    return 1 if any(one.errors or one.foreign for one in summaries) else 0


def _measure_all(
    arguments: argparse.Namespace, folder: Path, names: Sequence[str]
) -> Iterator[Summary]:
    for name in names:
        way = _WAYS[name]
        original = folder / ("each" if way.has_home_each else "one")
        if not original.exists():
            filling = partial(fill, has_home_each=way.has_home_each)
            tenants = anyio.run(
                filling, original, arguments.tenants, arguments.turns, arguments.embedder
            )
            (folder / f"{original.name}.json").write_text(json.dumps([*map(asdict, tenants)]))
        given = json.loads((folder / f"{original.name}.json").read_text())
        copy = folder / "copy"
        shutil.copytree(original, copy)
        try:
            yield anyio.run(_measure, arguments, name, copy, [Tenant(**one) for one in given])
        finally:
            shutil.rmtree(copy)


async def _measure(
    arguments: argparse.Namespace, name: str, folder: Path, tenants: list[Tenant]
) -> Summary:
    way = _WAYS[name]
    place = Place(folder, way.has_home_each, arguments.embedder, max(way.workers, 1))
    clients = arguments.clients if way.workers else min(arguments.clients, _MOST_SERVERS)
    talk = Talk(tenants, arguments.seed)
    limit = Limit(arguments.seconds, arguments.calls, arguments.lead)
    faces = [_FACES[face] for face in arguments.faces]
    opening = partial(_over_http, faces) if way.workers else _over_stdio
    async with opening(place, tenants, clients) as (callers, pid):
        for _, caller in callers[: 2 * len(tenants)]:
            for _ in range(_WARM_UP):
                await caller.call(Call("search_memory", {"query": talk.ask()}))
        crowd = await run_crowd(callers, talk, limit, [pid] if way.workers else _pids(callers))
    return sum_up(name, clients, crowd)


Opened = tuple[list[tuple[Tenant, Caller]], int]


@asynccontextmanager
async def _over_http(
    faces: Sequence[Callable[[str, str], AbstractAsyncContextManager[Caller]]],
    place: Place,
    tenants: list[Tenant],
    clients: int,
) -> AsyncIterator[Opened]:
    with serve(place) as server:
        async with AsyncExitStack() as stack:
            callers: list[tuple[Tenant, Caller]] = []
            for number in range(clients):
                tenant = tenants[number % len(tenants)]
                opening = faces[number // len(tenants) % len(faces)]
                caller = await stack.enter_async_context(opening(server.url, tenant.token))
                callers.append((tenant, caller))
            yield callers, server.pid


@asynccontextmanager
async def _over_stdio(place: Place, tenants: list[Tenant], clients: int) -> AsyncIterator[Opened]:
    environment = place.environment()
    with ExitStack() as stack:
        callers: list[tuple[Tenant, Caller]] = []
        for number in range(clients):
            tenant = tenants[number % len(tenants)]
            command = memoria_command(THIS, "--tenant", tenant.name, "serve")
            session = stack.enter_context(connect(command, environment, MODERN, _HANG_S))
            callers.append((tenant, StdioCaller(session)))
        yield callers, 0


def _pids(callers: Sequence[tuple[Tenant, Caller]]) -> list[int]:
    return [caller.pid for _, caller in callers if isinstance(caller, StdioCaller)]


def _tell(one: Summary, arguments: argparse.Namespace) -> Summary:
    if not arguments.json:
        print(" | ".join(_cells(one)), flush=True)
    return one


def _print(summaries: Sequence[Summary]) -> None:
    filled = table("milliseconds", 1, *_HEADINGS)
    for one in summaries:
        filled.add_row(*_cells(one))
    report_console().print(filled)
    for one in summaries:
        p95 = ", ".join(f"{tool} {ms:.0f}" for tool, ms in one.tools_p95.items())
        print(f"{one.way}: p95 of {p95}")
        for wrong in (*one.errors[:_SHOWN], *one.foreign[:_SHOWN]):
            print(f"WRONG: {one.way}: {wrong}")


def _cells(one: Summary) -> Iterator[str]:
    yield one.way
    yield str(one.clients)
    yield str(one.calls)
    yield f"{one.calls_per_s:.1f}"
    for ms in (one.p50, one.p95, one.most):
        yield f"{ms:.0f}"
    yield f"{one.cpu_ms:.1f}"
    yield f"{one.cores:.2f}"
    yield f"{one.memory_mib:.0f}"
    yield str(len(one.errors))
    yield str(len(one.foreign))
