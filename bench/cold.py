"""What a cold start costs: CPU and time of commands and of a server's first search.

Everything takes turns with a Python that does nothing, and with an older checkout if wanted, so
that a busy moment of the machine strikes all of them; the first round fills the caches and is not
counted. Ratios are to the bare Python of the same run. A search counts as one with vectors if it
finds a memory that shares no word with the question.

    python -m bench.cold
    python -m bench.cold --busy 2                          # with two cores kept busy
    python -m bench.cold --beside ../an-older-checkout     # in turns with it
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from shutil import rmtree
from statistics import median

from rich.console import Console

from bench.checkouts import THIS, busy_cores, memoria_command
from bench.output import rounded, table
from bench.stdio import LEGACY, Question, ask

_BARE = "bare python"
_WIDE = 120
_SAID, _ASKED, _FOUND = "Alice likes green tea", "what does she drink", "green tea"
_FILL = (
    "import sys; sys.path.insert(0, sys.argv[1])\n"
    "import anyio, memoria\n"
    "async def main():\n"
    "    async with memoria.open() as m:\n"
    "        await m.remember(sys.argv[2])\n"
    "        await m.wait_until_idle()\n"
    "anyio.run(main)"
)
_COMMANDS = {
    "--help": ("--help",),
    "--version": ("--version",),
    "stats": ("stats",),
    "remember": ("remember", "Bob plays the cello"),
    "search": ("search", _ASKED, "--json"),
}
_FIRST = "search, the first on a machine"
_SERVER = "server's first search"
_TEXT_ALONE = f"{_SERVER}, no vectors"


@dataclass(frozen=True, slots=True)
class Start:
    """One start: what it took until the process had ended, or until a server had answered."""

    cpu_ms: float
    wall_ms: float
    has_vectors: bool


@dataclass(frozen=True, slots=True)
class Figure:
    """Medians of the starts of one kind."""

    checkout: str
    what: str
    cpu_ms: float
    wall_ms: float
    cpu_ratio: float
    wall_ratio: float
    with_vectors: int
    runs: int


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print. The exit code is 0."""
    arguments = _parser().parse_args(argv)
    checkouts = {"this one": THIS}
    if arguments.beside:
        checkouts["older"] = arguments.beside.resolve()
    with busy_cores(arguments.busy):
        figures = list(_measure(checkouts, arguments.runs))
    _print(arguments, figures)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.cold")
    parser.add_argument("--runs", type=int, default=10, help="starts of each kind")
    parser.add_argument("--busy", type=int, default=0, help="processes that keep a core busy")
    parser.add_argument("--beside", type=Path, help="an older checkout, in turns with this one")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    return parser


def _measure(checkouts: Mapping[str, Path], runs: int) -> Iterator[Figure]:
    starts: dict[tuple[str, str], list[Start]] = {}
    with tempfile.TemporaryDirectory(prefix="memoria-cold-") as folder:
        for name, checkout in checkouts.items():
            fill = [sys.executable, "-c", _FILL, str(checkout / "server"), _SAID]
            _run(fill, _environment(Path(folder) / name))
        for _ in range(1 + runs):
            starts.setdefault(("", _BARE), []).append(
                _run([sys.executable, "-c", "pass"], os.environ)
            )
            for name, checkout in checkouts.items():
                for what, start in _kinds(checkout, Path(folder) / name):
                    starts.setdefault((name, what), []).append(start())
    bare = starts["", _BARE]
    for (name, what), each in starts.items():
        yield _figure(name, what, each[1:], bare[1:])


def _environment(folder: Path) -> dict[str, str]:
    """Of a user who has nothing but this folder."""
    own = {"HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache")}
    return {**os.environ, **own, "MEMORIA_HOME": str(folder / "home"), "MEMORIA_WORKSPACE": "none"}


def _kinds(checkout: Path, folder: Path) -> Iterator[tuple[str, Callable[[], Start]]]:
    environment = _environment(folder)
    for what, arguments in _COMMANDS.items():
        yield what, partial(_run, memoria_command(checkout, *arguments), environment)
    first = folder / "first"
    rmtree(first, ignore_errors=True)
    search = memoria_command(checkout, *_COMMANDS["search"])
    yield _FIRST, partial(_run, search, {**environment, "XDG_CACHE_HOME": str(first)})
    serve = memoria_command(checkout, "serve")
    yield _SERVER, partial(_ask, serve, environment)
    yield _TEXT_ALONE, partial(_ask, serve, {**environment, "MEMORIA_EMBEDDER": "off"})


def _run(command: Sequence[str], environment: Mapping[str, str]) -> Start:
    cpu, wall = _children_s(), time.perf_counter()
    ended = subprocess.run(  # noqa: S603  (ourselves)
        command, env=environment, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    )
    took = time.perf_counter() - wall
    return Start((_children_s() - cpu) * 1000, took * 1000, _FOUND in ended.stdout.decode())


def _ask(command: Sequence[str], environment: Mapping[str, str]) -> Start:
    search = {"name": "search_memory", "arguments": {"query": _ASKED}}
    questions = (Question(LEGACY.opening, LEGACY.params), Question("tools/call", search))
    cpu = _children_s()
    answer = ask(command, environment, LEGACY, questions)[-1]
    found = _FOUND in json.dumps(answer.result)
    return Start((_children_s() - cpu) * 1000, answer.took_ms, found)


def _children_s() -> float:
    """CPU of all processes that were started and have ended, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _figure(name: str, what: str, each: Sequence[Start], bare: Sequence[Start]) -> Figure:
    cpu_ms, wall_ms = median(one.cpu_ms for one in each), median(one.wall_ms for one in each)
    return Figure(
        name,
        what,
        cpu_ms,
        wall_ms,
        cpu_ms / median(one.cpu_ms for one in bare),
        wall_ms / median(one.wall_ms for one in bare),
        sum(one.has_vectors for one in each),
        len(each),
    )


def _print(arguments: argparse.Namespace, figures: Sequence[Figure]) -> None:
    if arguments.json:
        document = {
            "benchmark": "bench.cold",
            "busy": arguments.busy,
            "figures": [asdict(figure) for figure in figures],
        }
        print(json.dumps(rounded(document), indent=2))
        return
    headings = "checkout start cpu_ms wall_ms cpu_ratio wall_ratio vectors".split()
    filled = table(f"Cold starts, {arguments.runs} runs, medians", 2, *headings)
    for one in figures:
        ratios = (f"{one.cpu_ratio:.1f}", f"{one.wall_ratio:.1f}")
        vectors = f"{one.with_vectors} of {one.runs}" if "search" in one.what else ""
        filled.add_row(
            one.checkout, one.what, f"{one.cpu_ms:.0f}", f"{one.wall_ms:.0f}", *ratios, vectors
        )
    Console(width=_WIDE).print(filled)


if __name__ == "__main__":
    sys.exit(main())
