"""The command line of the latency benchmark."""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import anyio
from rich.console import Console
from rich.progress import Progress

from bench.data import data_folder
from bench.latency.engines import CALLS, EngineVerdict, compare_engines
from bench.latency.fill import fill, steps
from bench.latency.plot import plot
from bench.latency.reading import ANSWER_MS, Beside, try_reading
from bench.latency.run import try_home
from bench.latency.speech import Speech, speech
from bench.latency.verdict import FLOORS, GROWTH_BOUND, Comparison, Latency, Verdict, growth
from bench.output import report_console, rounded, table
from bench.postgres import ENGINES, run_cluster
from memoria.inference.base import Embedder
from memoria.inference.embedder import BUNDLED, BundledEmbedder

Tried = tuple[Verdict, Beside]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure every size and print what was found.

    Returns:
        The exit code: 0, or 1 when a ratio is over its bound.
    """
    parser = _parser()
    arguments = parser.parse_args(argv)
    if arguments.plot is not None and find_spec("matplotlib") is None:
        parser.error("--plot draws with matplotlib, which the extra `bench` installs")
    said = speech(arguments.data or data_folder())
    bundled = BundledEmbedder(BUNDLED)
    if arguments.engine == "postgres":
        return _compare_engines(arguments, said, bundled)
    with _homes(arguments.homes) as folder:
        tried = [
            _try(folder / str(turns), turns, arguments, said, bundled) for turns in arguments.sizes
        ]
    if arguments.json:
        print(json.dumps(rounded(_document(said, tried)), indent=2))
    else:
        for verdict, beside in tried:
            _print(verdict)
            _print_beside(verdict.turns, beside)
        _print_growth([verdict for verdict, _ in tried])
    if arguments.plot is not None:
        plot([verdict for verdict, _ in tried], arguments.plot)
    return 0 if _within(tried) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.latency")
    parser.add_argument("--sizes", type=_sizes, default=(10_000, 100_000), help="turns: N,N,…")
    parser.add_argument("--rounds", type=int, default=200, help="times of every call and floor")
    parser.add_argument(
        "--answer-ms", type=int, default=ANSWER_MS, help="what the chat model takes for an answer"
    )
    parser.add_argument(
        "--engine",
        choices=ENGINES,
        default="sqlite",
        help="postgres: beside SQLite, without floors",
    )
    parser.add_argument("--data", type=Path, help="the folder of the shared data sets")
    parser.add_argument("--homes", type=Path, help="a folder in which to keep the filled homes")
    parser.add_argument("--plot", type=Path, help="draw cost against size into this file")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    return parser


def _sizes(text: str) -> tuple[int, ...]:
    return tuple(int(number.replace("_", "")) for number in text.split(","))


@contextmanager
def _homes(kept: Path | None) -> Iterator[Path]:
    """The folder the homes are made in."""
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
        yield kept
        return
    with tempfile.TemporaryDirectory(prefix="memoria-latency-") as folder:
        yield Path(folder)


def _try(
    home: Path, turns: int, arguments: argparse.Namespace, said: Speech, bundled: Embedder
) -> Tried:
    rounds: int = arguments.rounds
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        filling = progress.add_task(f"filling {turns:,} turns", total=steps(turns))
        timing = progress.add_task("timing", total=4 * rounds)
        if not home.exists():
            fill(home, turns, said, partial(progress.advance, filling))
        done = partial(progress.advance, timing)
        verdict = anyio.run(try_home, home, turns, rounds, said, bundled, done)
        return verdict, anyio.run(
            try_reading, home, rounds, said, bundled, arguments.answer_ms, done
        )


def _compare_engines(arguments: argparse.Namespace, said: Speech, bundled: Embedder) -> int:
    """Measure every size on both engines and print; return the exit code."""
    with _homes(arguments.homes) as folder, run_cluster() as cluster:
        for turns in arguments.sizes:
            work = partial(compare_engines, folder / str(turns), turns, arguments.rounds)
            verdicts = anyio.run(work, said, bundled, cluster)
            if arguments.json:
                shown = [rounded(asdict(verdict)) for verdict in verdicts]
                document = {"benchmark": "bench.latency", "text": said.origin, "engines": shown}
                print(json.dumps(document, indent=2), flush=True)
            else:
                _print_engines(verdicts)
    return 0


def _print_engines(verdicts: Sequence[EngineVerdict]) -> None:
    title = f"{verdicts[0].turns:,} turns, milliseconds"
    headings = ("", "engine", "p50", "p95", "longest", "CPU", "CPU of the server")
    filled = table(title, 2, *headings)
    for call in CALLS:
        for verdict in verdicts:
            one = verdict.calls[call]
            figures = (one.p50, one.p95, one.most, one.cpu, one.server_cpu)
            filled.add_row(call, verdict.engine, *(f"{figure:.1f}" for figure in figures))
    report_console().print(filled)
    for verdict in verdicts:
        parts = ", ".join(f"{name} {size:,.0f}" for name, size in verdict.bytes_of.items())
        each = f"{verdict.bytes_a_turn:,.0f} bytes a turn{f' ({parts})' if parts else ''}"
        print(f"{verdict.engine}: filled in {verdict.fill_s:.0f} s, {each}", flush=True)


def _within(tried: Sequence[Tried]) -> bool:
    grown = growth([verdict for verdict, _ in tried]).values()
    each = all(verdict.within and beside.within for verdict, beside in tried)
    return each and max(grown) < GROWTH_BOUND


def _document(said: Speech, tried: Sequence[Tried]) -> dict[str, object]:
    return {
        "benchmark": "bench.latency",
        "text": said.origin,
        "within_bounds": _within(tried),
        "growth": growth([verdict for verdict, _ in tried]),
        "sizes": {
            str(verdict.turns): {**asdict(verdict), "beside_extraction": asdict(beside)}
            for verdict, beside in tried
        },
    }


def _print(verdict: Verdict) -> None:
    title = f"{verdict.turns:,} turns, {verdict.rounds} rounds, milliseconds"
    filled = table(title, 1, "", "p50", "p95", "floor p50", "ratio", "bound", "p95")
    for call, found in verdict.comparisons.items():
        ratios = f"{found.ratio:.2f}", f"{found.bound:g}", f"{found.tail_ratio:.2f}"
        filled.add_row(call, *_cells(found.call), f"{found.floor.p50:.2f}", *ratios)
    for name, each in verdict.floors.items():
        filled.add_row(f"  {FLOORS[name]}", *_cells(each))
    Console().print(filled)
    memory = verdict.memory
    print(
        f"Memory: {memory.resident:.0f} MiB resident, {memory.private:.0f} of them not mapped "
        f"from files, {memory.vectors:.0f} of these for vectors."
    )
    for call, found in verdict.comparisons.items():
        if not found.within:
            print(f"OVER ITS BOUND: {call}, {_found(found)}.")


def _found(found: Comparison) -> str:
    tail = "" if found.tail_bound is None else f", its p95 {found.tail_ratio:.2f} times"
    most = "" if found.most_ms is None else f" and {found.call.p95:.0f} ms"
    return f"{found.ratio:.2f} times its floor{tail}{most}"


def _print_growth(verdicts: Sequence[Verdict]) -> None:
    sizes = sorted(verdict.turns for verdict in verdicts)
    for call, times in growth(verdicts).items():
        over = "" if times < GROWTH_BOUND else " OVER ITS BOUND."
        print(
            f"{call}: {times:.1f} times as long at {sizes[-1]:,} as at {sizes[0]:,} turns "
            f"(bound {GROWTH_BOUND:g}).{over}"
        )


def _print_beside(turns: int, beside: Beside) -> None:
    title = f"{turns:,} turns, {beside.captures} captures on either side, milliseconds"
    filled = table(title, 1, "record_conversation", "p50", "p95", "ratio", "bound")
    filled.add_row("extraction off", *_cells(beside.off), "", "")
    ratio = f"{beside.ratio:.2f}"
    filled.add_row("extraction running", *_cells(beside.on), ratio, f"{beside.bound:g}")
    Console().print(filled)
    print(f"{beside.read} turns were read meanwhile, with {beside.answer_ms} ms for an answer.")
    if not beside.within:
        print(f"OVER ITS BOUND: capture beside extraction, {beside.ratio:.2f} times without.")


def _cells(latency: Latency) -> Iterator[str]:
    yield f"{latency.p50:.2f}"
    yield f"{latency.p95:.2f}"


if __name__ == "__main__":
    sys.exit(main())
