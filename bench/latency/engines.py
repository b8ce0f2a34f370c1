"""PostgreSQL beside SQLite: the same rows in both, the same calls in turns.

There are no floors here. Each call's time stands beside SQLite's in the same minute, with what it
took of the processor: of Memoria's process, and of the server's processes.
"""

import random
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import anyio

import memoria
from bench.latency.fill import TENANT, fill_store
from bench.latency.rounds import Model, embedding
from bench.latency.speech import Speech, turn_text
from bench.metrics import percentile
from bench.postgres import TOMBSTONE_KEY, PostgresCluster
from bench.throughput.clients import count_cpu_s
from memoria import Memoria, Settings
from memoria.admin.migrate import move_memory
from memoria.app.engine import choose_engine
from memoria.inference.base import Embedder
from memoria.model import new_id
from memoria.store.engine import Store

CALLS = ("record_conversation", "search_memory", "search_conversation_traces")
_BLOCK = 10
"""Calls of one kind that are made of one engine before it is the other's turn."""
_WARM_UP = 20
_POLL_S = 0.1
_MS = 1000


@dataclass(frozen=True, slots=True)
class EngineCall:
    """What a call takes on an engine, in milliseconds."""

    p50: float
    p95: float
    most: float
    cpu: float
    """Of Memoria's own process."""
    server_cpu: float
    """Of the server's processes; 0 of SQLite, which has none."""


@dataclass(frozen=True, slots=True)
class EngineVerdict:
    """A size on an engine."""

    engine: str
    turns: int
    fill_s: float
    """Of SQLite; of PostgreSQL, how long it took to copy that there, compare it and index it."""
    calls: Mapping[str, EngineCall]
    bytes_a_turn: float
    """Of the database, for each turn with its share of memories and all indexes and vectors."""
    bytes_of: Mapping[str, float]
    """The same by kind, and by the largest tables with their indexes; of PostgreSQL alone."""


@dataclass(slots=True)
class _Side:
    """A filled memory on an engine, and how long its calls took."""

    engine: str
    memory: Memoria
    store: Store
    server: PostgresCluster | None
    took_ms: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    cpu_s: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    server_cpu_s: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    @contextmanager
    def count_cpu(self, call: str) -> Iterator[None]:
        """Count what a block takes of the processor."""
        pids = [] if self.server is None else [self.server.pid]
        own, others = time.process_time(), count_cpu_s(pids)
        yield
        self.cpu_s[call] += time.process_time() - own
        self.server_cpu_s[call] += count_cpu_s(pids) - others

    def judge(self, turns: int, fill_s: float, sizes: Mapping[str, float]) -> EngineVerdict:
        """Put the figures together; the sizes are in bytes."""
        calls = {
            call: EngineCall(
                percentile(50, took),
                percentile(95, took),
                max(took),
                self.cpu_s[call] * _MS / len(took),
                self.server_cpu_s[call] * _MS / len(took),
            )
            for call, took in self.took_ms.items()
        }
        each = {name: size / turns for name, size in sizes.items()}
        return EngineVerdict(self.engine, turns, fill_s, calls, each.pop("all"), each)


async def compare_engines(
    folder: Path, turns: int, rounds: int, said: Speech, bundled: Embedder, cluster: PostgresCluster
) -> list[EngineVerdict]:
    """Fill a home, move a copy of it to the server, and make the same calls of both in turns.

    Args:
        folder: of the homes.
        turns: number of turns that each is filled with.
        rounds: number of calls of each kind.
        said: what there is to say and to ask.
        bundled: the bundled model.
        cluster: a server of PostgreSQL.
    """
    chosen = {
        "sqlite": _settings(folder / "sqlite", None),
        "postgres": _settings(folder / "postgres", cluster.create_database(f"turns_{turns}")),
    }
    stores = {engine: choose_engine(one).open(one) for engine, one in chosen.items()}
    began = time.monotonic()
    fill_store(stores["sqlite"], turns, said, _ignore)
    filled = time.monotonic()
    move_memory(stores["sqlite"], stores["postgres"], _ignore)
    fill_s = {"sqlite": filled - began, "postgres": time.monotonic() - filled}
    cluster.execute("VACUUM ANALYZE", f"turns_{turns}")
    sizes = {
        "sqlite": _measure_files(folder / "sqlite"),
        "postgres": _measure_tables(cluster, f"turns_{turns}"),
    }
    opened = {
        engine: memoria.open(settings=one, embedder=Model(bundled))
        for engine, one in chosen.items()
    }
    async with opened["sqlite"] as first, opened["postgres"] as second:
        sides = [
            _Side("sqlite", first, stores["sqlite"], None),
            _Side("postgres", second, stores["postgres"], cluster),
        ]
        await _take_turns(sides, rounds, said)
    for store in stores.values():
        store.close()
    return [side.judge(turns, fill_s[side.engine], sizes[side.engine]) for side in sides]


