"""The command line of the throughput benchmark."""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from bench.checkouts import THIS
from bench.data import data_folder
from bench.latency.fill import fill
from bench.latency.speech import Speech, speech
from bench.output import report_console, rounded, table
from bench.throughput.clients import CAPTURE, SEARCHES
from bench.throughput.run import MOST_SERVERS, Crowd, Way, measure, write_script
from bench.throughput.verdict import Took, Verdict, compare

_CLIENTS = (1, 8, 64)
_SHOWN = 5
_HEADINGS = (
    *("checkout", "way", "clients", "searches/s", "first p50", "p95", "second p50", "p95"),
    *("capture p50", "p95", "CPU/search", "cores", "MiB", "errors"),
)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print.

    Returns:
        The exit code: 0; 1 where a call failed.
    """
    arguments = _parser().parse_args(argv)
    said = speech(arguments.data or data_folder())
    with _filled(arguments, said) as home:
        verdicts = list(_measure(arguments, home, said))
    factor = compare(verdicts)
    if arguments.json:
        document = {
            "benchmark": "bench.throughput",
            "text": said.origin,
            "turns": arguments.turns,
            "factor": factor,
            "runs": [asdict(each) for each in verdicts],
        }
        print(json.dumps(rounded(document), indent=2, ensure_ascii=False))
    else:
        _print(arguments, verdicts, factor)
    return 1 if any(each.errors for each in verdicts) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.throughput")
    parser.add_argument("--clients", type=int, nargs="+", default=_CLIENTS, help="how many at once")
    parser.add_argument("--seconds", type=float, default=10.0, help="of each measurement")
    parser.add_argument(
        "--lead", type=float, default=5.0, help="seconds of calls before tasks are counted"
    )
    parser.add_argument("--rounds", type=int, default=1, help="of each number of clients")
    parser.add_argument("--turns", type=int, default=10_000, help="in the home")
    parser.add_argument("--home", type=Path, help="a filled home; it is copied, not changed")
    parser.add_argument("--beside", type=Path, help="an older checkout, in turns with this one")
    parser.add_argument(
        "--ways", nargs="+", type=Way, choices=list(Way), default=list(Way), help="of asking"
    )
    parser.add_argument("--data", type=Path, help="the folder of the shared data sets")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    return parser


@contextmanager
def _filled(arguments: argparse.Namespace, said: Speech) -> Iterator[Path]:
    if arguments.home is not None:
        yield arguments.home
        return
    with tempfile.TemporaryDirectory(prefix="memoria-throughput-") as folder:
        fill(Path(folder) / "home", arguments.turns, said, lambda _done: None)
        yield Path(folder) / "home"


def _measure(arguments: argparse.Namespace, home: Path, said: Speech) -> Iterator[Verdict]:
    """Every way and number of clients, this checkout and the older one in turns."""
    script = write_script(said)
    checkouts = {"this one": THIS}
    if arguments.beside:
        checkouts["older"] = arguments.beside.resolve()
    for clients in arguments.clients:
        crowd = Crowd(clients, arguments.seconds, arguments.lead)
        for way in arguments.ways:
            if way is Way.PROCESSES and clients > MOST_SERVERS:
                continue
            for _ in range(arguments.rounds):
                for name, checkout in checkouts.items():
                    if way is Way.FLOOR and checkout is not THIS:
                        continue
                    found = measure(way, home, script, crowd, checkout, name)
                    if not arguments.json:
                        print(" ".join(_cells(found)), flush=True)
                    yield found


def _print(
    arguments: argparse.Namespace, verdicts: Sequence[Verdict], factor: float | None
) -> None:
    title = f"{arguments.turns:,} turns, {arguments.seconds:g} s each, milliseconds"
    filled = table(title, 2, *_HEADINGS)
    for each in verdicts:
        filled.add_row(*_cells(each))
    report_console().print(filled)
    for each in verdicts:
        for error in each.errors[:_SHOWN]:
            print(f"WRONG: {each.checkout}, {each.clients} {each.way}: {error}")
    if factor is not None:
        print(f"{factor:.1f} times the older checkout's searches a second.")


def _cells(verdict: Verdict) -> Iterator[str]:
    yield verdict.checkout
    yield verdict.way
    yield str(verdict.clients)
    yield f"{verdict.searches_per_s:.1f}"
    nothing = Took(0, 0.0, 0.0, 0.0)
    for tool in (*SEARCHES, CAPTURE):
        took = verdict.took.get(tool, nothing)
        yield f"{took.p50:.0f}"
        yield f"{took.p95:.0f}"
    yield f"{verdict.cpu_ms:.1f}"
    yield f"{verdict.cores:.2f}"
    yield f"{verdict.memory_mib:.0f}"
    yield str(len(verdict.errors))


if __name__ == "__main__":
    sys.exit(main())
