"""A crowd of clients: how many calls a second, how long each takes, and whose rows it saw."""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import anyio

from bench.http.callers import Caller
from bench.http.world import Call, Talk, Tenant, find_foreign
from bench.metrics import percentile
from bench.throughput.clients import count_cpu_s, count_memory_mib

_MS = 1000


@dataclass(slots=True)
class Crowd:
    """What clients did together."""

    took_ms: dict[str, list[float]] = field(default_factory=dict)
    """By tool."""
    errors: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    """Answers with another tenant's mark, or with another tenant's memory."""
    seconds: float = 0.0
    cpu_s: float = 0.0
    """Of the server's processes."""
    client_cpu_s: float = 0.0
    memory_mib: float = 0.0

    @property
    def calls(self) -> int:
        """Number of calls that were answered."""
        return sum(map(len, self.took_ms.values()))


@dataclass(frozen=True, slots=True)
class Summary:
    """A crowd in figures; times in milliseconds."""

    way: str
    clients: int
    calls: int
    calls_per_s: float
    p50: float
    p95: float
    most: float
    tools_p95: dict[str, float]
    cpu_ms: float
    """Of the server for each call, with what follows it."""
    cores: float
    """Cores that the server kept busy; the clients have the rest."""
    memory_mib: float
    errors: tuple[str, ...]
    foreign: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Limit:
    """How long clients call: until the time is up or so many calls are made."""

    seconds: float
    calls: int | None = None
    lead_s: float = 0.0
    """Time before anything is counted."""


async def run_crowd(
    callers: Sequence[tuple[Tenant, Caller]], talk: Talk, limit: Limit, pids: list[int]
) -> Crowd:
    """Have each client call on and on.

    Args:
        callers: the clients and whose they are.
        talk: what they call.
        limit: when they stop.
        pids: processes whose time and memory are counted, with their children.
    """
    crowd = Crowd()
    left = limit.calls
    began, lead_cpu, lead_own = time.monotonic(), count_cpu_s(pids), time.process_time()

    async def begin_counting() -> None:
        nonlocal began, lead_cpu, lead_own
        await anyio.sleep(limit.lead_s)
        crowd.took_ms.clear()
        began, lead_cpu, lead_own = time.monotonic(), count_cpu_s(pids), time.process_time()

    async def call_on(tenant: Tenant, caller: Caller) -> None:
        nonlocal left
        until = time.monotonic() + limit.lead_s + limit.seconds
        while (time.monotonic() < until) if left is None else left > 0:
            if left is not None:
                left -= 1
            await _make_call(crowd, talk.draw(tenant), tenant, caller)

    async with anyio.create_task_group() as tasks:
        if limit.lead_s:
            tasks.start_soon(begin_counting)
        for tenant, caller in callers:
            tasks.start_soon(call_on, tenant, caller)
    crowd.seconds = time.monotonic() - began
    crowd.cpu_s = count_cpu_s(pids) - lead_cpu
    crowd.client_cpu_s = time.process_time() - lead_own
    crowd.memory_mib = count_memory_mib(pids)
    return crowd


async def _make_call(crowd: Crowd, call: Call, tenant: Tenant, caller: Caller) -> None:
    began = time.perf_counter()
    try:
        result = await caller.call(call)
    except Exception as error:  # noqa: BLE001  (whatever it is, it is what is reported)
        crowd.errors.append(f"{call.tool} of {tenant.name}: {type(error).__name__}: {error}")
        return
    crowd.took_ms.setdefault(call.tool, []).append((time.perf_counter() - began) * _MS)
    text = json.dumps(result, ensure_ascii=False)
    if marks := find_foreign(tenant.number, text):
        crowd.foreign.append(f"{call.tool} of {tenant.name} shows {sorted(marks)}")
    if bool(result.get("isError")) is not call.must_fail:
        seen = crowd.foreign if call.must_fail else crowd.errors
        seen.append(f"{call.tool} of {tenant.name} with {call.arguments}: {text}")
    elif call.tool == "remember":
        tenant.ids.append(str(result["structuredContent"]["id"]))


def sum_up(way: str, clients: int, crowd: Crowd) -> Summary:
    """A crowd in figures."""
    took = [one for each in crowd.took_ms.values() for one in each]
    return Summary(
        way=way,
        clients=clients,
        calls=len(took),
        calls_per_s=len(took) / crowd.seconds,
        p50=percentile(50, took),
        p95=percentile(95, took),
        most=max(took),
        tools_p95={tool: percentile(95, one) for tool, one in sorted(crowd.took_ms.items())},
        cpu_ms=crowd.cpu_s * _MS / len(took),
        cores=crowd.cpu_s / crowd.seconds,
        memory_mib=crowd.memory_mib,
        errors=tuple(crowd.errors),
        foreign=tuple(crowd.foreign),
    )
