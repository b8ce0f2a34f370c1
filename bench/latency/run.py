"""One size: time the product and its floors in a filled home."""

from collections.abc import Callable
from pathlib import Path

import anyio

import memoria
from bench.latency.fill import TENANT
from bench.latency.floors import Floors
from bench.latency.resident import footprint
from bench.latency.rounds import Clock, Model, Rounds
from bench.latency.speech import Speech
from bench.latency.verdict import Verdict, verdict
from memoria.app import DATABASE
from memoria.inference.base import Embedder
from memoria.store.sqlite import SqliteStore

_WARM_UP = 20
_POLL_S = 0.1
_CHUNK = 1 << 24


async def try_home(
    home: Path, turns: int, rounds: int, said: Speech, bundled: Embedder, done: Callable[[], None]
) -> Verdict:
    """Find out how long things take in a filled home.

    Args:
        home: where.
        turns: how many turns it was filled with.
        rounds: how often each call and each floor is timed.
        said: what there is to say and to ask.
        bundled: the bundled model.
        done: told of every round of captures, then of searches.
    """
    store = SqliteStore(home / DATABASE, busy_timeout_ms=10_000, readers=1)
    model, clock = Model(bundled), Clock()
    async with memoria.open(home, TENANT, embedder=model) as m:
        each = Rounds(m, store, model, said)
        await each.warm_up(_WARM_UP)
        while m._store.is_learning:  # type: ignore[attr-defined]  # noqa: SLF001
            await anyio.sleep(_POLL_S)
        await each.warm_up(_WARM_UP)
        memory = footprint(m._store.vector_bytes)  # noqa: SLF001  (no face needs it)
        with Floors(home) as floors:
            _read_through(home / DATABASE)
            for step in (each.capture, each.search):
                for _ in range(rounds):
                    await step(clock, floors)
                    done()
    store.close()
    return verdict(turns, rounds, clock.took_ms, memory)


def _read_through(file: Path) -> None:
    """Let no search wait for the disk: copying the texts may have pushed the file out of memory."""
    with file.open("rb") as stream:
        while stream.read(_CHUNK):
            pass
