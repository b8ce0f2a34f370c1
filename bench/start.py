"""How soon a client is answered after it started Memoria, beside a Python that does nothing.

Each round starts a bare Python, then the server in both generations of the protocol, so that a busy
moment of the machine strikes all of them; the first round fills the caches and is not counted. What
is asked: who the server is, its tools, and a first search.

    python -m bench.start
    python -m bench.start --busy 2                          # with two cores kept busy
    python -m bench.start --beside ../an-older-checkout     # in turns with it
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median, quantiles

from rich.console import Console

from bench.checkouts import THIS, busy_cores, memoria_command
from bench.output import rounded, table
from bench.stdio import LEGACY, MODERN, Era, Question, ask

_ERAS = (LEGACY, MODERN)
_BARE = (sys.executable, "-c", "pass")
_SEARCH = {"name": "search_memory", "arguments": {"query": "heron"}}
_MOST_MS = 150.0
"""Later than a bare Python by this, at the 95th percentile, is too late."""
_P95 = 94


@dataclass(frozen=True, slots=True)
class Figure:
    """How long one answer took from before the process was made, in milliseconds."""

    checkout: str
    era: str
    question: str
    p50_ms: float
    p95_ms: float
    bare_p50_ms: float
    bare_p95_ms: float

    @property
    def ratio(self) -> float:
        """Of the medians: the answer to a bare start."""
        return self.p50_ms / self.bare_p50_ms


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print.

    Returns:
        The exit code: 0, or 1 where this checkout answers later than it should.
    """
    arguments = _parser().parse_args(argv)
    checkouts = {"this one": THIS}
    if arguments.beside:
        checkouts["older"] = arguments.beside
    with busy_cores(arguments.busy):
        figures = list(_measure(checkouts, arguments.runs))
    _print(arguments, figures)
    return 1 if any(map(_is_late, figures)) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.start")
    parser.add_argument("--runs", type=int, default=20, help="starts of each server and era")
    parser.add_argument("--busy", type=int, default=0, help="processes that keep a core busy")
    parser.add_argument("--beside", type=Path, help="an older checkout, in turns with this one")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    return parser


def _measure(checkouts: dict[str, Path], runs: int) -> Iterator[Figure]:
    bare: list[float] = []
    took: dict[tuple[str, str, str], list[float]] = {}
    with tempfile.TemporaryDirectory(prefix="memoria-start-") as folder:
        for _ in range(1 + runs):
            bare.append(_time_bare())
            for name, checkout in checkouts.items():
                environment = {**os.environ, "MEMORIA_HOME": f"{folder}/{name}"}
                for era in _ERAS:
                    command = memoria_command(checkout, "--workspace", "none", "serve")
                    for reply in ask(command, environment, era, _questions(era)):
                        key = (name, era.name, reply.method)
                        took.setdefault(key, []).append(reply.took_ms)
    for (name, era_name, method), each in took.items():
        yield Figure(name, era_name, method, *_summary(each[1:]), *_summary(bare[1:]))


def _time_bare() -> float:
    began = time.perf_counter()
    subprocess.run(_BARE, check=True, stdin=subprocess.DEVNULL)  # noqa: S603
    return (time.perf_counter() - began) * 1000


def _questions(era: Era) -> tuple[Question, ...]:
    return (
        Question(era.opening, era.params),
        Question("tools/list", {}),
        Question("tools/call", _SEARCH),
    )


def _summary(each: Sequence[float]) -> tuple[float, float]:
    p95 = quantiles(each, n=100, method="inclusive")[_P95] if len(each) > 1 else each[0]
    return median(each), p95


def _is_late(figure: Figure) -> bool:
    is_early_answer = figure.checkout == "this one" and figure.question != "tools/call"
    return is_early_answer and figure.p95_ms > figure.bare_p95_ms + _MOST_MS


def _print(arguments: argparse.Namespace, figures: Sequence[Figure]) -> None:
    if arguments.json:
        document = {
            "benchmark": "bench.start",
            "runs": arguments.runs,
            "busy": arguments.busy,
            "figures": [{**asdict(figure), "ratio": figure.ratio} for figure in figures],
        }
        print(json.dumps(rounded(document), indent=2))
        return
    headings = "checkout protocol answer p50_ms p95_ms bare_p50 bare_p95 ratio".split()
    filled = table(f"Process start to answer, {arguments.runs} runs", 3, *headings)
    for one in figures:
        times = (one.p50_ms, one.p95_ms, one.bare_p50_ms, one.bare_p95_ms)
        cells = [f"{took_ms:.0f}" for took_ms in times]
        filled.add_row(one.checkout, one.era, one.question, *cells, f"{one.ratio:.1f}")
    Console().print(filled)
    for one in filter(_is_late, figures):
        print(f"LATE: {one.question} ({one.era}), more than {_MOST_MS:.0f} ms after a bare start")


if __name__ == "__main__":
    sys.exit(main())
