"""The command line of PostgreSQL's faults."""

import argparse
import json
import logging
import sys
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TypeVar

import anyio

from bench.faults.telling import print_verdict, show_progress
from bench.faults.verdict import Progress, Verdict
from bench.faults_postgres.crowded import exhaust_pool
from bench.faults_postgres.cuts import cut_connections
from bench.faults_postgres.failover import fail_over
from bench.faults_postgres.full_disk import ServerPart, fill_disk
from bench.faults_postgres.kills import kill_server
from bench.faults_postgres.snapshots import forget_under_snapshot
from bench.output import rounded
from bench.postgres.cluster import choose_user

_ROUNDS = 200
_CUTS_SHARE, _FAILOVER_SHARE = 5, 40
_PARTS: tuple[ServerPart, ...] = ("tables", "log")
_Fault = Callable[[Path], list[Verdict]]
_Value = TypeVar("_Value")


def _main() -> int:
    arguments = _parser().parse_args()
    logging.getLogger("psycopg").setLevel(logging.ERROR)  # each lost connection is a warning
    faults = _list_faults(arguments.rounds, arguments.seed)
    verdicts = []
    for name in arguments.only or faults:
        with tempfile.TemporaryDirectory(prefix="memoria-faults-") as folder:
            choose_user(Path(folder))  # whoever runs the servers passes through
            for verdict in faults[name](Path(folder)):
                verdicts.append(verdict)
                if not arguments.json:
                    print_verdict(verdict)
    if arguments.json:
        shown = [rounded(asdict(verdict)) for verdict in verdicts]
        print(json.dumps({"benchmark": "bench.faults_postgres", "verdicts": shown}, indent=2))
    return 1 if any(verdict.broken for verdict in verdicts) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.faults_postgres")
    parser.add_argument("--only", nargs="+", choices=_list_faults(1, 1), help="these faults alone")
    parser.add_argument("--rounds", type=int, default=_ROUNDS, help="number of kills")
    parser.add_argument("--seed", type=int, default=1, help="of all that is left to chance")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    return parser


def _list_faults(rounds: int, seed: int) -> dict[str, _Fault]:
    cuts, failovers = (max(rounds // share, 1) for share in (_CUTS_SHARE, _FAILOVER_SHARE))
    return {
        "kills": lambda folder: [_run(partial(kill_server, folder, rounds, seed), "kills")],
        "cuts": lambda folder: [_run(partial(cut_connections, folder, cuts, seed), "cuts")],
        "failover": lambda folder: _run(partial(fail_over, folder, failovers, seed), "failovers"),
        "pool": lambda folder: [anyio.run(exhaust_pool, folder)],
        "snapshot": lambda folder: [anyio.run(forget_under_snapshot, folder)],
        "disk": lambda folder: [
            anyio.run(fill_disk, folder / f"home of {part}", folder / part, part) for part in _PARTS
        ],
    }


def _run(work: Callable[[Progress], Awaitable[_Value]], what: str) -> _Value:
    with show_progress(what) as told:
        return anyio.run(work, told)


if __name__ == "__main__":
    sys.exit(_main())