def _settings(home: Path, url: str | None) -> Settings:
    return Settings.from_values(
        home=home, tenant=TENANT, database_url=url, tombstone_key=TOMBSTONE_KEY if url else None
    )


def _ignore(*_done: int) -> None:
    """Nobody looks at the progress."""


async def _take_turns(sides: list[_Side], rounds: int, said: Speech) -> None:
    rng = random.Random(3)  # noqa: S311  (nothing here is secret)
    for side in sides:
        await _call_often(side, _WARM_UP, said, rng)
        while side.memory._store.is_learning:  # type: ignore[attr-defined]  # noqa: SLF001
            await anyio.sleep(_POLL_S)
        await _call_often(side, _WARM_UP, said, rng)
        for counted in (side.took_ms, side.cpu_s, side.server_cpu_s):
            counted.clear()
    for _ in range(rounds // _BLOCK):
        state = rng.getstate()
        for side in rng.sample(sides, len(sides)):
            rng.setstate(state)  # the same words for both
            await _call_often(side, _BLOCK, said, rng)


async def _call_often(side: _Side, count: int, said: Speech, rng: random.Random) -> None:
    """Make so many calls of each kind, one kind after the other."""
    turns = [
        {"session_id": f"live-{i % 7}", "message_id": new_id(), "role": "user"}
        | {"content": turn_text(said, rng)}
        for i in range(count)
    ]
    questions = [rng.choice(said.questions) for _ in range(count)]
    with side.count_cpu(CALLS[0]):
        for turn in turns:
            await _time(side, CALLS[0], partial(side.memory.record_conversation, [turn]))
    await side.memory.wait_until_idle()
    while embedding(side.store):
        await anyio.sleep(_POLL_S)
    for name in CALLS[1:]:
        search = getattr(side.memory, name)
        with side.count_cpu(name):
            for question in questions:
                await _time(side, name, partial(search, question))


async def _time(side: _Side, name: str, call: Callable[[], Awaitable[object]]) -> None:
    began = time.perf_counter()
    await call()
    side.took_ms[name].append((time.perf_counter() - began) * _MS)


def _measure_files(home: Path) -> dict[str, float]:
    return {"all": sum(one.stat().st_size for one in home.glob("memoria.db*"))}


_SIZES = """
SELECT coalesce(parent.relname, c.relname),
       sum(pg_table_size(c.oid)), sum(pg_indexes_size(c.oid))
FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace AND s.nspname = 'public'
LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
LEFT JOIN pg_class parent ON parent.oid = i.inhparent
WHERE c.relkind = 'r'
GROUP BY 1 ORDER BY sum(pg_total_relation_size(c.oid)) DESC
"""
_LARGEST = 8


def _measure_tables(cluster: PostgresCluster, database: str) -> dict[str, float]:
    """Measure tables with their texts out of line, and their indexes; partitions count together."""
    rows = [(str(name), _number(t), _number(i)) for name, t, i in cluster.execute(_SIZES, database)]
    largest = {name: table + index for name, table, index in rows[:_LARGEST]}
    tables, indexes = sum(table for _, table, _ in rows), sum(index for _, _, index in rows)
    return {"all": tables + indexes, "tables": tables, "indexes": indexes, **largest}


def _number(value: object) -> float:
    return float(str(value))
