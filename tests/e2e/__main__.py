"""The command line: `python -m tests.e2e show`, `warn`, `race`, `read` or `stale`."""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from bench.output import table
from rich.console import Console
from rich.table import Table
from tests.e2e.clients import CLIENTS
from tests.e2e.clients.base import TOOLS
from tests.e2e.guard import LANGUAGES, warn
from tests.e2e.install import Installed, install
from tests.e2e.program import idle_program, older_program, this_program
from tests.e2e.race import Start, busy, race
from tests.e2e.reader import read_by_client, read_by_server
from tests.e2e.show import show
from tests.e2e.stale import changes

_WIDE = 140
_OURS = this_program().name
_ALLOWED = 20
"""One start in so many may miss a tool."""
_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "memoria-e2e"


def _main() -> int:
    arguments = _parser().parse_args()
    clients, missing = list[Installed](), list[str]()
    for name in arguments.client or CLIENTS:
        try:
            clients.append(install(CLIENTS[name], arguments.clients, newest=arguments.newest))
        except RuntimeError as error:
            missing.append(f"WRONG: {error}")
    print(", ".join(f"{it.client.name} {it.version}" for it in clients), flush=True)
    failed = int(arguments.run(clients, arguments))
    print(*missing, sep="\n", flush=True)
    return failed or int(bool(missing))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.e2e", description=__doc__)
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--client", action="append", choices=list(CLIENTS), help="default: all")
    shared.add_argument("--clients", type=Path, default=_CACHE, help="the folder they lie in")
    shared.add_argument("--newest", action="store_true", help="newer clients than those measured")
    commands = parser.add_subparsers(required=True)
    racing = commands.add_parser("race", parents=[shared], help="tools in the first question")
    racing.add_argument("--runs", type=int, default=20, help="of each client with each server")
    racing.add_argument("--beside", type=Path, help="an older checkout, in turns with this one")
    racing.add_argument("--busy", action="store_true", help="every core is taken meanwhile")
    racing.set_defaults(run=_race)
    showing = commands.add_parser("show", parents=[shared], help="connect, talk, and find it again")
    showing.add_argument("--runs", type=int, default=5, help="of each client, each in a new home")
    showing.add_argument("--packaged", action="store_true", help="by the client's own installer")
    showing.add_argument("--http", action="store_true", help="with a server over HTTP")
    showing.set_defaults(run=_show)
    reading = commands.add_parser("read", parents=[shared], help="connect, and be read by it")
    reading.add_argument("--server", action="store_true", help="by a server on this machine")
    reading.set_defaults(run=_read)
    warning = commands.add_parser("warn", parents=[shared], help="a word where it failed before")
    warning.set_defaults(run=_warn)
    stale = commands.add_parser("stale", parents=[shared], help="what is said after a change")
    stale.set_defaults(run=_stale)
    return parser


def _show(clients: Sequence[Installed], arguments: argparse.Namespace) -> int:
    columns = (
        "client run recall tools guide-in-first rule-in-first fact-in-first found turns imported "
        "seconds"
    )
    shown = table("Connect, talk, talk again", 1, *columns.split())
    wrong = []
    packaged = [it for it in clients if it.client.abilities.is_packaged]
    for installed in packaged if arguments.packaged else clients:
        for run in range(1, arguments.runs + 1):
            # What a person has to choose, and what they get otherwise; a package can't be asked.
            is_recalling = run % 2 == 1 and not arguments.packaged
            done = show(
                installed,
                this_program(),
                is_recalling=is_recalling,
                is_packaged=arguments.packaged,
                is_elsewhere=arguments.http,
            )
            wrong += [f"{done.client}, run {run}: {line}" for line in done.wrong]
            print(done, flush=True)
            shown.add_row(
                done.client,
                str(run),
                "on" if is_recalling else "off",
                f"{done.tools}/{len(TOOLS)}",
                done.guided,
                done.briefed,
                done.recalled,
                done.answered,
                done.turns,
                done.imported,
                " ".join(f"{took:.1f}" for took in done.seconds),
            )
    return _report(shown, wrong)


