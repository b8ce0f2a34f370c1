"""What does each group of rules buy, and what does it cost in lines?

    python -m bench.rules --held FOLDER                # measure; once more, it goes on
    python -m bench.rules --write docs/rules.md

Each set is asked with all rules and then without one group at a time, and each labelled text is
marked so. Every figure is kept in a file at once: a run may be broken off, and a set or a group may
be measured anew. `gone.json` keeps the figures by which groups were judged whose rules are gone.
"""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import anyio

from bench.command import no_data, progress
from bench.data import Conversation, data_folder
from bench.rules.groups import MARKED, SEARCHED, Group
from bench.rules.labels import Label, measure_labels, read_labels
from bench.rules.measure import measure_set
from bench.rules.page import WHOLE, Figures, Found, render_page
from bench.rules.sets import read_sets

_FIGURES = Path(__file__).with_name("figures.json")
_GONE = Path(__file__).with_name("gone.json")
_NO_DATA = 2

Measure = Callable[[Group | None], Found]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure what is not in the file yet, or write the page. 2 where there is no data."""
    arguments = _parser().parse_args(argv)
    figures = _read_figures(arguments.into)
    if arguments.write:
        arguments.write.write_text(render_page(figures, _read_figures(_GONE)), "utf-8")
        return 0
    folder = arguments.data or data_folder()
    if folder is None:
        sys.stderr.write(no_data("shared data"))
        return _NO_DATA
    sets = read_sets(folder, arguments.held, arguments.limit_questions)
    labels = {} if arguments.held is None else read_labels(arguments.held)
    for name, found in labels.items():
        _measure(name, MARKED, _mark(found), arguments, figures)
    for name, conversations in sets.items():
        _measure(name, SEARCHED, _ask(name, conversations, arguments.keep), arguments, figures)
    return 0


def _measure(
    name: str,
    groups: Sequence[Group],
    measure: Measure,
    arguments: argparse.Namespace,
    figures: Figures,
) -> None:
    """Measure a set with all rules and without each group, keeping every figure at once."""
    if arguments.sets and name not in arguments.sets:
        return
    known = figures["sets"].setdefault(name, {})
    for group in (None, *groups):
        key = WHOLE if group is None else group.name
        if group is not None:
            figures["groups"][key] = {"purpose": group.purpose, "lines": group.count_lines()}
        if key not in known and (not arguments.groups or key in (WHOLE, *arguments.groups)):
            known[key] = measure(group)
            arguments.into.write_text(json.dumps(figures, indent=2) + "\n", "utf-8")


def _ask(name: str, conversations: Sequence[Conversation], keep: Path | None) -> Measure:
    asked = sum(len(each.questions) for each in conversations)

    def measure(group: Group | None) -> Found:
        with progress(name, asked) as done:
            found = anyio.run(partial(measure_set, conversations, group, keep, done))
        return {**_round(found._asdict()), "of": asked}

    return measure


def _mark(labels: Sequence[Label]) -> Measure:
    def measure(group: Group | None) -> Found:
        return {**_round(measure_labels(labels, group)._asdict()), "of": len(labels)}

    return measure


def _round(found: Mapping[str, float]) -> Found:
    return {key: round(value, 4) for key, value in found.items()}


def _read_figures(file: Path) -> Figures:
    if not file.is_file():
        return {"groups": {}, "sets": {}}
    figures: Figures = json.loads(file.read_text("utf-8"))
    return figures


def _parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(prog="python -m bench.rules")
    options.add_argument("--into", type=Path, default=_FIGURES, help="the file of the figures")
    options.add_argument("--write", type=Path, help="write the page of the figures there")
    options.add_argument("--data", type=Path, help="the folder that holds the data sets")
    options.add_argument("--held", type=Path, help="the folder of cases that others wrote")
    options.add_argument("--keep", type=Path, help="keep the filled homes there")
    options.add_argument("--sets", type=lambda text: text.split(","), help="these alone")
    options.add_argument("--groups", type=lambda text: text.split(","), help="these alone")
    options.add_argument("--limit-questions", type=int, help="of each public conversation")
    return options


if __name__ == "__main__":
    sys.exit(main())
