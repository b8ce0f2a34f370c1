"""How fast a large graph is walked: steps from a node, PageRank beside a floor, and whole searches.

    python -m bench.graph              # 100,000 nodes and a million edges
    python -m bench.graph --small      # a hundredth of that, to see that it runs

The graph is of 60 % memories and 40 % entities. Memories name entities, a few of which are in very
many, up to the product's own cap, and are alike in pairs. Memories and vectors are written through
the store, entities and edges in bulk. All is drawn with one seed.

The floor of PageRank is the same iteration over arrays that are in memory already, with no store.
"""

import argparse
import json
import random
import resource
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

import anyio
import numpy as np
from numpy.typing import NDArray

import memoria
from bench.latency.fill import random_vectors
from bench.metrics import percentile
from bench.output import Sheet, report_console
from memoria import Memoria
from memoria.app import DATABASE
from memoria.graph.algorithms import DAMPING, find_neighbourhood, personalised_pagerank
from memoria.graph.edges import EDGE_RULES
from memoria.inference.embedder import BUNDLED
from memoria.language.reading.statement import fingerprint
from memoria.model import EdgeType, MemoryType, Provenance, SourceKind, Trust, new_id
from memoria.store.engine import Store
from memoria.store.sql.edge_codes import TYPE_CODES
from memoria.store.sqlite import SqliteStore
from memoria.store.values import Filters, NewMemory, NewVersion

_TENANT = "bench"
_SEED = 117
_PAGE = 1000
_AT = 1_700_000_000_000
_HOPS = (1, 2, 3)
_LIMIT = 500
"""Most nodes of a neighbourhood, the product's own default."""
_ROUNDS = 12
_SEEN = Filters()
_SYLLABLES = [one + other for one in "bdfgklmnprstvz" for other in "aeiou"]
_PROVENANCE = Provenance(source_kind=SourceKind.USER_SAID, trust=Trust.REPORTED, channel="library")
Pairs = NDArray[np.int64]
"""Edges, a row each: the node that it leaves, and the node that it reaches."""


@dataclass(frozen=True, slots=True)
class Took:
    """What some work took, in milliseconds, and how much it found at most."""

    work: str
    p50: float
    p95: float
    most: int


def build_name(number: int) -> str:
    """Return a word that names an entity, another for each number."""
    word = ""
    for _ in range(4):
        number, place = divmod(number, len(_SYLLABLES))
        word += _SYLLABLES[place]
    return word.title()


def draw_edges(memories: int, entities: int, edges: int) -> tuple[Pairs, Pairs]:
    """Draw which entities each memory names, and which memories are alike, by their places."""
    rng = np.random.default_rng(_SEED)
    weights = 1 / (1 + np.arange(entities)) ** 0.8
    named = _draw_pairs(
        rng,
        memories,
        edges * 4 // 5,
        lambda many: rng.choice(entities, many, p=weights / weights.sum()),
    )
    order = np.argsort(named[:, 1], kind="stable")
    places = np.arange(len(named)) - np.searchsorted(named[order, 1], named[order, 1])
    named = named[order][places < EDGE_RULES[EdgeType.MENTIONS].cap]
    left = edges - len(named)
    alike = _draw_pairs(rng, memories, 3 * left, lambda many: rng.integers(0, memories, many))
    return named, alike[alike[:, 0] < alike[:, 1]][:left]


def _draw_pairs(
    rng: np.random.Generator, memories: int, many: int, ends: Callable[[int], NDArray[np.int64]]
) -> Pairs:
    drawn = np.stack([rng.integers(0, memories, 2 * many), ends(2 * many)], axis=1)
    return rng.permutation(np.unique(drawn, axis=0))[:many]


def fill(home: Path, memories: int, entities: int, edges: int) -> int:
    """Write a home with a graph of so many nodes and edges; return how many edges there are."""
    named, alike = draw_edges(memories, entities, edges)
    first = {place: int(entity) for place, entity in named[::-1].tolist()}
    store = SqliteStore(home / DATABASE, busy_timeout_ms=10_000, readers=1)
    texts = [f"{build_name(first.get(place, 0))} has job {place}" for place in range(memories)]
    _write_memories(store, texts)
    store.close()
    with closing(sqlite3.connect(home / DATABASE)) as connection:
        _write_graph(connection, entities, named, alike)
    return len(named) + len(alike)


