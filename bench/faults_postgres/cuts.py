"""Connections are cut in the middle of statements and of COMMIT: the caller learns the truth."""

import random
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import anyio.to_thread

import memoria
from bench.faults.verdict import Progress, Verdict
from bench.faults_postgres.writers import (
    DATABASE,
    TURNS_A_CALL,
    find_wrong,
    postgres_settings,
    turns_of,
)
from bench.postgres import Cut, CuttingProxy, PostgresCluster, run_cluster
from memoria import Memoria
from memoria.errors import StoreError

_MOST_STATEMENTS_BEFORE = 25
_IN_STATEMENTS = (Cut.STATEMENT, Cut.ANSWER)
_TURNS = "SELECT 1 FROM turns WHERE message_id LIKE %s"
_STATEMENTS = "SELECT 1 FROM memory_versions WHERE content = %s"


@dataclass(slots=True)
class CutOff:
    """A memory behind a proxy, and what its caller was told."""

    memory: Memoria
    cluster: PostgresCluster
    proxy: CuttingProxy
    chance: random.Random
    calls: list[str] = field(default_factory=list)
    statements: list[str] = field(default_factory=list)
    seen: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)

    async def write(self, cut: Cut, call: str) -> None:
        """Write until the cut was made under it, and compare what is kept with what was told."""
        statement = f"The cellar {call} is opened with a key"
        is_statement = self.chance.random() < 1 / 2
        is_told = await self._call(cut, call, statement if is_statement else None)
        is_kept = await anyio.to_thread.run_sync(self._is_kept, call, statement)
        outcome = ", ".join(
            ("acknowledged" if is_told else "refused", "kept" if is_kept else "not kept")
        )
        self.seen[f"{cut}: {outcome}"] += 1
        if is_told != is_kept:
            self.broken.append(f"{call}: {outcome}")
        if is_told and is_statement:
            self.statements.append(statement)
        elif is_told:
            self.calls.append(call)

    async def _call(self, cut: Cut, call: str, statement: str | None) -> bool:
        """Write with a cut armed, again if it was not reached; return True if acknowledged."""
        before = self.proxy.cuts
        while self.proxy.cuts == before:
            is_inside = cut in _IN_STATEMENTS
            self.proxy.arm(cut, self.chance.randrange(_MOST_STATEMENTS_BEFORE) if is_inside else 0)
            try:
                if statement:
                    await self.memory.remember(statement)
                else:
                    await self.memory.record_conversation(turns_of(call), session_id="cut off")
            except StoreError:
                return False
            finally:
                self.proxy.disarm()
        return True

    def _is_kept(self, call: str, statement: str) -> bool:
        with self.cluster.connect(DATABASE) as connection:
            turns = connection.execute(_TURNS, (f"{call}.%",)).fetchall()
            memories = connection.execute(_STATEMENTS, (statement,)).fetchall()
        return (len(turns), len(memories)) in ((TURNS_A_CALL, 0), (0, 1))


async def cut_connections(home: Path, rounds: int, seed: int, progress: Progress) -> Verdict:
    """Cut a connection at each kind of moment, so many times, under calls that write."""
    with run_cluster() as cluster, tempfile.TemporaryDirectory(prefix="px-") as name:
        cluster.create_database(DATABASE)
        url = cluster.url(DATABASE, folder=Path(name))
        with CuttingProxy(cluster.folder, Path(name)) as proxy:
            async with memoria.open(settings=postgres_settings(home, url, "cut off")) as m:
                chance = random.Random(seed)  # noqa: S311  (chance, no secret)
                run = CutOff(m, cluster, proxy, chance)
                for number in range(rounds):
                    for cut in Cut:
                        await run.write(cut, f"{cut.name.lower()}{number}")
                    progress(number + 1, rounds)
        told = run.calls, run.statements
        run.broken += find_wrong(cluster, told, is_final=True)
        run.seen["connections cut"] = proxy.cuts
    if proxy.cuts < rounds * len(Cut):
        run.broken.append(f"only {proxy.cuts} connections were cut")
    return Verdict("PostgreSQL's connection cut", dict(run.seen), tuple(run.broken))
