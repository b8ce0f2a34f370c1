"""The command line: a table of formats, and each oddity that broke a promise."""

import argparse
import json
import sys
import tempfile
from pathlib import Path

import anyio

from bench.oddities.campaign import Oddity, count_fates, try_oddities
from bench.oddities.samples import SAMPLES

_COLUMNS = ("ended", "unrecognised", "silent", "read", "named", "left out", "neighbours")


def _main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.oddities")
    parser.add_argument("--many", type=int, default=200, help="oddities a format")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=[one.name for one in SAMPLES])
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    arguments = parser.parse_args()
    tried: dict[str, list[Oddity]] = {}
    for sample in SAMPLES:
        if arguments.only in (None, sample.name):
            with tempfile.TemporaryDirectory() as folder:
                tried[sample.name] = anyio.run(
                    try_oddities, sample, arguments.many, arguments.seed, Path(folder)
                )
    broken = [(name, one) for name, many in tried.items() for one in many if _is_broken(one)]
    if arguments.json:
        print(json.dumps({name: count_fates(many) for name, many in tried.items()}, indent=2))
    else:
        _print(tried, broken)
    return 1 if broken else 0


def _is_broken(one: Oddity) -> bool:
    return one.fate in ("ended", "unrecognised", "silent") or not one.keeps_neighbours


def _print(tried: dict[str, list[Oddity]], broken: list[tuple[str, Oddity]]) -> None:
    print(f"{'format':<14}{'oddities':>10}" + "".join(f"{name:>14}" for name in _COLUMNS))
    for name, many in tried.items():
        fates = count_fates(many)
        print(f"{name:<14}{len(many):>10}" + "".join(f"{fates[one]:>14}" for one in _COLUMNS))
    for name, one in broken:
        kept = "" if one.keeps_neighbours else ", neighbours lost"
        print(f"{name} {one.number} {one.way}: {one.fate}{kept} {one.error or ''}")


if __name__ == "__main__":
    sys.exit(_main())
