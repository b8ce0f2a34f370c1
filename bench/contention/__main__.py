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
from bench.contention.traffic import Load
from bench.contention.verdict import Figures, Latency, Verdict
from bench.contention.worker import work
from bench.output import rounded, table

_USUAL = Load()
_SHOWN = 20


def _main() -> int:
    arguments = _parser().parse_args()
    load = Load(arguments.processes, arguments.turns, arguments.searches)
    if arguments.worker is not None:
        anyio.run(partial(work, arguments.worker, arguments.folder, arguments.home, load))
        return 0
    verdict = anyio.run(contend, load)
    _print(load, verdict, as_json=arguments.json)
    return 1 if verdict.problems else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.contention")
    parser.add_argument("--processes", type=int, default=_USUAL.processes)
    parser.add_argument("--turns", type=int, default=_USUAL.turns, help="of each process")
    parser.add_argument("--searches", type=int, default=_USUAL.searches, help="of each process")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--home", type=Path, help=argparse.SUPPRESS)
    return parser


def _print(load: Load, verdict: Verdict, *, as_json: bool) -> None:
    if as_json:
        document = {"benchmark": "bench.contention", "load": asdict(load), **asdict(verdict)}
        print(json.dumps(rounded(document), indent=2, ensure_ascii=False))
        return
    title = f"{load.processes} processes, {load.turns} turns and {load.searches} searches each"
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
    yield "longest overlap", f"{figures.longest_overlap_ms:.1f} ms"


def _milliseconds(latency: Latency) -> str:
    return f"p50 {latency.p50:.1f}  p95 {latency.p95:.1f}  p99 {latency.p99:.1f} ms"


if __name__ == "__main__":
    sys.exit(_main())
