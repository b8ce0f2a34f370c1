"""One, eight, sixteen, thirty-two writers on one home: how fast, how evenly, and is all there?"""

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import anyio

import memoria
from bench.contention.writer import COMMON_SESSION, TENANT, Deeds
from bench.faults.homes import texts_of
from bench.metrics import percentile
from memoria import Memoria, Settings

_ROOT = Path(__file__).resolve().parents[2]
_WRITER = Path(__file__).with_name("writer.py")
_EVEN = 10
"""The slowest twentieth may take so many times as long as the middle."""


@dataclass(frozen=True, slots=True)
class WritersVerdict:
    """What so many writers came to."""

    writers: int
    seconds: float
    calls: int
    calls_per_s: float
    p50_ms: float
    p95_ms: float
    p99_ms: float
    max_ms: float
    cpu_ms: float
    """Of the processor for each call: on a busy machine the one figure that others don't move."""
    errors: tuple[str, ...]
    lost: tuple[str, ...]
    doubled: tuple[str, ...]

    @property
    def tail(self) -> float:
        """How many times as long as the middle the slowest twentieth takes."""
        return self.p95_ms / self.p50_ms

    @property
    def broken(self) -> tuple[str, ...]:
        """Which promises were not kept."""
        uneven = (f"p95 is {self.tail:.1f} times p50",) if self.tail > _EVEN else ()
        return (*self.errors, *self.lost, *self.doubled, *uneven)


async def run_writers(writers: int, seconds: float, checkout: Path | None = None) -> WritersVerdict:
    """Have so many processes write to a new home at once.

    Args:
        writers: how many.
        seconds: how long.
        checkout: whose `memoria` they run; this one by default.
    """
    with tempfile.TemporaryDirectory(prefix="memoria-writers-") as name:
        folder = Path(name)
        home = folder / "home"
        failures = await anyio.to_thread.run_sync(
            _let_write, writers, seconds, folder, home, checkout
        )
        files = (_account(folder, number) for number in range(writers))
        did = [Deeds(**json.loads(file.read_text("utf-8"))) for file in files if file.exists()]
        lost, doubled = await _compare(home, writers, did)
    took = [ms for deeds in did for ms in deeds.took_ms] or [0.0]
    began = min((deeds.began for deeds in did), default=0.0)
    ended = max((deeds.ended for deeds in did), default=0.0)
    p50, p95, p99 = (percentile(q, took) for q in (50, 95, 99))
    return WritersVerdict(
        writers=writers,
        seconds=seconds,
        calls=len(took),
        calls_per_s=len(took) / max(ended - began, sys.float_info.epsilon),
        p50_ms=p50,
        p95_ms=p95,
        p99_ms=p99,
        max_ms=max(took),
        cpu_ms=sum(deeds.cpu_s for deeds in did) * 1000 / len(took),
        errors=(*failures, *(error for deeds in did for error in deeds.errors)),
        lost=tuple(lost),
        doubled=tuple(doubled),
    )


def _let_write(
    writers: int, seconds: float, folder: Path, home: Path, checkout: Path | None
) -> list[str]:
    """Start all, let them begin together, wait for the last. Gives what they complained of."""
    environment = dict(os.environ)
    if checkout is not None:
        environment["PYTHONPATH"] = str(checkout / "server")
    with ExitStack() as stack:
        started = [
            stack.enter_context(
                subprocess.Popen(  # noqa: S603  (our own script)
                    [
                        *(sys.executable, str(_WRITER), str(number), str(home), str(seconds)),
                        str(_account(folder, number)),
                    ],
                    cwd=checkout or _ROOT,
                    env=environment,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                )
            )
            for number in range(writers)
        ]
        for process in started:
            if process.stdout is not None:
                process.stdout.readline()
        for process in started:
            if process.stdin is not None:
                process.stdin.write("go\n")
                process.stdin.flush()
        said = [process.communicate()[1].strip() for process in started]
    return [
        f"writer {number} ended with {process.returncode}: {words}"
        for number, (process, words) in enumerate(zip(started, said, strict=True))
        if process.returncode or words
    ]


def _account(folder: Path, number: int) -> Path:
    return folder / f"writer-{number}.json"


async def _compare(home: Path, writers: int, did: Sequence[Deeds]) -> tuple[list[str], list[str]]:
    """What was acknowledged and is not there, and what is there more than once."""
    turns = Counter(text for deeds in did for text in deeds.turns.values())
    memories = {i: text for deeds in did for i, text in deeds.memories.items()}
    settings = Settings.load(home=home, tenant=TENANT, embedder="off")
    async with memoria.open(settings=settings) as m:
        names = [COMMON_SESSION, *(f"writer-{number}" for number in range(writers))]
        stored = Counter([text for name in names for text in await texts_of(m, name)])
        wordings = {i: (await m.get_memory(i)).content for i in memories}
        lost = [text for text in turns if text not in stored]
        lost += [text for i, text in memories.items() if wordings[i] != text]
        return lost, [*_list_doubled(stored), *await _count(m, turns, memories)]


def _list_doubled(stored: Counter[str]) -> Iterator[str]:
    yield from (f"{text!r} is there {n} times" for text, n in stored.items() if n > 1)


async def _count(m: Memoria, turns: Counter[str], memories: dict[str, str]) -> list[str]:
    counted = await m.statistics()
    wrong = []
    if counted.turns != turns.total():
        wrong.append(f"{counted.turns} turns are stored, {turns.total()} were acknowledged")
    if sum(counted.memories.values()) != len(memories):
        wrong.append(f"{counted.memories} are stored, {len(memories)} memories were acknowledged")
    return wrong
