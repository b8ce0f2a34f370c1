"""The primary dies under writers and its standby takes over: what of the acknowledged is lost?"""

import os
import random
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
import anyio.to_thread

from bench.faults.verdict import Progress, Verdict
from bench.faults_postgres.writers import DATABASE, Crowd, count_lost, find_wrong, let_write
from bench.postgres import PostgresCluster, run_cluster

_WRITES_BEFORE = 20


@dataclass(frozen=True, slots=True)
class Replication:
    """Lag of a standby behind its primary."""

    title: str
    is_synchronous: bool
    behind_s: float = 0.0
    """Time before the end in which the standby receives nothing, as over a network that hangs."""


_WAYS = (
    Replication("synchronous", is_synchronous=True),
    Replication("asynchronous", is_synchronous=False),
    Replication("asynchronous, half a second behind", is_synchronous=False, behind_s=0.5),
)


async def fail_over(home: Path, rounds: int, seed: int, progress: Progress) -> list[Verdict]:
    """Let a standby take over so often for each kind of replication."""
    verdicts = []
    for number, way in enumerate(_WAYS):
        figures = {"rounds": rounds, "acknowledged": 0, "lost": 0, "most lost at once": 0}
        broken = list[str]()
        for one in range(rounds):
            own = home / f"{number}.{one}"
            with run_cluster() as primary:
                crowd, lost, down_s = await _fail_over_once(own, primary, way, seed + one)
            figures["acknowledged"] += crowd.acknowledged
            figures["lost"] += lost
            figures["most lost at once"] = max(lost, figures["most lost at once"])
            key = "longest ms until the first write on the standby"
            figures[key] = max(round(down_s * 1000), figures.get(key, 0))
            broken += crowd.broken
            progress(number * rounds + one + 1, len(_WAYS) * rounds)
        if way.is_synchronous and figures["lost"]:
            broken.append(f"{figures['lost']} acknowledged calls are lost")
        verdicts.append(Verdict(f"failover to a standby, {way.title}", figures, tuple(broken)))
    return verdicts


async def _fail_over_once(
    home: Path, primary: PostgresCluster, way: Replication, seed: int
) -> tuple[Crowd, int, float]:
    """Kill the primary under writers; return what they did, what is lost, and for how long."""
    chance = random.Random(seed)  # noqa: S311  (chance, no secret)
    primary.create_database(DATABASE)
    with _start_standby(primary) as standby:
        if way.is_synchronous:
            primary.set_synchronous(is_synchronous=True)
        async with let_write(home, primary.url(DATABASE, standby), seed) as crowd:
            await crowd.wait_for_writes(chance.randrange(_WRITES_BEFORE, 2 * _WRITES_BEFORE))
            if way.behind_s:
                os.kill(primary.find_process("walsender"), signal.SIGSTOP)
                await anyio.sleep(way.behind_s)
            await anyio.to_thread.run_sync(primary.kill)
            told = crowd.list_told()
            began = time.monotonic()
            await anyio.to_thread.run_sync(standby.promote)
            lost = await anyio.to_thread.run_sync(count_lost, standby, told)
            await crowd.wait_for_writes(1)
            down_s = time.monotonic() - began
            await crowd.wait_for_writes(_WRITES_BEFORE)
        wrong = [*find_wrong(standby, crowd.list_told(), is_final=not lost)]
        crowd.broken += [line for line in wrong if not (lost and "lost" in line)]
    return crowd, lost, down_s


@contextmanager
def _start_standby(primary: PostgresCluster) -> Iterator[PostgresCluster]:
    standby = primary.copy_to_standby(primary.folder.with_name("standby"))
    try:
        yield standby
    finally:
        standby.end()
