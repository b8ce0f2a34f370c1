"""One run: the same questions to the product's codes and to its exact matrix, in one home."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np
from numpy.typing import NDArray
from tests.store.insides import index_of

from bench.latency.verdict import latency
from bench.metrics import mean, recall_at
from memoria.app import DATABASE
from memoria.inference.embedder import BUNDLED
from memoria.model import Vector
from memoria.retrieval.sources.vectors import DEPTH
from memoria.store.image.visibility import Visibility
from memoria.store.sqlite import SqliteStore
from memoria.store.sqlite.driver import connect
from memoria.store.vectors import VectorCache, VectorIndex, VectorQuery

DEPTHS = (10, 50, DEPTH)
"""The last is what a search asks for."""
_BUSY_MS = 10_000
_PAGE = 1000
_SEED = 4
_MIB = 1 << 20
_WHERE = VectorQuery(1, 1, "turn", (Visibility("turn", 1).token,))


@dataclass(frozen=True, slots=True)
class Way:
    """What a way to search takes: milliseconds and memory."""

    p50: float
    p95: float
    mib: float


@dataclass(frozen=True, slots=True)
class Found:
    """What a run came to."""

    texts: int
    questions: int
    recall: dict[int, float]
    """Of codes against an exact search, by depth."""
    codes: Way
    matrix: Way


def compare(rows: NDArray[np.float32], questions: int) -> Found:
    """Ask both ways the same: vectors of texts that are not among those searched.

    Args:
        rows: real vectors.
        questions: how many of them are asked, drawn once and for all.
    """
    asked = np.random.default_rng(_SEED).choice(len(rows), questions, replace=False)
    with TemporaryDirectory(prefix="memoria-vectors-") as folder:
        _fill(Path(folder), np.delete(rows, asked, axis=0))
        open_home = partial(connect, Path(folder) / DATABASE, _BUSY_MS, read_only=True)
        connection = open_home()
        codes = VectorCache(many=1, connect=open_home)
        matrix = VectorCache()
        found, took = _ask(VectorIndex(connection, None, codes), rows[asked])
        exact, took_exactly = _ask(VectorIndex(connection, None, matrix), rows[asked])
        recall = {
            k: mean(
                [
                    recall_at(k, one, frozenset(best[:k]))
                    for one, best in zip(found, exact, strict=True)
                ]
            )
            for k in DEPTHS
        }
        result = Found(
            len(rows) - questions, questions, recall, _way(took, codes), _way(took_exactly, matrix)
        )
        connection.close()
        codes.clear()
    return result


def _fill(home: Path, rows: NDArray[np.float32]) -> None:
    store = SqliteStore(home / DATABASE, busy_timeout_ms=_BUSY_MS, readers=1)
    for first in range(0, len(rows), _PAGE):
        page = rows[first : first + _PAGE]
        with store.write("bench") as tx:
            ns = [index_of(tx).add("turn", None, "", "") for _ in page]
            tx.backlog.add_vectors(BUNDLED, dict(zip(ns, page, strict=True)))
    store.close()


def _ask(way: VectorIndex, questions: NDArray[np.float32]) -> tuple[list[list[int]], list[float]]:
    """The nearest of every question, and the milliseconds each took once all is loaded."""

    def search(vector: Vector) -> list[int]:
        return [match.n for match in way.nearest(_WHERE, vector, DEPTHS[-1])]

    search(questions[0])
    found, took = [], []
    for question in questions:
        started = perf_counter()
        found.append(search(question))
        took.append((perf_counter() - started) * 1000)
    return found, took


def _way(took: list[float], held: VectorCache) -> Way:
    each = latency(took)
    return Way(each.p50, each.p95, held.nbytes / _MIB)
