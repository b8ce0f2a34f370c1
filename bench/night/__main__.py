"""The command line: a command a promise."""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from bench.chat_server import serve_script
from bench.command import progress
from bench.data import data_folder
from bench.faults.verdict import Verdict
from bench.latency.speech import speech
from bench.night.chats import chats
from bench.night.contention import contend
from bench.night.homes import Way, fill
from bench.night.kill import kill
from bench.night.lived import Year, months_table
from bench.night.script import Script
from bench.night.undo import undo
from bench.night.world import DAYS, world
from bench.night.year import REPEATABLE, TENANT, home_without_nights, year
from bench.output import rounded
from memoria.model import now_millis

_SHOWN = 20


def main(argv: Sequence[str] | None = None) -> int:
    """Try a promise and say whether it is kept.

    Returns:
        The exit code: 0, or 1 when it is broken.
    """
    arguments = _parser().parse_args(argv)
    verdict: Verdict = arguments.tried(arguments)
    if arguments.json:
        print(json.dumps(rounded(asdict(verdict)), indent=2, ensure_ascii=False))
    else:
        _print(verdict)
    return 1 if verdict.broken else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.night")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    killing = commands.add_parser("kill", help="kill -9, and compare with a night in peace")
    killing.add_argument("--rounds", type=int, default=100, help="kills that meet a night")
    killing.add_argument("--memories", type=int, default=600, help="of the home")
    killing.add_argument("--due", type=float, default=0.5, help="share of them to be archived")
    killing.add_argument(
        "--lived", type=int, metavar="DAYS", help="a home that has lived so long, with a chat model"
    )
    killing.set_defaults(tried=_kill)
    beside = commands.add_parser("contention", help="a client beside a night, and without one")
    beside.add_argument("--turns", type=int, default=100_000, help="of the home")
    beside.add_argument("--due", type=int, default=3_000, help="memories to be archived")
    beside.add_argument("--calls", type=int, default=150, help="of every kind, on either side")
    beside.add_argument("--homes", type=Path, help="a folder in which to keep the filled home")
    beside.set_defaults(tried=_contend)
    undoing = commands.add_parser("undo", help="random histories, nights, and the way back")
    undoing.add_argument("--rounds", type=int, default=40, help="homes")
    undoing.set_defaults(tried=_undo)
    living = commands.add_parser("year", help="a year of sessions, with nights and without")
    living.add_argument("--sessions", type=int, default=320, help="of the year")
    living.add_argument("--days", type=int, default=DAYS, help="how long it is")
    living.add_argument("--nights", type=int, default=3, help="days from one to the next")
    living.add_argument("--active", type=int, default=400, help="memories kept active at most")
    living.add_argument("--facts", type=int, help="planted; all there are by default")
    living.add_argument("--homes", type=Path, help="a folder in which to keep both homes")
    living.add_argument("--plot", type=Path, metavar="FILE", help="draw the year there")
    living.set_defaults(tried=_year)
    for command in (killing, beside, undoing, living):
        command.add_argument("--seed", type=int, default=1, help="of all that is left to chance")
        command.add_argument("--data", type=Path, help="the folder of the shared data sets")
        command.add_argument("--json", action="store_true", help="one JSON document on stdout")
    return parser


def _kill(told: argparse.Namespace) -> Verdict:
    return _kill_filled(told) if told.lived is None else _kill_lived(told)


def _kill_lived(told: argparse.Namespace) -> Verdict:
    lived = world(chats(told.data or data_folder(), told.seed), told.lived, told.lived, told.seed)
    with _folder() as folder, progress("kill -9", told.rounds) as done:
        pattern, at = home_without_nights(folder, lived, told.lived)
        with serve_script(Script(lived).answer) as url:
            way = Way(TENANT, url, REPEATABLE)
            return kill(pattern, folder, told.rounds, at, seed=told.seed, way=way, done=done)


def _kill_filled(told: argparse.Namespace) -> Verdict:
    said, at = speech(told.data or data_folder()), now_millis()
    with _folder() as folder, progress("kill -9", told.rounds) as done:
        fill(folder / "pattern", told.memories, told.due, said, at, told.seed)
        return kill(folder / "pattern", folder, told.rounds, at, seed=told.seed, done=done)


def _contend(told: argparse.Namespace) -> Verdict:
    said = speech(told.data or data_folder())
    with _folder(told.homes) as folder, progress("beside a night", told.calls) as done:
        home = folder / str(told.turns)
        return contend(home, told.turns, told.due, told.calls, said, told.seed, done)


def _undo(told: argparse.Namespace) -> Verdict:
    said, at = speech(told.data or data_folder()), now_millis()
    with _folder() as folder, progress("undo", told.rounds) as done:
        return undo(folder, told.rounds, said, at, seed=told.seed, done=done)


def _year(told: argparse.Namespace) -> Verdict:
    said = chats(told.data or data_folder(), told.seed)
    lived = world(said, told.sessions, told.days, told.seed, told.facts)
    with _folder(told.homes) as folder, progress("a year", told.sessions) as done:
        found = year(folder, lived, told.days, told.nights, told.active, done)
    if told.plot:
        from bench.night.plot import plot  # noqa: PLC0415  (an extra, and only for this)

        plot(found, told.plot)
    return found


@contextmanager
def _folder(kept: Path | None = None) -> Iterator[Path]:
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
        yield kept
        return
    with tempfile.TemporaryDirectory(prefix="memoria-night-") as name:
        yield Path(name)


def _print(verdict: Verdict) -> None:
    print(f"{'BROKEN' if verdict.broken else 'kept'}  {verdict.fault}")
    for name, number in rounded(dict(verdict.figures)).items():  # type: ignore[attr-defined]
        print(f"  {name:<36} {number:>10,}")
    if isinstance(verdict, Year):
        Console().print(months_table(verdict))
    for line in verdict.broken[:_SHOWN]:
        print(f"  WRONG: {line}")


if __name__ == "__main__":
    sys.exit(main())
