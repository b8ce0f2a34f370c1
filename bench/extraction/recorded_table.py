"""The table of what is remembered of labelled conversations, by recorded answers of a model."""

import argparse
import json
import multiprocessing
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from bench.extraction.answers import Answers, Folder, UnansweredError
from bench.extraction.judged import Verdict, add_up, judge
from bench.extraction.labels import Labelled, read_labelled
from bench.extraction.lived import Mode, live_through
from bench.output import Cell, Sheet, report_console, rounded

MATERIAL = Path(__file__).parent
"""Holds `labelled`, the conversations, and `recorded`, the answers."""
TARGETS = {
    "facts kept": 0.97,
    "current first": 1.0,
    "ended in time": 1.0,
    "not erased": 1.0,
    "scope right": 0.95,
    "traps avoided": 1.0,
}
_OTHERS = (
    "aliases joined",
    "in the first",
    "in the first three",
    "in three lines",
    "nothing shown that is over",
)
_BACKLOG = ("beam", "two_people")
"""Those that are recorded whole and read then; every other is read as it is said."""
_AT_ONCE = 4
_NOT_POSSIBLE = 2


@dataclass(frozen=True, slots=True)
class Order:
    """What one process is to do."""

    labelled: Labelled
    answers: Path
    folder: Path | None
    """Where questions without an answer are written; None where there should be none."""
    embedder: str = "bundled"


def print_recorded(arguments: argparse.Namespace) -> int:
    """Play every labelled conversation and print the figures.

    Returns:
        The exit code: 0, 1 where a figure is under its target, 2 where an answer is missing or a
        file is of no use.
    """
    try:
        verdicts = measure_all([*_list_orders(arguments)])
    except (ValueError, UnansweredError) as error:
        print(error, file=sys.stderr)
        return _NOT_POSSIBLE
    if arguments.json:
        print(json.dumps([*map(describe, verdicts)], ensure_ascii=False, indent=2))
    else:
        _print_tables(verdicts, misses=arguments.misses)
    return int(not all(map(_meets_targets, verdicts)))


def _list_orders(arguments: argparse.Namespace) -> Iterator[Order]:
    """What is to be played: what is named, of all the folders that are."""
    found = [
        (one, folder / "recorded" / f"{one.name}.jsonl")
        for folder in arguments.material or [MATERIAL]
        for one in read_labelled(folder / "labelled")
    ]
    names = [one.name for one, _ in found]
    if unknown := [name for name in arguments.only if name not in names]:
        raise ValueError(f"There is no conversation {unknown[0]}. There is: {', '.join(names)}.")
    record = arguments.record
    for one, file in found:
        if not arguments.only or one.name in arguments.only:
            yield Order(one, file, None if record is None else record / one.name)


def measure_all(orders: Sequence[Order]) -> list[Verdict]:
    """The figures of each conversation; several are played at once, each in its own process."""
    if len(orders) == 1:
        return [measure(orders[0])]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(_AT_ONCE, len(orders)), mp_context=context) as pool:
        return list(pool.map(measure, orders))


def measure(order: Order) -> Verdict:
    """The figures of one conversation.

    Raises:
        UnansweredError: a question has no answer.
    """
    other = None if order.folder is None else Folder(order.folder)
    answers = Answers(order.answers, other)
    mode: Mode = "backlog" if order.labelled.name in _BACKLOG else "live"
    with tempfile.TemporaryDirectory(prefix="memoria-recorded-") as folder:
        life = live_through(order.labelled, mode, answers, Path(folder), order.embedder)
    if other is not None:
        answers.forget_unasked()
    return judge(life)


def describe(verdict: Verdict) -> object:
    """A conversation's figures for JSON."""
    return rounded(
        {
            "name": verdict.name,
            "figures": {
                name: {"right": verdict.right[name], "of": of, "share": verdict.right[name] / of}
                for name, of in sorted(verdict.all.items())
            },
            "memories": verdict.memories,
            "unread": verdict.unread,
            "rejected": dict(verdict.rejected),
            "spoken_tokens": verdict.spoken,
            "input_tokens": verdict.tokens_in,
            "output_tokens": verdict.tokens_out,
            "calls": dict(verdict.calls),
            "misses": [
                {"figure": one.figure, "wanted": one.wanted, "found": list(one.found)}
                for one in verdict.misses
            ],
        }
    )


def _meets_targets(verdict: Verdict) -> bool:
    reached = (
        verdict.right[name] >= least * verdict.all[name]
        for name, least in TARGETS.items()
        if verdict.all[name]
    )
    return not verdict.unread and all(reached)


def _print_tables(verdicts: Sequence[Verdict], *, misses: bool) -> None:
    columns = [*verdicts, add_up(verdicts)] if len(verdicts) > 1 else [*verdicts]
    headings = ["figure", "target", *(one.name for one in columns)]
    rows = [*_list_rows(columns)]
    report_console().print(Sheet("Recorded answers", headings, rows).to_table())
    for one in verdicts:
        for why, count in sorted(one.rejected.items()):
            print(f"{one.name}, rejected: {why}: {count}")
    if misses:
        for line in (line for one in verdicts for line in _list_misses(one)):
            print(line)


def _list_rows(columns: Sequence[Verdict]) -> Iterator[list[Cell]]:
    for name in (*TARGETS, *_OTHERS):
        if any(one.all[name] for one in columns):
            target = f"{TARGETS[name]:.2f}" if name in TARGETS else ""
            yield [name, target, *(f"{one.right[name]} of {one.all[name]}" for one in columns)]
    yield ["proposals rejected", "", *(one.rejected.total() for one in columns)]
    yield ["left unread", "", *(one.unread for one in columns)]
    yield ["memories", "", *(one.memories for one in columns)]
    yield ["calls", "", *(one.calls.total() for one in columns)]
    yield ["input ÷ conversation", "", *(f"{one.tokens_in / one.spoken:.2f}" for one in columns)]
    yield ["output ÷ conversation", "", *(f"{one.tokens_out / one.spoken:.2f}" for one in columns)]


def _list_misses(verdict: Verdict) -> Iterator[str]:
    yield f"\n{verdict.name}"
    for miss in verdict.misses:
        yield f"- {miss.figure}: {miss.wanted}"
        yield from (f"    {line}" for line in miss.found or ("nothing",))
