"""The server is killed while transactions that have written something are open, again and again."""

import os
import random
import signal
import time
from functools import partial
from pathlib import Path

import anyio.to_thread

from bench.faults.verdict import Progress, Verdict
from bench.faults_postgres.writers import DATABASE, Crowd, find_wrong, let_write
from bench.postgres import PostgresCluster, run_cluster

_MOST_WRITES_BEFORE = 6
_WITHIN_S = 30.0
_OPEN = "SELECT pid FROM pg_stat_activity WHERE datname = %s AND backend_xid IS NOT NULL"
_WAYS = ("stopped immediately", "killed with all its processes", "one of its processes killed")


async def kill_server(home: Path, rounds: int, seed: int, progress: Progress) -> Verdict:
    """Kill a server so often while three writers write, and compare with what they were told."""
    chance = random.Random(seed)  # noqa: S311  (chance, no secret)
    with run_cluster() as cluster:
        async with let_write(home, cluster.create_database(DATABASE), seed) as crowd:
            for number in range(rounds):
                await crowd.wait_for_writes(chance.randrange(1, _MOST_WRITES_BEFORE))
                way = chance.choice(_WAYS)
                opened, down_s = await anyio.to_thread.run_sync(_kill_once, cluster, way)
                crowd.seen[way] += 1
                crowd.seen["transactions open when it was killed"] += opened
                crowd.seen["ms until it answered again, in all"] += round(down_s * 1000)
                crowd.broken += await _look(cluster, crowd, f"round {number}, {way}")
                progress(number + 1, rounds)
        crowd.broken += [*find_wrong(cluster, crowd.list_told(), is_final=True)]
    figures = {"rounds": rounds, "acknowledged": crowd.acknowledged, **dict(crowd.seen)}
    return Verdict("PostgreSQL killed inside of transactions", figures, tuple(crowd.broken))


async def _look(cluster: PostgresCluster, crowd: Crowd, when: str) -> list[str]:
    """Compare the server that has just come up with what was acknowledged until now."""
    looking = partial(find_wrong, cluster, crowd.list_told(), is_final=False)
    found = await anyio.to_thread.run_sync(lambda: [*looking()])
    return [f"{when}: {line}" for line in found]


def _kill_once(cluster: PostgresCluster, way: str) -> tuple[int, float]:
    """Kill the server in a way once somebody is inside of a transaction; start it again.

    Returns the number of transactions that were open, and how long nobody could connect.
    """
    pids = _wait_for_transactions(cluster)
    began = time.monotonic()
    if way == _WAYS[0]:
        cluster.stop("immediate")
        cluster.start()
    elif way == _WAYS[1]:
        cluster.kill()
        cluster.start()
    else:
        _kill_process(cluster, pids[0])
    return len(pids), time.monotonic() - began


def _wait_for_transactions(cluster: PostgresCluster) -> list[int]:
    deadline = time.monotonic() + _WITHIN_S
    with cluster.connect() as connection:
        while time.monotonic() < deadline:
            pids = [int(str(pid)) for (pid,) in connection.execute(_OPEN, (DATABASE,))]
            if pids:
                return pids
    raise RuntimeError("nobody writes")


def _kill_process(cluster: PostgresCluster, pid: int) -> None:
    """Kill one process, upon which the server ends all others and recovers."""
    before = {*cluster.list_children()}
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    deadline = time.monotonic() + _WITHIN_S
    while before & {*cluster.list_children()} or not cluster.is_ready():
        if time.monotonic() > deadline:
            raise RuntimeError("the server does not recover")
        time.sleep(0.01)
