"""Searches of small tenants, beside a large one that works and beside one that rests."""

import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
import anyio.to_thread

import memoria
from bench.latency.fill import fill_store
from bench.latency.rounds import Model
from bench.latency.speech import Speech
from bench.metrics import percentile
from bench.postgres import TOMBSTONE_KEY, PostgresCluster
from memoria import Memoria, Settings
from memoria.admin.migrate import move_memory
from memoria.app.engine import choose_engine
from memoria.inference.base import Embedder

LARGE = "large"
MOST_RATIO = 1.5
"""How much longer nineteen of twenty searches of small tenants may take for a large one's sake."""
SEARCHES = ("search_memory", "search_conversation_traces")
_MS = 1000
_ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Population:
    """How many tenants of which size there are, and what they do."""

    small: int = 1_000
    small_turns: int = 100
    large_turns: int = 100_000
    clients: int = 2
    """Processes that search and write as the large tenant."""
    asked: int = 40
    """Small tenants that search, one after another."""
    rounds: int = 6
    """Times that each does so beside the resting large tenant, and beside the busy one."""


@dataclass(frozen=True, slots=True)
class NeighboursVerdict:
    """How long searches of small tenants took, in milliseconds."""

    searches: int
    resting_p50: float
    resting_p95: float
    busy_p50: float
    busy_p95: float
    spinning_p50: float
    """Beside as many processes that only take the processor, and ask the server for nothing."""
    spinning_p95: float
    large_calls_per_s: float
    """Calls of the large tenant meanwhile."""
    fill_s: float

    @property
    def ratio(self) -> float:
        """Ratio of the 95th percentiles beside a busy large tenant and beside as much other work.

        Its clients run on the machine of the small tenants' here, and take the processor from
        them, as any program would: that is none of the database's doing.
        """
        return self.busy_p95 / self.spinning_p95


def settings_of(home: Path, tenant: str, url: str | None) -> Settings:
    """Return the settings of a tenant of a home, or of a database."""
    key = TOMBSTONE_KEY if url else None
    return Settings.from_values(
        home=home, tenant=tenant, database_url=url, tombstone_key=key, database_connections=2
    )


async def try_neighbours(
    folder: Path, population: Population, said: Speech, bundled: Embedder, cluster: PostgresCluster
) -> NeighboursVerdict:
    """Fill a database with all tenants, and time the searches of some small ones.

    Args:
        folder: of homes; new.
        population: how many tenants of which size there are.
        said: what there is to say and to ask.
        bundled: the bundled model.
        cluster: a server of PostgreSQL.
    """
    url, began = cluster.create_database("neighbours"), time.monotonic()
    await anyio.to_thread.run_sync(_fill, folder, population, said, url)
    cluster.execute("VACUUM ANALYZE", "neighbours")
    fill_s = time.monotonic() - began
    rng = random.Random(4)  # noqa: S311  (nothing here is secret)
    numbers = rng.sample(range(population.small), population.asked)
    took: dict[str, list[float]] = {"resting": [], "busy": [], "spinning": []}
    calls, busy_s = 0, 0.0
    async with AsyncExitStack() as stack:
        opened = [
            await stack.enter_async_context(
                memoria.open(
                    settings=settings_of(folder / "elsewhere", _name(number), url),
                    embedder=Model(bundled),
                )
            )
            for number in numbers
        ]
        await _search_all(opened, said, rng)
        for _ in range(population.rounds):
            state = rng.getstate()
            for when in rng.sample(list(took), len(took)):
                rng.setstate(state)  # the same questions
                with _run_clients(when, folder, population.clients, url) as processes:
                    since = time.monotonic()
                    took[when] += await _search_all(opened, said, rng)
                    busy_s += (time.monotonic() - since) if when == "busy" else 0.0
                calls += sum(int(one.stdout.read()) for one in processes if one.stdout)
    p50, p95 = ({when: percentile(q, took[when]) for when in took} for q in (50, 95))
    return NeighboursVerdict(
        searches=len(took["busy"]),
        resting_p50=p50["resting"],
        resting_p95=p95["resting"],
        busy_p50=p50["busy"],
        busy_p95=p95["busy"],
        spinning_p50=p50["spinning"],
        spinning_p95=p95["spinning"],
        large_calls_per_s=calls / busy_s,
        fill_s=fill_s,
    )


def _name(number: int) -> str:
    return f"small {number}"


def _fill(folder: Path, population: Population, said: Speech, url: str) -> None:
    """Fill a home by SQLite, which is quick, and move a copy of it to the server."""
    here, there = settings_of(folder / "home", LARGE, None), settings_of(folder, LARGE, url)
    source, target = (choose_engine(one).open(one) for one in (here, there))
    for number in range(population.small):
        fill_store(source, population.small_turns, said, _ignore, _name(number))
    fill_store(source, population.large_turns, said, _ignore, LARGE)
    move_memory(source, target, _ignore)
    source.close()
    target.close()


def _ignore(*_done: int) -> None:
    """Nobody looks at the progress."""


async def _search_all(opened: Sequence[Memoria], said: Speech, rng: random.Random) -> list[float]:
    """Have each tenant search at both levels; return how long each search took."""
    took = []
    for m in opened:
        for name in SEARCHES:
            question = rng.choice(said.questions)
            began = time.perf_counter()
            await getattr(m, name)(question)
            took.append((time.perf_counter() - began) * _MS)
    return took


@contextmanager
def _run_clients(
    when: str, folder: Path, count: int, url: str
) -> Iterator[list[subprocess.Popen[str]]]:
    """Run processes of the large tenant beside the block, or as many that only spin, or none.

    Those of the large tenant print the number of their calls when they are told to end.
    """
    if when == "resting":
        yield []
        return
    commands = {
        "busy": ["-m", "bench.neighbours.client", str(folder / "elsewhere"), url],
        "spinning": ["-c", "print('ready', flush=True)\nwhile True: pass"],
    }
    started = [
        subprocess.Popen(  # noqa: S603  (our own module)
            [sys.executable, *commands[when]], cwd=_ROOT, stdout=subprocess.PIPE, text=True
        )
        for _ in range(count)
    ]
    try:
        for process in started:
            if process.stdout is not None:
                process.stdout.readline()
        yield started if when == "busy" else []
    finally:
        for process in started:
            process.send_signal(signal.SIGTERM)
        for process in started:
            process.wait()
