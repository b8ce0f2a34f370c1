"""The disk of the server is full: a clear refusal, nothing lost, and on it goes with room again.

Where the tables have no room left, statements fail one by one. Where the log of changes has none,
the server ends, and can be started again when there is room.
"""

import os
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import anyio.to_thread

import memoria
from bench.faults.disk import Resizer, mount_small_disk
from bench.faults.homes import texts_of
from bench.faults.verdict import Verdict
from bench.faults_postgres.writers import DATABASE, postgres_settings
from bench.postgres import PostgresCluster
from bench.postgres.cluster import choose_user
from memoria import Memoria
from memoria.errors import StoreError

_SIZE_MB, _ROOM_MB = 400, 4
_MOST_CALLS = 2_000
_REFUSALS = 3
_TURNS, _WORDS = 3, 1_500
_SETTINGS = {"tables": {"max_wal_size": "64MB"}, "log": {"max_wal_size": "4GB"}}
"""A log may grow as it will, or its disk would not run full."""
_SESSION = "s"
_DISK = "disk"


ServerPart = Literal["tables", "log"]


@dataclass(slots=True)
class _Filling:
    """A memory whose server's disk is filled, and what it was told."""

    memory: Memoria
    chance: random.Random
    kept: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)

    async def record(self) -> bool:
        """Record turns whose words hardly compress; return True if they are kept."""
        number = len(self.kept) + len(self.refusals)
        texts = [f"{number}.{part}: {self._say()}" for part in range(_TURNS)]
        turns = [{"role": "user", "content": text} for text in texts]
        try:
            await self.memory.record_conversation(turns, session_id=_SESSION)
        except StoreError as error:
            self.refusals.append(str(error))
            return False
        self.kept += texts
        return True

    def _say(self) -> str:
        return " ".join(f"{self.chance.randrange(36**4):x}" for _ in range(_WORDS))


async def fill_disk(home: Path, folder: Path, part: ServerPart) -> Verdict:
    """Record until the disk of a part of the server is full, free some room, and go on."""
    fault = f"PostgreSQL's disk full: that of the {part}"
    with _serve_on_small_disk(folder, part) as served:
        if served is None:
            return Verdict(fault, skipped="a file system can be mounted by root on Linux only")
        cluster, resize = served
        chosen = postgres_settings(home, cluster.create_database(DATABASE), "full")
        async with memoria.open(settings=chosen) as m:
            filling = _Filling(m, random.Random(1))  # noqa: S311  (chance, no secret)
            await filling.record()
            resize(f"{_count_used_mb(folder / _DISK) + _ROOM_MB}m")
            for _ in range(_MOST_CALLS):
                await filling.record()
                if len(filling.refusals) == _REFUSALS:
                    break
            wrong = [] if filling.refusals else ["the room never ran out"]
            wrong += [
                f"the refusal does not say what to do: {said}"
                for said in filling.refusals
                if "ree some space" not in said and "database's server" not in said
            ]
            was_up = cluster.is_ready()
            resize(f"{_SIZE_MB}m")
            if not cluster.is_ready():
                await anyio.to_thread.run_sync(_start_again, cluster)
            if not await filling.record():
                wrong.append(f"refused with room again: {filling.refusals[-1]}")
            stored = await texts_of(m, _SESSION)
        if stored != filling.kept:
            wrong.append(f"{len(stored)} turns are there, {len(filling.kept)} were kept")
    figures = {
        "turns kept": len(filling.kept),
        "calls refused": len(filling.refusals),
        "server stayed up": int(was_up),
    }
    said = [f"refusal: {one}" for one in dict.fromkeys(filling.refusals)]
    return Verdict(fault, {**figures, **dict.fromkeys(said, 1)}, tuple(wrong))


@contextmanager
def _serve_on_small_disk(
    folder: Path, part: ServerPart
) -> Iterator[tuple[PostgresCluster, Resizer] | None]:
    """Run a server of which a part lies on a small disk; None where there can be none."""
    disk = folder / _DISK
    with mount_small_disk(disk, f"{_SIZE_MB}m") as resize:
        if resize is None:
            yield None
            return
        choose_user(folder)
        choose_user(disk)
        cluster = PostgresCluster(folder / "server", _SETTINGS[part])
        places = {"tables": folder, "log": folder, part: disk}
        cluster.data = places["tables"] / "data"
        cluster.create("--wal-segsize=1", "--waldir", str(places["log"] / "wal"))
        try:
            yield cluster, resize
        finally:
            cluster.end()


def _start_again(cluster: PostgresCluster) -> None:
    """Start a server that has ended, or that still tries to recover."""
    cluster.end()
    (cluster.data / "postmaster.pid").unlink(missing_ok=True)
    cluster.start()


def _count_used_mb(folder: Path) -> int:
    state = os.statvfs(folder)
    return (state.f_blocks - state.f_bfree) * state.f_frsize >> 20
