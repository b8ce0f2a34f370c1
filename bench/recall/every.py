"""Every set at both levels in one table, beside SQLite's own full-text search of the same run.

Its headline is where Memoria stands worst against that floor: an average over sets would hide it.

python -m bench.recall all --keep FOLDER
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import anyio

from bench.ask import Outcome, Quality, figures
from bench.command import Asker, limit_questions, no_data, progress
from bench.data import Conversation, DataSet, data_folder
from bench.fts5 import ask_fts5
from bench.output import Cell, Sheet, report_console, rounded
from bench.product import RawFirstLevel, ask_memoria
from bench.recall.sets import CONCLUSIONS, FIRST_LEVEL, RECORDS
from bench.shown import BUDGETS, ShownShare, ask_within, share_within

_OVERALL = "overall"
_SILENCE = "foreign"
"""The set whose questions want no answer: it is told apart from the others."""
_OF_SESSIONS = "longmemeval"
"""Its gold are sessions, which no single sentence tells."""
_FEWEST = 15
"""Questions a group needs to be named in the headline."""
_NO_DATA = 2

Slices = Mapping[str, Quality]


@dataclass(frozen=True, slots=True)
class SetFigures:
    """What came of one set, by group of questions; nothing of a level that is not asked."""

    name: str
    floor: Slices
    second: Slices
    first: Slices
    shown: Mapping[int, float]
    """By budget: gold turns told in the answer's text; empty where that is not measured."""

    def list_ratios(self) -> Iterator[tuple[float, str]]:
        """Recall@10 against the floor's: of the whole set, and of each group of questions."""
        for level, quality in (("second level", self.second), ("first level", self.first)):
            for group, ours in quality.items():
                ratio = _ratio(ours, self.floor[group])
                if ratio is not None and (group == _OVERALL or ours.answerable >= _FEWEST):
                    yield ratio, f"{self.name}, {group}, {level}"


def measure_all(arguments: argparse.Namespace) -> int:
    """Ask every set and print the table; 2 where one is not there, all others are still asked."""
    folder = arguments.data or data_folder()
    found, missing = [], []
    with tempfile.TemporaryDirectory(prefix="memoria-bench-") as temporary:
        keep = arguments.keep or Path(temporary)
        for name, data_set in {**RECORDS, **CONCLUSIONS}.items():
            if absent := data_set.missing(folder):
                missing.append(absent[0])
                continue
            conversations = limit_questions(
                data_set.read(folder or Path()), arguments.limit_questions
            )
            found.append(_measure_set(name, data_set, conversations, keep))
    _print(found, as_json=arguments.json)
    for each in missing:
        sys.stderr.write(no_data(each))
    return _NO_DATA if missing else 0


def _measure_set(
    name: str, data_set: DataSet, conversations: Sequence[Conversation], keep: Path
) -> SetFigures:
    started = time.monotonic()

    def ask(what: str, asker: Asker) -> Slices:
        with progress(f"{name}: {what}", _count(conversations)) as done:
            outcomes: list[Outcome] = anyio.run(asker, conversations, done)
        return figures(outcomes, data_set.slices).quality

    floor = ask("floor", ask_fts5)
    if name in CONCLUSIONS:
        first = ask("first level", FIRST_LEVEL[name]()["memoria"])
        found = SetFigures(name, floor, {}, first, {})
    else:
        second = ask("second level", partial(ask_memoria, keep=keep))
        first = ask("first level", partial(ask_memoria, keep=keep, level=RawFirstLevel))
        is_told = name not in (_SILENCE, _OF_SESSIONS)
        shown = _measure_shown(name, data_set, conversations, keep) if is_told else {}
        found = SetFigures(name, floor, second, first, shown)
    sys.stderr.write(f"{name}: {time.monotonic() - started:.0f} s\n")
    return found


def _measure_shown(
    name: str, data_set: DataSet, conversations: Sequence[Conversation], keep: Path
) -> dict[int, float]:
    with progress(f"{name}: shown", _count(conversations)) as done:
        seen: list[ShownShare] = anyio.run(partial(ask_within, keep=keep), conversations, done)
    own = [each for each in seen if each.question.category in data_set.slices[_OVERALL]]
    return {budget: share_within(own, budget) for budget in BUDGETS}


def _print(found: Sequence[SetFigures], *, as_json: bool) -> None:
    ratios = sorted(ratio for each in found for ratio in each.list_ratios())
    whole = [each for each in ratios if f", {_OVERALL}, " in each[1]]
    headline = "; ".join(
        f"worst {what}: {best[0][0]:.2f} of the floor ({best[0][1]})"
        for what, best in (("set", whole), ("group of questions", ratios))
        if best
    )
    sheets = [_recall_sheet(found), _silence_sheet(found)]
    if as_json:
        document = {sheet.title: sheet.to_document() for sheet in sheets}
        worst = [{"ratio": rounded(ratio), "where": where} for ratio, where in ratios[:_FEWEST]]
        report = {"benchmark": "bench.recall all", "headline": headline, "worst": worst}
        print(json.dumps({**report, "sheets": document}, indent=2))
        return
    console = report_console()
    console.print(headline, *(sheet.to_table() for sheet in sheets), sep="\n")


def _recall_sheet(found: Sequence[SetFigures]) -> Sheet:
    headings = (
        "set", "n", "floor R@5", "second", "floor R@10", "second", "× floor", "silent",
        "first R@10", "× floor", "silent", *(f"told in {budget}" for budget in BUDGETS),
    )  # fmt: skip
    rows = [tuple(_recall_cells(each)) for each in found]
    return Sheet(
        "Recall overall, answerable questions; first level without a model", headings, rows
    )


def _recall_cells(each: SetFigures) -> Iterator[Cell]:
    floor, second = each.floor[_OVERALL], each.second.get(_OVERALL)
    yield each.name
    yield floor.answerable
    yield floor.recall[5]
    yield second.recall[5] if second else None
    yield floor.recall[10]
    for level in (second, each.first[_OVERALL]):
        yield level.recall[10] if level else None
        yield _ratio(level, floor) if level else None
        yield level.silent if level else None
    yield from (each.shown.get(budget) for budget in BUDGETS)


def _silence_sheet(found: Sequence[SetFigures]) -> Sheet:
    """The share met with silence, of every group of questions to which nothing is an answer."""
    rows = []
    for each in found:
        for group, floor in each.floor.items():
            if floor.questions and not floor.answerable:
                second = each.second[group].silent if each.second else None
                name = f"{each.name}: {group}"
                rows.append((name, floor.questions, second, each.first[group].silent))
    headings = ("questions without an answer", "n", "second level", "first level")
    return Sheet("Met with silence", headings, rows)


def _ratio(ours: Quality, floor: Quality) -> float | None:
    return ours.recall[10] / floor.recall[10] if floor.recall[10] else None


def _count(conversations: Sequence[Conversation]) -> int:
    return sum(len(each.questions) for each in conversations)
