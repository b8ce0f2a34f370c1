"""Clerks of one process: each records, repeats itself and searches, and keeps account of it."""

import json
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TypeVar

import anyio

import memoria
from bench.contention.traffic import TENANT, Line, Load, lines, searches_after
from memoria import Memoria
from memoria.errors import StoreUnavailableError
from memoria.inference.embedder import BUNDLED, BundledEmbedder
from memoria.model import RecordedTurn, Vector

READY = "ready"
_T = TypeVar("_T")


@dataclass(slots=True)
class Account:
    """What a clerk did, for the parent. Moments are of the monotonic clock, in seconds."""

    ids: list[str] = field(default_factory=list)
    """Of the turns, in the order they were recorded."""
    capture_ms: list[float] = field(default_factory=list)
    search_ms: list[float] = field(default_factory=list)
    busy: int = 0
    """Calls that were told to come again, as the store was busy for too long."""
    problems: list[str] = field(default_factory=list)
    began: float = 0.0
    ended: float = 0.0
    settled: float = 0.0


def account_file(folder: Path, clerk: int) -> Path:
    """Where a clerk leaves its account when it is done."""
    return folder / f"clerk-{clerk}.json"


def intervals_file(folder: Path, process: int) -> Path:
    """Where a process notes when it embedded: a line `[start, end, texts]` each."""
    return folder / f"process-{process}.intervals"


class TimedEmbedder:
    """The bundled embedder, noting the moments between which it embeds documents.

    The monotonic clock counts from the machine's start on Linux, macOS and Windows, so moments of
    different processes can be compared.
    """

    def __init__(self, notes: Path) -> None:
        self._inner = BundledEmbedder(BUNDLED)
        self._notes = notes
        self.name = self._inner.name

    def embed_query(self, text: str) -> Vector:
        """The vector of a question, shape (512,). Any number of processes may do this at once."""
        return self._inner.embed_query(text)

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of documents, each of shape (512,). One process at a time may do this."""
        start = time.monotonic()
        vectors = self._inner.embed_documents(texts)
        with self._notes.open("a") as notes:
            notes.write(json.dumps([start, time.monotonic(), len(texts)]) + "\n")
        return vectors


async def work(process: int, folder: Path, home: Path, load: Load) -> None:
    """Load the model, wait for the word to go on stdin, do everything, leave the accounts.

    The home is opened after the word: that all processes create it at once is part of the test.
    """
    embedder = TimedEmbedder(intervals_file(folder, process))
    sys.stdout.write(f"{READY}\n")
    sys.stdout.flush()
    sys.stdin.readline()
    began = time.monotonic()
    accounts = {clerk: Account(began=began) for clerk in load.list_clerks(process)}
    async with memoria.open(home, TENANT, embedder=embedder) as m:
        async with anyio.create_task_group() as tasks:
            for clerk, account in accounts.items():
                tasks.start_soon(_do_all, m, clerk, load, account)
        await m.wait_until_idle()
        settled = time.monotonic()
    for clerk, account in accounts.items():
        account.settled = settled
        account_file(folder, clerk).write_text(json.dumps(asdict(account)), "utf-8")


async def _do_all(m: Memoria, clerk: int, load: Load, account: Account) -> None:
    for line in lines(clerk, load.turns):
        await _record(m, line, account)
        for search in range(searches_after(line.i, load)):
            await _search(m, line, account, first_level=(line.i + search) % 2 == 0)
    account.ended = time.monotonic()


async def _record(m: Memoria, line: Line, account: Account) -> None:
    first = await _capture(m, line, account)
    if first.status != "recorded" or first.id is None:
        account.problems.append(f"{line.code} was new, but the receipt says {first.status}")
    account.ids.append(first.id or "")
    if line.repeated:
        again = await _capture(m, line, account)
        if again.status != "already_recorded" or again.id not in (None, first.id):
            account.problems.append(f"{line.code} was repeated, but the receipt says {again}")


async def _capture(m: Memoria, line: Line, account: Account) -> RecordedTurn:
    """Record a line; again, as a client does, if the store was busy for too long."""
    while True:
        try:
            receipt = await _timed(account.capture_ms, lambda: m.record_conversation([line.turn]))
        except StoreUnavailableError as error:
            if "ry again" not in str(error):
                raise
            account.busy += 1
        else:
            return receipt.turns[0]


async def _search(m: Memoria, line: Line, account: Account, *, first_level: bool) -> None:
    """Ask for the turn just recorded by its code: it is found at once, vector or no vector."""
    search = m.search_memory if first_level else m.search_conversation_traces
    result = await _timed(account.search_ms, lambda: search(line.code))
    if account.ids[-1] not in {hit.source.turn_id for hit in result.hits}:
        account.problems.append(f"{line.code} was recorded, but {search.__name__} misses it")


async def _timed(took_ms: list[float], call: Callable[[], Awaitable[_T]]) -> _T:
    started = time.perf_counter()
    try:
        return await call()
    finally:
        took_ms.append((time.perf_counter() - started) * 1000)
