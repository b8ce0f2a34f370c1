"""The command line of the contention benchmark."""

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path

import anyio
from rich.console import Console

from bench.contention.run import contend
from bench.contention.series import WritersVerdict, run_writers
from bench.contention.traffic import Load
from bench.contention.verdict import Figures, Latency, Verdict
from bench.contention.worker import work
from bench.output import rounded, table
from bench.postgres import ENGINES, EngineName, use_engine

_USUAL = Load()
_WRITERS = (1, 8, 16, 32)
_SECONDS = 20.0
_SHOWN = 20
_WIDE = 120
_COLUMNS = "checkout writers calls/s p50 p95 p99 max p95/p50 cpu/call errors lost doubled".split()
"""Of times, in milliseconds."""


def _main() -> int:
    arguments = _parser().parse_args()
    load = Load(arguments.processes, arguments.turns, arguments.searches, arguments.clients)
    if arguments.worker is not None:
        anyio.run(partial(work, arguments.worker, arguments.folder, arguments.home, load))
        return 0
    engines = ENGINES if arguments.engine == "postgres" else ENGINES[:1]
    codes = [_run(load, arguments, engine) for engine in engines]
    return max(codes)


def _run(load: Load, arguments: argparse.Namespace, engine: EngineName) -> int:
    """Run on an engine and print; return the exit code."""
    if not arguments.mixed:
        return _print_series(arguments, engine)
    with use_engine(engine):
        verdict = anyio.run(contend, load)
    _print(load, verdict, engine, as_json=arguments.json)
    return 1 if verdict.problems else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.contention")
    parser.add_argument(
        "--writers", type=int, nargs="+", default=_WRITERS, help="how many write at once"
    )
    parser.add_argument("--seconds", type=float, default=_SECONDS, help="for which so many write")
    parser.add_argument("--rounds", type=int, default=1, help="of each number of writers")
    parser.add_argument("--beside", type=Path, help="an older checkout, in turns with this one")
    parser.add_argument(
        "--mixed", action="store_true", help="turns, searches and vectors instead of writers alone"
    )
    parser.add_argument(
        "--engine", choices=ENGINES, default="sqlite", help="postgres: SQLite first, then it"
    )
    parser.add_argument("--clients", type=int, default=_USUAL.clients, help="of each process")
    parser.add_argument("--processes", type=int, default=_USUAL.processes)
    parser.add_argument("--turns", type=int, default=_USUAL.turns, help="of each client")
    parser.add_argument("--searches", type=int, default=_USUAL.searches, help="of each client")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--home", type=Path, help=argparse.SUPPRESS)
    return parser


def _print_series(arguments: argparse.Namespace, engine: EngineName) -> int:
    """So many writers, then more; beside an older checkout, each number in turns with it."""
    checkouts = [*([arguments.beside] if arguments.beside else []), None]
    shown = table(f"Writers on one home, {engine}", 1, *_COLUMNS)
    documents, broken = [], []
    for writers in arguments.writers:
        for _ in range(arguments.rounds):
            for checkout in checkouts:
                with use_engine(engine):  # an empty database for each run
                    verdict = anyio.run(run_writers, writers, arguments.seconds, checkout)
                documents.append({"checkout": str(checkout or "."), **asdict(verdict)})
                shown.add_row(*_cells(verdict, "older" if checkout else "this one"))
                if checkout is None:
                    broken += [f"{writers} writers: {line}" for line in verdict.broken]
                if not arguments.json:
                    print(
                        " ".join(_cells(verdict, "older" if checkout else "this one")), flush=True
                    )
    if arguments.json:
        series = [rounded(one) for one in documents]
        report = {"benchmark": "bench.contention", "engine": engine, "series": series}
        print(json.dumps(report, indent=2, ensure_ascii=False))
        return 1 if broken else 0
    Console(width=_WIDE).print(shown)
    for line in broken[:_SHOWN]:
        print(f"WRONG: {line}")
    return 1 if broken else 0


def _cells(verdict: WritersVerdict, which: str) -> Iterator[str]:
    yield which
    yield str(verdict.writers)
    yield f"{verdict.calls_per_s:.0f}"
    for took in (verdict.p50_ms, verdict.p95_ms, verdict.p99_ms, verdict.max_ms):
        yield f"{took:.1f}"
    yield f"{verdict.tail:.1f}"
    yield f"{verdict.cpu_ms:.1f}"
    for wrong in (verdict.errors, verdict.lost, verdict.doubled):
        yield str(len(wrong))


def _print(load: Load, verdict: Verdict, engine: EngineName, *, as_json: bool) -> None:
    if as_json:
        about = {"benchmark": "bench.contention", "engine": engine, "load": asdict(load)}
        document = {**about, **asdict(verdict)}
        print(json.dumps(rounded(document), indent=2, ensure_ascii=False))
        return
    title = (
        f"{engine}: {load.processes} processes of {load.clients} clients, {load.turns} turns and "
        f"{load.searches} searches each"
    )
    filled = table(title, 1, "figure", "value")
    for name, value in _rows(verdict.figures):
        filled.add_row(name, value)
    Console().print(filled)
    for problem in verdict.problems[:_SHOWN]:
        print(f"WRONG: {problem}")
    if len(verdict.problems) > _SHOWN:
        print(f"… and {len(verdict.problems) - _SHOWN} more; --json shows all")
    if not verdict.problems:
        print("Everything is there, once, word for word.")


def _rows(figures: Figures) -> Iterator[tuple[str, str]]:
    yield "traffic", f"{figures.traffic_s:.1f} s"
    yield "turns", f"{figures.turns_per_s:.0f} /s"
    yield "searches", f"{figures.searches_per_s:.1f} /s"
    yield "capture", _milliseconds(figures.capture_ms)
    yield "search", _milliseconds(figures.search_ms)
    yield "settle", f"{figures.settle_s:.1f} s"
    yield "batches", f"{figures.batches} of {figures.embedded} texts"
    yield "told to come again", str(figures.busy)
    yield "longest overlap", f"{figures.longest_overlap_ms:.1f} ms"


def _milliseconds(latency: Latency) -> str:
    return f"p50 {latency.p50:.1f}  p95 {latency.p95:.1f}  p99 {latency.p99:.1f} ms"


if __name__ == "__main__":
    sys.exit(_main())
