"""Processes that stand in each other's way: killed, stopped, locking, many at once."""

import json
import os
import signal
import sqlite3
import sys
import time
from contextlib import AsyncExitStack, closing
from pathlib import Path

import anyio

from bench.attack.arena import Arena, SkippedError
from bench.attack.attack import slow_attack
from bench.attack.caller import Caller
from bench.attack.remains import DATABASE
from bench.faults import clock, disk

_WRITERS = 12
_WRITES = 15


def resident_mb(pid: int) -> float:
    """The memory that a process takes, in megabytes; 0 where nobody can say."""
    statm = Path(f"/proc/{pid}/statm")
    return int(statm.read_text().split()[1]) * 4096 / 1e6 if statm.exists() else 0.0


async def _write_until_gone(caller: Caller, said: list[str], name: str) -> None:
    """Record until the server is gone; keeps what was acknowledged."""
    for i in range(10_000):
        text = f"{name} turn {i} of the kiln"
        answer = await caller.ask(
            "record_conversation", session_id=name, turns=[{"role": "user", "content": text}]
        )
        if answer.refusal is not None:
            return
        said.append(text)


@slow_attack
async def signal_a_server_while_it_writes(arena: Arena) -> None:
    """Send SIGTERM, SIGINT, SIGHUP and SIGKILL during writes: what was acknowledged is there."""
    if sys.platform == "win32":
        raise SkippedError("Windows has no such signals")
    said: list[str] = []
    numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGKILL, signal.SIGHUP)
    for number in numbers:
        with anyio.move_on_after(20) as scope:
            try:
                async with arena.serve() as caller, anyio.create_task_group() as tasks:
                    tasks.start_soon(_write_until_gone, caller, said, number.name)
                    while not said or not said[-1].startswith(number.name):
                        await anyio.sleep(0.02)
                    os.kill(caller.pid, number)
                    await anyio.sleep(0.2)
                    tasks.cancel_scope.cancel()
            except (Exception, BaseExceptionGroup):  # noqa: BLE001, S110  (the server is gone)
                pass
        arena.check(not scope.cancelled_caught, f"{number.name}: the server goes on")
    async with arena.serve() as caller:
        for number in numbers:
            mine = [text for text in said if text.startswith(number.name)]
            page = await caller.read(f"memory://sessions/{number.name}")
            lost = [text for text in mine[:100] if f"{text}\n" not in f"{page}\n"]
            arena.check(bool(mine), f"{number.name}: nothing was acknowledged")
            arena.check(not lost, f"{number.name}: lost {lost[:3]}")
    ran = await arena.run("doctor")
    arena.check(ran.code == 0, f"doctor: {ran.text[-200:]}")


@slow_attack
async def hold_the_write_lock_for_ever(arena: Arena) -> None:
    """Hold the database's write lock from outside: readers go on, writers say what is wrong."""
    async with arena.serve() as caller:
        await caller.remember("The kiln is warm")
        with closing(sqlite3.connect(arena.home / DATABASE, isolation_level=None)) as holder:
            holder.execute("BEGIN IMMEDIATE")
            began = time.perf_counter()
            found = await caller.find("Is the kiln warm?")
            took = time.perf_counter() - began
            arena.check(bool(found) and took < 2, f"a search took {took:.1f} s")  # noqa: PLR2004
            with anyio.move_on_after(30) as scope:
                answer = await caller.ask("remember", content="The barn is red")
                arena.check(answer.refusal is not None, "it says that it wrote")
                said = answer.refusal or ""
                plain = "Traceback" not in said and "again" in said
                arena.check(plain, f"the refusal does not say what to do: {said}")
            arena.check(not scope.cancelled_caught, "a write waits for ever")
            holder.execute("ROLLBACK")
        arena.check(bool(await caller.remember("The barn is blue")), "it never writes again")