def _write_memories(store: Store, texts: Sequence[str]) -> None:
    rng = np.random.default_rng(_SEED)
    with store.backlog(write=True) as backlog:
        backlog.choose_model(BUNDLED)
    last = 0
    for start in range(0, len(texts), _PAGE):
        with store.write(_TENANT) as tx:
            for text in texts[start : start + _PAGE]:
                version = NewVersion(
                    content=text,
                    fingerprint=fingerprint(text),
                    valid_from=_AT,
                    ingested_at=_AT,
                    provenance=_PROVENANCE,
                    turn_n=None,
                )
                tx.memories.add(NewMemory(new_id(), MemoryType.FACT, 0.5, 0.6), version)
            ns = tx.documents.page("memory", last, _PAGE)
            last = ns[-1]
            vectors = random_vectors(rng, len(ns))
            tx.backlog.add_vectors(BUNDLED, dict(zip(ns, vectors, strict=True)))


def _write_graph(connection: sqlite3.Connection, entities: int, named: Pairs, alike: Pairs) -> None:
    """Write entities, their names and all edges, without events that nobody waits for."""
    (tenant,) = connection.execute("SELECT id FROM tenants WHERE name = ?", [_TENANT]).fetchone()
    memories = [n for (n,) in connection.execute("SELECT n FROM memories ORDER BY n")]
    told = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE "
                              "'%_tell_that_%'").fetchall()  # fmt: skip
    for (name,) in told:
        connection.execute(f"DROP TRIGGER {name}")
    _insert(connection, "nodes (n, tenant_id, memory_n)",
            ((at + 1, tenant, n) for at, n in enumerate(memories)))  # fmt: skip
    nodes = [len(memories) + 1 + place for place in range(entities)]
    keys = [build_name(place) for place in range(entities)]
    _insert(connection, "nodes (n, tenant_id)", ((n, tenant) for n in nodes))
    _insert(connection, "entities (n, id, tenant_id, kind)",
            ((n, new_id(), tenant, "other") for n in nodes))  # fmt: skip
    _insert(connection, "entity_names (n, tenant_id, entity_n, key, qualifier, name)",
            ((n, tenant, n, key.lower(), "", key)
             for n, key in zip(nodes, keys, strict=True)))  # fmt: skip
    _insert(connection, "name_uses (name_n, node_n)",
            ((nodes[entity], at + 1) for at, entity in named.tolist()))  # fmt: skip
    for kind, pairs, offset in (
        (EdgeType.MENTIONS, named, len(memories)),
        (EdgeType.SIMILAR_TO, alike, 0),
    ):
        code = TYPE_CODES[kind]
        rows = ((tenant, one + 1, code, other + 1 + offset) for one, other in pairs.tolist())
        _insert(
            connection,
            "edges (tenant_id, src_n, code, dst_n, weight, confidence, negated, modality, by_model,"
            " created_at, power)",
            ((*row, 7000, 7000, 0, 0, 1, _AT, 0) for row in rows),
        )
    connection.commit()
    connection.execute("ANALYZE")


def _insert(connection: sqlite3.Connection, into: str, rows: Iterable[tuple[object, ...]]) -> None:
    marks = ", ".join("?" * (into.count(",") + 1))
    connection.executemany(f"INSERT INTO {into} VALUES ({marks})", rows)  # noqa: S608


def _time(work: str, calls: Iterable[Callable[[], int]]) -> Took:
    took, most = [], 0
    for call in calls:
        started = time.perf_counter()
        most = max(most, call())
        took.append((time.perf_counter() - started) * 1000)
    return Took(work, percentile(50, took), percentile(95, took), most)


