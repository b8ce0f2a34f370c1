"""The command line of the fault harness."""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path

import anyio

from bench.faults import clock, disk, ends, foreign, versions
from bench.faults.damage import damage
from bench.faults.endure import endure
from bench.faults.homes import fill, fill_and_die
from bench.faults.kill import kill
from bench.faults.power import lose_power
from bench.faults.telling import print_verdict, show_progress
from bench.faults.verdict import Verdict
from bench.output import rounded

_ROUNDS = 200
_DAMAGES_A_ROUND = 3
_WITH_MODEL_EVERY = 20


def _main() -> int:
    arguments = _parser().parse_args()
    verdicts = []
    for verdict in _run(arguments):
        verdicts.append(verdict)
        if not arguments.json:
            print_verdict(verdict)
    if arguments.json:
        document = {
            "benchmark": "bench.faults",
            "verdicts": [rounded(asdict(verdict)) for verdict in verdicts],
        }
        print(json.dumps(document, indent=2, ensure_ascii=False))
    return 1 if any(verdict.broken for verdict in verdicts) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.faults")
    parser.add_argument(
        "--rounds", type=int, default=_ROUNDS, help="kills and losses of power; damages are thrice"
    )
    parser.add_argument("--power", type=int, metavar="N", help="nothing but N losses of power")
    parser.add_argument("--calls", type=int, help="nothing but kills, until so many are answered")
    parser.add_argument("--hours", type=float, help="nothing but kills, for so long at most")
    parser.add_argument("--ledger", type=Path, help="the folder in which --calls writes them down")
    parser.add_argument("--seed", type=int, default=1, help="of all that is left to chance")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    return parser


def _run(arguments: argparse.Namespace) -> Iterator[Verdict]:
    if arguments.power is not None:
        with tempfile.TemporaryDirectory(prefix="memoria-faults-") as name:
            yield _lose_power(Path(name), arguments.power, arguments.seed)
        return
    if arguments.calls is None and arguments.hours is None:
        yield from _all(arguments.rounds, arguments.seed)
        return
    with (
        tempfile.TemporaryDirectory(prefix="memoria-faults-") as name,
        show_progress("calls") as told,
    ):
        folder = Path(name)
        work = partial(
            endure,
            folder / "home",
            arguments.ledger or folder / "ledger",
            arguments.calls or sys.maxsize,
            seconds=None if arguments.hours is None else arguments.hours * 3600,
            seed=arguments.seed,
            progress=told,
        )
        yield anyio.run(work)


def _lose_power(folder: Path, losses: int, seed: int) -> Verdict:
    with show_progress("losses of power") as told:
        return anyio.run(partial(lose_power, folder / "power", losses, seed=seed, progress=told))


def _all(rounds: int, seed: int) -> Iterator[Verdict]:
    """Every fault, one after the other."""
    with tempfile.TemporaryDirectory(prefix="memoria-faults-") as name:
        folder = Path(name)
        pattern, unclosed = folder / "pattern", folder / "unclosed"
        anyio.run(fill, pattern)
        fill_and_die(unclosed)
        with show_progress("kill -9") as told:
            killing = partial(kill, seed=seed, with_model_every=_WITH_MODEL_EVERY, progress=told)
            yield anyio.run(killing, folder / "killed", rounds)
        yield _lose_power(folder, rounds, seed)
        yield anyio.run(disk.full_by_limit, folder / "limited")
        yield anyio.run(disk.full_by_pages, folder / "paged")
        yield anyio.run(disk.full_for_real, folder / "small")
        yield anyio.run(disk.full_everywhere, folder / "everywhere")
        with show_progress("damage") as told:
            yield damage(unclosed, folder, rounds * _DAMAGES_A_ROUND, seed=seed, progress=told)
        rest: tuple[Callable[[], Verdict], ...] = (
            lambda: foreign.read_only(pattern),
            lambda: foreign.no_home(pattern, folder),
            lambda: clock.backwards(folder / "clock"),
            lambda: ends.stop_server(folder / "stopped" / "home"),
            lambda: ends.stop_job(folder / "job" / "home", folder / "said.jsonl"),
            lambda: ends.leave_in_the_middle(folder / "left" / "home"),
            lambda: ends.never_read(folder / "deaf" / "home"),
            lambda: versions.overtaken(pattern, folder),
            lambda: versions.overtaking(folder),
        )
        yield from (fault() for fault in rest)


if __name__ == "__main__":
    sys.exit(_main())