def _read(clients: Sequence[Installed], arguments: argparse.Namespace) -> int:
    read_by = read_by_server if arguments.server else read_by_client
    columns = "client reader tried by-hooks in-the-next-first by-cron tools-lent seconds"
    shown = table("Connect with one question, talk, and it is known", 2, *columns.split())
    wrong = []
    for installed in (it for it in clients if it.client.abilities.reads):
        done = read_by(installed, this_program())
        wrong += [f"{done.client}: {line}" for line in done.wrong]
        print(done, flush=True)
        seconds = " ".join(f"{took:.1f}" for took in done.seconds)
        cells = done.tried, done.by_hooks, done.briefed, done.by_cron, done.tools
        shown.add_row(done.client, done.reader, *cells, seconds)
    return _report(shown, wrong)


def _warn(clients: Sequence[Installed], _arguments: argparse.Namespace) -> int:
    columns = "client language command rule edit seconds"
    shown = table("How often each word stands in what the model is asked next", 2, *columns.split())
    wrong = []
    for installed in (it for it in clients if it.client.abilities.is_warned):
        for language in LANGUAGES:
            done = warn(installed, this_program(), language)
            where = f"{done.client}, {done.language}"
            wrong += [f"{where}: {line}" for line in done.wrong]
            print(done, flush=True)
            counts = (done.said.get(kind, "") for kind in ("command", "rule", "edit"))
            seconds = " ".join(f"{took:.1f}" for took in done.seconds)
            shown.add_row(done.client, done.language, *counts, seconds)
    return _report(shown, wrong)


def _stale(clients: Sequence[Installed], _arguments: argparse.Namespace) -> int:
    columns = "client change before stale missing"
    shown = table("What is said right after a change", 2, *columns.split())
    wrong = []
    for installed in (it for it in clients if it.client.abilities.reads):
        for one in changes(installed, this_program()):
            before = "yes" if one.was_told_before else "no"
            counts = str(len(one.stale)), str(len(one.missing))
            shown.add_row(one.client, one.change, before, *counts)
            where = f"{one.client}, {one.change}"
            wrong += [f"{where}: {text!r} was said" for text in one.stale]
            if not one.was_told_before:
                wrong.append(f"{where}: it was not said before the change either")
    return _report(shown, wrong)


def _report(shown: Table, wrong: Sequence[str]) -> int:
    Console(width=_WIDE).print(shown)
    for line in wrong:
        print(f"WRONG: {line}")
    return 1 if wrong else 0


def _race(clients: Sequence[Installed], arguments: argparse.Namespace) -> int:
    load = "every core busy" if arguments.busy else "quiet"
    columns = "client server 8-of-8 fewest instructions s-p50 s-max"
    shown = table(f"Start race, {load}", 2, *columns.split())
    wrong = []
    with TemporaryDirectory() as folder:
        programs = [idle_program(), this_program()]
        if arguments.beside:
            programs.append(older_program(arguments.beside, Path(folder)))
        for installed in (it for it in clients if it.client.abilities.reads):
            with busy(os.cpu_count() or 1) if arguments.busy else nullcontext():
                starts = list(_told(installed, race(installed, programs, arguments.runs)))
            for program in programs:
                own = [start for start in starts if start.server == program.name]
                shown.add_row(installed.client.name, *_cells(program.name, own))
                if program.name == _OURS and (missed := _misses(own)) > len(own) // _ALLOWED:
                    wrong.append(f"{installed.client.name}: {missed} of {len(own)} starts missed")
    return _report(shown, wrong)


def _told(installed: Installed, starts: Iterator[Start]) -> Iterator[Start]:
    """The same, each printed as it comes."""
    for start in starts:
        print(f"{installed.client.name} {start}", flush=True)
        yield start


def _cells(server: str, starts: Sequence[Start]) -> Iterator[str]:
    yield server
    yield f"{len(starts) - _misses(starts)}/{len(starts)}"
    yield str(min(start.tools for start in starts))
    yield str(sum(start.has_instructions for start in starts))
    took = [start.asked_after_s for start in starts]
    yield f"{median(took):.1f}"
    yield f"{max(took):.1f}"


def _misses(starts: Sequence[Start]) -> int:
    return sum(start.tools < len(TOOLS) for start in starts)


if __name__ == "__main__":
    sys.exit(_main())