async def measure(home: Path, memories: int, entities: int, times: int) -> list[Took]:
    """Measure steps, PageRank and searches in a filled home."""
    rng = random.Random(_SEED)  # noqa: S311  (nothing here is secret)
    async with memoria.open(home, _TENANT) as m:
        await m.search_memory("Who has job 7?")
        seeds = [rng.randrange(1, memories + entities + 1) for _ in range(times)]
        found = [_time(f"{hops} steps", _steps(m, seeds, hops)) for hops in _HOPS]
        found += _rank(home)
        names = [build_name(rng.randrange(entities)) for _ in range(times)]
        took = []
        for name in names:
            started = time.perf_counter()
            await m.search_memory(f"Which job has {name}?")
            took.append((time.perf_counter() - started) * 1000)
        return [*found, Took("a whole search", percentile(50, took), percentile(95, took), times)]


def _steps(m: Memoria, seeds: Sequence[int], hops: int) -> Iterable[Callable[[], int]]:
    def walk(seed: int) -> int:
        with m._store.read(_TENANT) as tx:  # noqa: SLF001  (no face walks from any node)
            reached = find_neighbourhood(
                [seed],
                hops,
                lambda ns, met, room: tx.graph.neighbours(ns, _SEEN, met, room),
                _LIMIT,
            )
        return len(reached.distances)

    return (lambda seed=seed: walk(seed) for seed in seeds)  # type: ignore[misc]


def _rank(home: Path) -> list[Took]:
    """Time PageRank of the whole graph from one seed, by the product and by the floor."""
    with closing(sqlite3.connect(home / DATABASE)) as connection:
        pairs = np.array(connection.execute("SELECT src_n, dst_n FROM edges").fetchall())
    both = np.concatenate([pairs, pairs[:, ::-1]])
    adjacency: dict[int, dict[int, float]] = {}
    for one, other in both.tolist():
        adjacency.setdefault(one, {})[other] = 1.0
    degrees = np.bincount(both[:, 0], minlength=both.max() + 1)
    ranks: dict[str, NDArray[np.float64]] = {}

    def rank_by_product() -> int:
        told = personalised_pagerank(adjacency, {1: 1.0}, rounds=_ROUNDS, tolerance=0.0)
        ranks["product"] = np.array([told.get(n, 0.0) for n in range(len(degrees))])
        return len(told)

    def rank_by_floor() -> int:
        home_rank = np.zeros(len(degrees))
        home_rank[1] = 1.0
        rank = home_rank
        for _ in range(_ROUNDS):
            moved = np.bincount(
                both[:, 1], (rank / np.maximum(degrees, 1))[both[:, 0]], len(degrees)
            )
            rank = DAMPING * moved + (1 - DAMPING * rank[degrees > 0].sum()) * home_rank
        ranks["floor"] = rank
        return int((degrees > 0).sum())

    found = [
        _time("PageRank, whole graph", [rank_by_product]),
        _time("floor of PageRank", [rank_by_floor]),
    ]
    if not np.allclose(ranks["product"], ranks["floor"], atol=1e-9):
        raise AssertionError("the floor ranks otherwise than the product")
    return found


def main() -> int:
    """Fill a home, measure, and print a table."""
    options = argparse.ArgumentParser(prog="python -m bench.graph")
    options.add_argument("--small", action="store_true", help="a hundredth of the graph")
    options.add_argument("--times", type=int, default=200, help="how often each is asked")
    options.add_argument("--json", action="store_true", help="one JSON document on stdout")
    arguments = options.parse_args()
    part = 100 if arguments.small else 1
    memories, entities, edges = 60_000 // part, 40_000 // part, 1_000_000 // part
    with tempfile.TemporaryDirectory(prefix="memoria-graph-") as folder:
        home = Path(folder)
        edges = fill(home, memories, entities, edges)
        found = anyio.run(measure, home, memories, entities, arguments.times)
        size = sum(one.stat().st_size for one in home.rglob("*") if one.is_file()) >> 20
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    sheet = Sheet(
        f"{memories + entities} nodes, {edges} edges; MiB: {size} on disk, {peak} of memory",
        ("work", "p50 ms", "p95 ms", "most"),
        [(one.work, one.p50, one.p95, one.most) for one in found],
    )
    if arguments.json:
        print(json.dumps({"mib": size, "peak_mib": peak, "took": [asdict(one) for one in found]}))
    else:
        report_console().print(sheet.to_table())
    return 0


if __name__ == "__main__":
    sys.exit(main())
