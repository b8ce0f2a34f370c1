"""Clients of one process: tasks that search one opened memory, and record now and then.

It is run as a script, by its path, and imports nothing of the benchmark: so it can be run with an
older checkout's `memoria`, by that checkout's Python.
"""

import json
import os
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import asdict, dataclass, field
from itertools import count
from pathlib import Path

import anyio

CAPTURE = "record_conversation"
SEARCHES = ("search_memory", "search_conversation_traces")
_CAPTURE_EVERY = 10
_WARM_UP = 24
_POLL_S = 0.05
_MIB = 1024
_TICKS_AFTER_NAME = slice(11, 13)
"""Of /proc/PID/stat, after the name: what a process took for itself and in the system."""

Act = Callable[[int, int, str], Awaitable[object]]
"""Makes a call: which client, the number of the call, the tool."""


@dataclass(frozen=True, slots=True)
class Script:
    """What there is to ask and to say; each is asked once before one is asked again."""

    tenant: str
    questions: list[str]
    turns: list[str]

    def question(self, i: int) -> str:
        """The question of a call."""
        return self.questions[i % len(self.questions)]

    def turn(self, i: int) -> dict[str, str]:
        """What is said in a call: always a new turn."""
        text = f"{self.turns[i % len(self.turns)]} ({i})"
        return {"session_id": f"live-{i % 7}", "role": "user", "content": text}


@dataclass(slots=True)
class Account:
    """What clients did together. Moments are of the monotonic clock, in seconds."""

    took_ms: dict[str, list[float]] = field(default_factory=dict)
    """By tool."""
    errors: list[str] = field(default_factory=list)
    began: float = 0.0
    ended: float = 0.0
    cpu_s: float = 0.0
    """What all processes took of the processors between these moments."""
    memory_mib: float = 0.0
    """Of all processes at the end; what several share is counted once."""


async def run_clients(
    act: Act, clients: int, seconds: float, pids: list[int], lead_s: float = 0.0
) -> Account:
    """Have so many clients call until the time is up, each at least once, and never two at once.

    Args:
        act: makes a call.
        clients: how many.
        seconds: how long calls may begin.
        pids: the processes whose time and memory are counted, with their children.
        lead_s: how long they call before anything is counted.
    """
    account = Account()
    numbers = count()
    until = time.monotonic() + lead_s + seconds
    worked = 0.0

    async def begin_counting() -> None:
        nonlocal worked
        if lead_s:
            await anyio.sleep(lead_s)
        account.took_ms.clear()
        account.began, worked = time.monotonic(), count_cpu_s(pids)

    async def call_on(client: int) -> None:
        while True:
            i = next(numbers)
            tool = choose_tool(i)
            before = time.perf_counter()
            try:
                await act(client, i, tool)
            except Exception as error:  # noqa: BLE001  (whatever it is, it is what is reported)
                account.errors.append(f"{tool}, call {i}: {type(error).__name__}: {error}")
            took = (time.perf_counter() - before) * 1000
            account.took_ms.setdefault(tool, []).append(took)
            if time.monotonic() >= until:
                return

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(begin_counting)
        for client in range(clients):
            tasks.start_soon(call_on, client)
    account.ended, account.cpu_s = time.monotonic(), count_cpu_s(pids) - worked
    account.memory_mib = count_memory_mib(pids)
    return account


def choose_tool(i: int) -> str:
    """The tool of a call: every tenth records, the others search in turn."""
    return CAPTURE if i % _CAPTURE_EVERY == _CAPTURE_EVERY - 1 else SEARCHES[i % len(SEARCHES)]


def count_cpu_s(pids: list[int]) -> float:
    """Processor time of processes and their children; of this one where the system says no more."""
    try:
        stats = [Path(f"/proc/{pid}/stat").read_text() for pid in _list_tree(pids)]
    except OSError:
        return time.process_time()
    ticks = (stat.rpartition(")")[2].split()[_TICKS_AFTER_NAME] for stat in stats)
    return sum(int(one) for each in ticks for one in each) / os.sysconf("SC_CLK_TCK")


def count_memory_mib(pids: list[int]) -> float:
    """Memory of processes and their children, shared pages divided; 0 where nobody says."""
    found = 0
    for pid in _list_tree(pids):
        try:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        found += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return found / _MIB


def _list_tree(pids: list[int]) -> Iterator[int]:
    for pid in pids:
        yield pid
        for children in Path(f"/proc/{pid}/task").glob("*/children"):
            yield from _list_tree([int(child) for child in children.read_text().split()])


async def _call_memory(
    home: Path, script: Script, clients: int, seconds: float, lead_s: float
) -> Account:
    """The clients' calls on an opened memory, once it has loaded what it loads."""
    import memoria  # noqa: PLC0415  (the checkout's own: whoever only counts needs none)

    async with memoria.open(home, script.tenant) as m:

        async def act(_client: int, i: int, tool: str) -> object:
            if tool == CAPTURE:
                return await m.record_conversation([script.turn(i)])
            return await getattr(m, tool)(script.question(i))

        for i in range(_WARM_UP):
            await act(0, -1 - i, choose_tool(i))
        await m.wait_until_idle()
        while m._store._connections.cache.learning:  # type: ignore[attr-defined]  # noqa: SLF001
            await anyio.sleep(_POLL_S)
        return await run_clients(act, clients, seconds, [os.getpid()], lead_s)


def _main() -> None:
    home, script, clients, seconds, lead = sys.argv[1:]
    said = Script(**json.loads(Path(script).read_text("utf-8")))
    times = float(seconds), float(lead)
    account = anyio.run(_call_memory, Path(home), said, int(clients), *times)
    print(json.dumps(asdict(account)))


if __name__ == "__main__":
    _main()