@slow_attack
async def stop_a_process_that_shares_the_home(arena: Arena) -> None:
    """Stop one of two servers (SIGSTOP) in the middle of its writes: the other one goes on."""
    if sys.platform == "win32":
        raise SkippedError("Windows has no such signal")
    stuck = 0
    for number in range(3):
        async with arena.serve() as other, arena.serve() as caller:
            said: list[str] = []
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_write_until_gone, caller, said, f"s{number}")
                await anyio.sleep(0.2 + number * 0.017)
                os.kill(caller.pid, signal.SIGSTOP)
                answer = await other.ask("remember", content=f"The barn number {number} is red")
                stuck += answer.refusal is not None
                refused = answer.refusal or "again"
                arena.check("again" in refused, f"the refusal does not say what to do: {refused}")
                arena.check(await other.find("barn") is not None, "nothing is found")
                os.kill(caller.pid, signal.SIGCONT)
                tasks.cancel_scope.cancel()
            arena.check(bool(await other.remember(f"The kiln number {number} is red")), "stuck")
    arena.note("times the lock was held", stuck)


@slow_attack
async def write_from_many_servers_at_once(arena: Arena) -> None:
    """Let a dozen servers write to one home as fast as they can: nothing is lost or refused."""
    took: list[float] = []
    refusals: list[str] = []

    async def write(caller: Caller, name: str) -> None:
        for i in range(_WRITES):
            began = time.perf_counter()
            turns = [{"role": "user", "content": f"{name} says {i}"}]
            answer = await caller.ask("record_conversation", turns=turns, session_id=name)
            took.append(time.perf_counter() - began)
            if answer.refusal is not None:
                refusals.append(answer.refusal)

    async with AsyncExitStack() as stack:
        callers = [await stack.enter_async_context(arena.serve()) for _ in range(_WRITERS)]
        async with anyio.create_task_group() as tasks:
            for number, caller in enumerate(callers):
                tasks.start_soon(write, caller, f"w{number}")
        arena.check(not refusals, f"{len(refusals)} refusals, such as {refusals[:1]}")
        status = json.loads(await callers[0].read("memory://status"))
        arena.check(status["turns"] == _WRITERS * _WRITES, f"{status['turns']} turns are there")
    took.sort()
    arena.note("ms, median", took[len(took) // 2] * 1000)
    arena.note("ms, 95th percentile", took[len(took) * 95 // 100] * 1000)


@slow_attack
async def fill_the_disk_under_a_server(arena: Arena) -> None:
    """Let files grow no further (RLIMIT_FSIZE) while a client records: all or nothing, and said."""
    verdict = await disk.full_by_limit(arena.home)
    if verdict.skipped is not None:
        raise SkippedError(verdict.skipped)
    arena.check(not verdict.broken, "; ".join(verdict.broken))


@slow_attack
async def let_the_clock_jump(arena: Arena) -> None:
    """Run a process a year ahead, then others in the present and an hour before it."""
    verdict = await anyio.to_thread.run_sync(clock.backwards, arena.home)
    arena.check(not verdict.broken, "; ".join(verdict.broken))


@slow_attack
async def replace_the_database_under_a_server(arena: Arena) -> None:
    """Delete or swap the file under a running server: it says so, and writes nothing elsewhere."""
    for how in ("delete", "swap", "truncate"):
        home = arena.folder / how
        arena.home = home
        async with arena.serve() as caller:
            await caller.remember("The kiln is warm")
            file = home / DATABASE
            if how == "delete":
                file.rename(home / "elsewhere")
            elif how == "swap":
                file.rename(home / "elsewhere")
                file.write_bytes(b"")
            else:
                with closing(sqlite3.connect(file)) as connection:  # the log could mend it
                    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                os.truncate(file, 4096)
            answer = await caller.ask("remember", content="The barn is red")
            arena.check(answer.refusal is not None, f"{how}: it says that it wrote")
            said = answer.refusal or ""
            arena.check("Traceback" not in said, f"{how}: {said}")
            arena.check("Traceback" not in caller.stderr, f"{how}: {caller.stderr[-200:]}")
