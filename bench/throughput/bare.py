"""The floor: as many tasks, each doing in a thread no more than a search can't do without."""

import os
from pathlib import Path
from threading import Lock, local

import anyio.to_thread
import numpy as np

from bench.latency.floors import Floors, Reader
from bench.throughput.clients import CAPTURE, Account, Script, run_clients
from memoria.inference.embedder import BUNDLED, BundledEmbedder


class _Bare:
    """The bare parts, for threads: each reads by a connection of its own."""

    def __init__(self, floors: Floors, script: Script) -> None:
        self._floors = floors
        self._script = script
        self._embedder = BundledEmbedder(BUNDLED)
        self._writing = Lock()
        self._own = local()
        self._queries = {one: floors.pruned(one) for one in script.questions}

    async def act(self, _client: int, i: int, tool: str) -> None:
        """A call of the floor."""
        await anyio.to_thread.run_sync(self._capture if tool == CAPTURE else self._search, i)

    def _capture(self, i: int) -> None:
        with self._writing:
            self._floors.insert(self._script.turn(i)["content"])

    def _search(self, i: int) -> None:
        question = self._script.question(i)
        vector = self._embedder.embed_query(question)
        self._reader.match(self._queries[question])
        self._floors.scan(vector, np.matmul, turns_only=False)

    @property
    def _reader(self) -> Reader:
        if not hasattr(self._own, "reader"):
            self._own.reader = self._floors.open_reader()
        reader: Reader = self._own.reader
        return reader


async def run_bare(home: Path, script: Script, clients: int, seconds: float) -> Account:
    """What so many clients get of the bare parts."""
    with Floors(home) as floors:
        bare = _Bare(floors, script)
        await bare.act(0, 0, "")
        return await run_clients(bare.act, clients, seconds, [os.getpid()])
