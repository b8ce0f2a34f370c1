"""A client beside a night, and without one, in turns on the same home and in one run.

The client records and searches in blocks. Beside every other block a night runs in a process of its
own; it is stopped as with Ctrl-C when the block is over and goes on in the next but one, and where
it has come to its end a new one begins, with as much to do. Calls count for the night only while it
was running from before they began until after they were done.
"""

import random
import signal
from collections import defaultdict
from collections.abc import Callable
from contextlib import closing
from itertools import count
from pathlib import Path
from time import perf_counter

import anyio

import memoria
import memoria.app.nightly as nights
from bench.faults.verdict import Verdict
from bench.latency.fill import TENANT
from bench.latency.fill import fill as fill_turns
from bench.latency.rounds import Model
from bench.latency.speech import Speech, turn_text
from bench.metrics import percentile
from bench.night.homes import Way, add_memories, settings, store_of
from bench.night.process import Child, night
from memoria import Memoria
from memoria.inference.embedder import BUNDLED, BundledEmbedder
from memoria.lifecycle.runner import MOST_ROWS
from memoria.model import new_id, now_millis

BOUND = 2.0
_BLOCK = 15
_WARM_UP = 10
_SESSIONS = 7
_LEASE_MS = 5000
_MOST_BLOCKS_A_BLOCK = 5
"""A night that is over at once would never fill a block."""


def contend(
    home: Path, turns: int, due: int, calls: int, said: Speech, seed: int, done: Callable[[], None]
) -> Verdict:
    """Find out what a night costs a client.

    Args:
        home: where; it is filled if there is none.
        turns: of a new home.
        due: how much a night has to do, in memories.
        calls: how many captures and searches are timed on either side.
        said: what there is to say and to ask.
        seed: of everything that is left to chance.
        done: told of every capture beside a night.
    """
    if not home.exists():
        fill_turns(home, turns, said, lambda _: None)
    client = _Client(home, said, seed, due)
    earlier = _runs(home)
    anyio.run(client.work, calls, done)
    changed = (rows for run, rows in _runs(home).items() if rows > earlier.get(run, 0))
    rows = max(changed, default=0)
    figures: dict[str, int | float] = {"turns": turns, "nights": client.nights, "most rows": rows}
    broken = [f"a transaction changed {rows} rows"] if rows > MOST_ROWS else []
    for call in sorted(client.beside):
        quiet, beside = (percentile(95, took[call]) for took in (client.quiet, client.beside))
        figures[f"{call}, calls beside a night"] = len(client.beside[call])
        figures[f"{call} p95 quiet, ms"] = quiet
        figures[f"{call} p95 beside a night, ms"] = beside
        figures[f"{call} p95, times quiet"] = beside / quiet
        if beside > BOUND * quiet:
            broken.append(f"{call}: p95 is {beside / quiet:.2f} times that without a night")
    return Verdict("a client beside a night", figures, tuple(broken))


def _runs(home: Path) -> dict[str, int]:
    """The latest nights, and the rows of their largest transactions so far."""
    return {run.id: run.most_rows for run in nights.list_runs(settings(home), 1000)}


class _Client:
    """Records and searches, and times it."""

    def __init__(self, home: Path, said: Speech, seed: int, due: int) -> None:
        self._home = home
        self._said = said
        self._chance = random.Random(seed)  # noqa: S311  (chance, no secret)
        self._due = due
        self._numbers = count()
        self.quiet: dict[str, list[float]] = defaultdict(list)
        self.beside: dict[str, list[float]] = defaultdict(list)
        self.nights = 0

    async def work(self, calls: int, done: Callable[[], None]) -> None:
        """Time so many calls of every kind on either side."""
        model = Model(BundledEmbedder(BUNDLED))
        async with memoria.open(self._home, TENANT, embedder=model) as m:
            for _ in range(_WARM_UP):
                await self._round(m, defaultdict(list))
            for _ in range(_MOST_BLOCKS_A_BLOCK * calls // _BLOCK + 1):
                if len(self.beside["record_conversation"]) >= calls:
                    return
                await self._beside_a_night(m, done)
                while len(self.quiet["record_conversation"]) < len(
                    self.beside["record_conversation"]
                ):
                    await self._round(m, self.quiet)

    async def _beside_a_night(self, m: Memoria, done: Callable[[], None]) -> None:
        self._leave_something_to_do()
        with night(self._home, now_millis(), _LEASE_MS, Way()) as child:
            await anyio.to_thread.run_sync(child.wait_until_ready)
            next(child.lines(), None)
            for _ in range(_BLOCK):
                took: dict[str, list[float]] = defaultdict(list)
                await self._round(m, took)
                if child.process.poll() is not None:
                    break
                for call, times in took.items():
                    self.beside[call] += times
                done()
            _stop(child)
        self.nights += 1

    def _leave_something_to_do(self) -> None:
        at = now_millis()
        with closing(store_of(self._home)) as store, store.read(TENANT) as tx:
            left = len(tx.retention.list_expired(at, 0, self._due))
        add_memories(self._home, self._due - left, 1.0, self._said, at, next(self._numbers))

    async def _round(self, m: Memoria, took: dict[str, list[float]]) -> None:
        """A capture and both searches."""
        turn = {"role": "user", "content": turn_text(self._said, self._chance)}
        turn |= {"message_id": new_id(), "session_id": f"live-{next(self._numbers) % _SESSIONS}"}
        question = self._chance.choice(self._said.questions)
        for name, call in (
            ("record_conversation", lambda: m.record_conversation([turn])),
            ("search_memory", lambda: m.search_memory(question)),
            ("search_conversation_traces", lambda: m.search_conversation_traces(question)),
        ):
            began = perf_counter()
            await call()
            took[name].append((perf_counter() - began) * 1000)


def _stop(child: Child) -> None:
    """As Ctrl-C does: what it has done is kept, and the next goes on."""
    if child.process.poll() is None:
        child.process.send_signal(signal.SIGINT)
    child.process.communicate()
