"""Is what was said last among the answer, and what a request rests on?

    python -m bench.later pairs.jsonl                         # corrections, alone
    python -m bench.later pairs.jsonl --others 400            # among 400 other turns
    python -m bench.later wishes.jsonl --queries w.jsonl      # asked with other wordings
    python -m bench.later never.jsonl                         # what was never said

The files are not part of the project: a case is worth most to whoever has not seen it.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import anyio

from bench.command import no_data, progress
from bench.data import data_folder
from bench.later.ask import Seen, ask_group, summarise
from bench.later.cases import make_groups, read_cases
from bench.later.never import Report, ask_lives, is_of_lives, read_lives
from bench.output import Cell, Sheet, report_console

_NO_DATA = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Ask every case of a file. 2 where the talk around them is not there."""
    arguments = _parser().parse_args(argv)
    folder = data_folder()
    if folder is None and arguments.others:
        sys.stderr.write(no_data("shared data"))
        return _NO_DATA
    if is_of_lives(arguments.file):
        report = anyio.run(ask_lives, read_lives(arguments.file))
    else:
        report = anyio.run(_measure, arguments, folder or Path())
    if arguments.json:
        print(json.dumps(report, indent=2, ensure_ascii=False))
    else:
        report_console().print(_make_sheet(report["figures"]).to_table())
    return 0


async def _measure(arguments: argparse.Namespace, folder: Path) -> Report:
    cases = read_cases(arguments.file, arguments.queries)
    groups = make_groups(cases, arguments.others, folder, arguments.homes)
    seen: list[Seen] = []
    with progress("Asking", sum(len(group.cases) for group in groups)) as done:
        for group in groups:
            found = await ask_group(
                group, arguments.level, with_queries=arguments.queries is not None
            )
            seen += found
            for _ in found:
                done()
    languages = dict.fromkeys(one.case.language for one in seen)
    parts = {name: [one for one in seen if one.case.language == name] for name in languages}
    figures = {name: summarise(part) for name, part in {**parts, "all": seen}.items()}
    return {"figures": figures, "cases": [one.describe() for one in seen]}


def _make_sheet(figures: Mapping[str, Mapping[str, float]]) -> Sheet:
    names = list(next(iter(figures.values())))
    rows: list[list[Cell]] = [[part, *found.values()] for part, found in figures.items()]
    return Sheet("bench.later", ["cases of", *names], rows)


def _parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(prog="python -m bench.later")
    options.add_argument("file", type=Path, help="the cases, JSON Lines")
    options.add_argument("--others", type=int, default=0, help="other turns in each home")
    options.add_argument("--queries", type=Path, help="other wordings, by the id of a case")
    options.add_argument("--level", choices=("first", "second"), default="first")
    options.add_argument("--homes", type=int, help="homes of each language at most")
    options.add_argument("--json", action="store_true", help="one JSON document on stdout")
    return options


if __name__ == "__main__":
    sys.exit(main())
