"""Rounds: a call of the product and its floors, in an order that is drawn anew each time."""

import random
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from time import perf_counter

import anyio
import anyio.to_thread
import numpy as np

from bench.latency.fill import TENANT, random_vectors
from bench.latency.floors import Floors
from bench.latency.speech import Speech, turn_text
from memoria import Memoria
from memoria.inference.base import Embedder
from memoria.model import Vector, new_id, now_millis
from memoria.store.engine import Store

_Step = Callable[[], Awaitable[None]]
PRODUCTS = {"by product": np.matmul, "by row": np.vecdot}
"""The ways to multiply a matrix by a vector; which is faster depends on machine and moment."""
_SESSIONS = 7
_POLL_S = 0.005
_LEASE = "embedding"


class Model:
    """The bundled model for questions; what is recorded gets a vector out of thin air."""

    def __init__(self, bundled: Embedder) -> None:
        self.name = bundled.name
        self._bundled = bundled
        self._rng = np.random.default_rng(2)

    def embed_query(self, text: str) -> Vector:
        """The real vector of a question."""
        return self._bundled.embed_query(text)

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """Vectors in any direction."""
        return random_vectors(self._rng, len(texts))


class Clock:
    """How long things took, in milliseconds, by name."""

    def __init__(self) -> None:
        self.took_ms: dict[str, list[float]] = defaultdict(list)

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        """Time the block."""
        started = perf_counter()
        yield
        self.took_ms[name].append((perf_counter() - started) * 1000)


class Rounds:
    """Captures and searches with their floors, one after the other."""

    def __init__(self, memory: Memoria, store: Store, model: Model, said: Speech) -> None:
        """Nothing happens yet.

        Args:
            memory: what is timed.
            store: the same home, to see when the embedding worker is done.
            model: what `memory` embeds with.
            said: what there is to say and to ask.
        """
        self._memory = memory
        self._store = store
        self._model = model
        self._said = said
        self._rng = random.Random(3)  # noqa: S311  (nothing here is secret)
        self._numbers = count()

    async def warm_up(self, rounds: int) -> None:
        """Let the product load what it loads once."""
        for _ in range(rounds):
            await self._capture(Clock(), turn_text(self._said, self._rng))
            question = self._rng.choice(self._said.questions)
            await self._search_memory(Clock(), question)
            await self._search_traces(Clock(), question)

    async def capture(self, clock: Clock, floors: Floors) -> None:
        """A capture and its floor."""
        text = turn_text(self._said, self._rng)
        for step in self._drawn(
            lambda: self._capture(clock, text),
            lambda: self._insert(clock, floors, text),
            lambda: self._insert_alone(clock, floors, text),
        ):
            await step()

    async def search(self, clock: Clock, floors: Floors) -> None:
        """Both searches and their floors, after something new was said."""
        await self._capture(Clock(), turn_text(self._said, self._rng))
        question = self._rng.choice(self._said.questions)
        for step in self._drawn(
            lambda: self._search_memory(clock, question),
            lambda: self._search_traces(clock, question),
            lambda: self._parts(clock, floors, question),
        ):
            await step()

    def _drawn(self, *steps: _Step) -> list[_Step]:
        """The steps in any order: whoever goes first finds the caches cold."""
        return self._rng.sample(steps, len(steps))

    async def _capture(self, clock: Clock, text: str) -> None:
        turn = {
            "session_id": f"live-{next(self._numbers) % _SESSIONS}",
            "message_id": new_id(),
            "role": "user",
            "content": text,
        }
        with clock("record_conversation"):
            await self._memory.record_conversation([turn])
        await self._quiet()

    async def _insert(self, clock: Clock, floors: Floors, text: str) -> None:
        with clock("insert"):
            await anyio.to_thread.run_sync(floors.insert, text)

    async def _insert_alone(self, clock: Clock, floors: Floors, text: str) -> None:
        with clock("insert alone"):
            floors.insert(text)

    async def _search_memory(self, clock: Clock, question: str) -> None:
        with clock("search_memory"):
            await self._memory.search_memory(question)

    async def _search_traces(self, clock: Clock, question: str) -> None:
        with clock("search_conversation_traces"):
            await self._memory.search_conversation_traces(question)

    async def _parts(self, clock: Clock, floors: Floors, question: str) -> None:
        query = floors.pruned(question)
        with clock("embed"):
            vector = self._model.embed_query(question)
        with clock("match"):
            floors.match(query)
        for way, multiply in PRODUCTS.items():
            with clock(f"scan {way}"):
                floors.scan(vector, multiply, turns_only=False)
            with clock(f"scan turns {way}"):
                floors.scan(vector, multiply, turns_only=True)

    async def _quiet(self) -> None:
        """Wait until the turn is embedded and the worker rests: it shall disturb nobody."""
        await self._memory.wait_until_idle()
        while embedding(self._store):
            await anyio.sleep(_POLL_S)


def embedding(store: Store) -> bool:
    """Whether an embedding worker is at work in this home."""
    with store.read(TENANT) as tx:
        return tx.leases.owner(_LEASE, now_millis()) is not None
