"""The parent: starts the clerks together, waits for them, and judges."""

import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import anyio
from anyio.abc import Process
from anyio.streams.text import TextReceiveStream

from bench.contention.proof import problems
from bench.contention.traffic import Load
from bench.contention.verdict import Figures, Verdict, latency, longest_overlap
from bench.contention.worker import Account, account_file, intervals_file

_ROOT = Path(__file__).resolve().parents[2]
_MODULE = "bench.contention"


async def contend(load: Load, home: Path | None = None) -> Verdict:
    """Let the clerks loose on a home, and find out what became of it.

    Args:
        load: how much happens.
        home: where; it must not hold the tenant yet. A temporary one by default.
    """
    with tempfile.TemporaryDirectory(prefix="memoria-contention-") as name:
        folder = Path(name)
        home = home or folder / "home"
        failures = await _let_loose(load, folder, home)
        accounts = _accounts(load, folder)
        told = [problem for account in accounts.values() for problem in account.problems]
        figures = _figures(load, accounts, _notes(load, folder))
        overlap = [f"two processes embedded for {figures.longest_overlap_ms:.1f} ms at once"]
        wrong = [
            *failures,
            *told,
            *(overlap if figures.longest_overlap_ms > 0 else ()),
            *await problems(home, load, accounts),
        ]
    return Verdict(figures, tuple(wrong))


async def _let_loose(load: Load, folder: Path, home: Path) -> list[str]:
    """Run all clerks at once. Gives what they complained of.

    A process says that it is ready when its model is loaded; none begins before all are.
    """
    async with AsyncExitStack() as stack:
        processes = [
            await stack.enter_async_context(await _hire(number, load, folder, home))
            for number in range(load.processes)
        ]
        for process in processes:
            await _until_ready(process)
        for process in processes:
            await _give_the_word(process)
        codes = [await process.wait() for process in processes]
    return [cry for number, code in enumerate(codes) for cry in _cries(folder, number, code)]


def _cries(folder: Path, number: int, code: int) -> Iterator[str]:
    """What a process complained of: also one that went on, as background threads only log."""
    text = _errors_file(folder, number).read_text("utf-8", "replace").strip()
    if code or text:
        yield f"process {number} ended with {code} and said:\n{text}"


async def _hire(number: int, load: Load, folder: Path, home: Path) -> Process:
    with _errors_file(folder, number).open("wb") as errors:
        return await anyio.open_process(
            [
                *(sys.executable, "-m", _MODULE, "--worker", str(number)),
                *("--folder", str(folder), "--home", str(home)),
                *("--processes", str(load.processes), "--clients", str(load.clients)),
                *("--turns", str(load.turns), "--searches", str(load.searches)),
            ],
            cwd=_ROOT,
            stderr=errors,
        )


async def _until_ready(process: Process) -> None:
    """Until the process has said its one word, or died without a word."""
    if process.stdout is not None:
        async for _ in TextReceiveStream(process.stdout):
            return


async def _give_the_word(process: Process) -> None:
    if process.stdin is not None:
        try:
            await process.stdin.send(b"go\n")
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            return  # it is dead; its exit code and stderr say why


def _errors_file(folder: Path, number: int) -> Path:
    return folder / f"process-{number}.stderr"


def _accounts(load: Load, folder: Path) -> dict[int, Account]:
    """The accounts of the clerks that came to an end."""
    files = {clerk: account_file(folder, clerk) for clerk in load.clerks}
    return {
        clerk: Account(**json.loads(file.read_text("utf-8")))
        for clerk, file in files.items()
        if file.exists()
    }


def _notes(load: Load, folder: Path) -> list[tuple[float, float, int]]:
    """(start, end, texts) of every batch of every process."""
    files = (intervals_file(folder, number) for number in range(load.processes))
    rows = (row for file in files if file.exists() for row in file.read_text().splitlines())
    return [(start, end, texts) for start, end, texts in map(json.loads, rows)]


def _figures(
    load: Load, accounts: Mapping[int, Account], notes: Sequence[tuple[float, float, int]]
) -> Figures:
    did = accounts.values()
    captures = [ms for account in did for ms in account.capture_ms]
    searches = [ms for account in did for ms in account.search_ms]
    began = min((account.began for account in did), default=0.0)
    ended = max((account.ended for account in did), default=0.0)
    traffic_s = max(ended - began, sys.float_info.epsilon)
    return Figures(
        traffic_s=traffic_s,
        turns_per_s=len(accounts) * load.turns / traffic_s,
        searches_per_s=len(searches) / traffic_s,
        capture_ms=latency(captures),
        search_ms=latency(searches),
        settle_s=max((account.settled for account in did), default=ended) - ended,
        batches=len(notes),
        embedded=sum(texts for _, _, texts in notes),
        busy=sum(account.busy for account in did),
        longest_overlap_ms=longest_overlap([(start, end) for start, end, _ in notes]) * 1000,
    )
