"""Capture beside a worker that reads, and capture without one, in turns on the same home.

In a block, one turn after the other is recorded and timed. In every other block a chat model is
configured: the extraction worker runs, what is recorded is queued for it, and before every capture
the queue is filled up, so that its threads always have something in hand: they lease, look for what
is known, ask, apply, link and commit, in this process and on this file. The model answers from a
process of its own. In the blocks between, no model is configured, and no such thread exists.

Everything else is the same: process, home, moment, texts of one distribution, sessions as new, an
embedder that costs nothing and has come to rest before a capture is timed. That what is recorded
has to be queued is part of the cost. What a process does once is not: to learn codes of very many
vectors, and to load what the first entries need.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from time import perf_counter

import anyio

import memoria
from bench.latency.fill import TENANT
from bench.latency.model import chat_model
from bench.latency.rounds import Model, embedding
from bench.latency.speech import Speech, turn_text
from bench.latency.verdict import Latency, latency
from memoria import Memoria, Settings
from memoria.app import DATABASE
from memoria.inference.base import Embedder
from memoria.model import QueueState, Turn, new_id, now_millis
from memoria.store.engine import Store
from memoria.store.sqlite import SqliteStore

Done = Callable[[], None]

READING_BOUND = 1.5
ANSWER_MS = 300
_BLOCK = 25
_WARM_UP = 5
_IN_STOCK = 4
_PAUSE_S = 0.01, 0.05
"""Before a capture, so that it meets the worker at any moment of its work."""
_BATCH, _ATTEMPTS = 100, 5
_POLL_S = 0.005
_TOKENS = 10**9


@dataclass(frozen=True, slots=True)
class Beside:
    """Capture with the worker running beside capture with it off."""

    on: Latency
    off: Latency
    ratio: float
    """Of the medians."""
    bound: float
    captures: int
    """On either side."""
    read: int
    """Turns that were read while those on the one side were timed."""
    answer_ms: int
    """How long the chat model took for an answer."""

    @property
    def within(self) -> bool:
        """Whether capture is fast enough beside the worker."""
        return self.ratio <= self.bound


async def try_reading(
    home: Path, captures: int, said: Speech, bundled: Embedder, answer_ms: int, done: Done
) -> Beside:
    """Find out what a worker that reads costs a capture.

    Args:
        home: a filled one.
        captures: how many are timed on either side, in blocks of 25.
        said: what there is to say.
        bundled: the bundled model.
        answer_ms: how long the chat model takes for an answer.
        done: told of every capture.
    """
    store = SqliteStore(home / DATABASE, busy_timeout_ms=10_000, readers=1)
    with chat_model(answer_ms) as url:
        reading = Reading(home, store, said, bundled, url)
        for size in _blocks(captures):
            await reading.blocks(size, done)
    store.close()
    on, off = latency(reading.on_ms), latency(reading.off_ms)
    return Beside(on, off, on.p50 / off.p50, READING_BOUND, captures, reading.read, answer_ms)


def _blocks(captures: int) -> Iterator[int]:
    for first in range(0, captures, _BLOCK):
        yield min(_BLOCK, captures - first)


class Reading:
    """Blocks of captures, with and without a worker that reads."""

    def __init__(self, home: Path, store: Store, said: Speech, bundled: Embedder, url: str) -> None:
        """Nothing is captured yet.

        Args:
            home: where.
            store: the same home, to see what the workers do.
            said: what there is to say.
            bundled: the bundled model.
            url: of the chat model.
        """
        self._home = home
        self._store = store
        self._said = said
        self._model = Model(bundled)
        self._reads = {"llm_base_url": url, "llm_model": "scripted", "llm_daily_tokens": _TOKENS}
        self._rng = random.Random(4)  # noqa: S311  (nothing here is secret)
        self._numbers = count()
        self._run = new_id()
        self.off_ms: list[float] = []
        self.on_ms: list[float] = []
        self.read = 0
        """Entries that were read meanwhile."""

    async def blocks(self, size: int, done: Done) -> None:
        """A block of either kind, in an order that is drawn."""
        for step in self._rng.sample((self._off, self._on), 2):
            await step(size, done)

    async def _off(self, size: int, done: Done) -> None:
        async with memoria.open(self._home, TENANT, embedder=self._model) as m:
            for i in range(-_WARM_UP, size):
                took_ms = await self._timed(m)
                if i >= 0:
                    self.off_ms.append(took_ms)
                    done()

    async def _on(self, size: int, done: Done) -> None:
        settings = Settings.load(home=self._home, **self._reads)
        async with memoria.open(self._home, TENANT, settings=settings, embedder=self._model) as m:
            await self._warm_up(m)
            before = (await m.queue.status()).done
            for _ in range(size):
                await self._fill_queue(m)
                self.on_ms.append(await self._timed(m))
                done()
            self.read += (await m.queue.status()).done - before

    async def _warm_up(self, m: Memoria) -> None:
        """Until the worker has read something, and what it looks things up by is in memory."""
        enough = (await m.queue.status()).done + _WARM_UP
        while (await m.queue.status()).done < enough or _is_learning(m):
            await self._fill_queue(m)
            await self._timed(m)

    async def _fill_queue(self, m: Memoria) -> None:
        while await _count_due(m) < _IN_STOCK:
            await m.record_conversation([self._turn()], "session_end")

    async def _timed(self, m: Memoria) -> float:
        while not self._embedder_rests():
            await anyio.sleep(_POLL_S)
        await anyio.sleep(self._rng.uniform(*_PAUSE_S))
        turn = self._turn()
        started = perf_counter()
        await m.record_conversation([turn])
        return (perf_counter() - started) * 1000

    def _embedder_rests(self) -> bool:
        """Whether every turn has its vector. Memories come all the time, and wait for a turn."""
        with self._store.read(TENANT) as tx:
            due = tx.backlog.list_due(now_millis(), _BATCH, _ATTEMPTS)
        return not (embedding(self._store) or any(pending.turn for pending in due))

    def _turn(self) -> Turn:
        """A turn in a session of its own, which is read as soon as the session ends."""
        text = turn_text(self._said, self._rng)
        session = f"read-{self._run}-{next(self._numbers)}"
        return Turn(session_id=session, message_id=new_id(), role="user", content=text)


async def _count_due(m: Memoria) -> int:
    """How many entries a worker may take now; what somebody just said rests for some minutes."""
    waiting = await m.queue.list_entries(QueueState.WAITING, limit=500)
    return sum(entry.not_before <= now_millis() for entry in waiting)


def _is_learning(m: Memoria) -> bool:
    """Whether codes of vectors are being learnt."""
    learning: bool = m._store.is_learning  # type: ignore[attr-defined]  # noqa: SLF001
    return learning
