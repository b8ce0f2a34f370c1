"""Whom every question about a record is asked: Memoria, and the floors that need only the words."""

import argparse
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from bench.command import Asker, SheetMaker, measure, parser
from bench.data import DataSet
from bench.floor import ask_floor
from bench.fts5 import ask_fts5
from bench.product import RawFirstLevel, ask_memoria
from bench.sheets import compare_halves
from bench.shown import show_within

NO_FLOORS: Mapping[str, Asker] = {}


def second_level(keep: Path | None = None) -> dict[str, Asker]:
    """Memoria's search of the transcript, beside SQLite's full-text search and plain BM25.

    Args:
        keep: where filled homes are kept for later runs.
    """
    return {"memoria": partial(ask_memoria, keep=keep), "fts5": ask_fts5, "bm25": ask_floor}


def record_parser(name: str) -> argparse.ArgumentParser:
    """What a command that asks about a record can be told."""
    options = parser(name)
    options.add_argument(
        "--first-level", action="store_true", help="ask the first level too, no model about"
    )
    options.add_argument(
        "--shown", action="store_true", help="also what is told within 700 and 2,000 tokens"
    )
    options.add_argument(
        "--folds", action="store_true", help="also by every other conversation and those between"
    )
    return options


def measure_record(
    name: str,
    data_set: DataSet,
    arguments: argparse.Namespace,
    makers: Sequence[SheetMaker] = (),
    floors: Mapping[str, Asker] = NO_FLOORS,
) -> int:
    """Measure what the arguments ask for on a data set, and print it.

    Args:
        name: the benchmark's.
        data_set: what is recorded and asked.
        arguments: as `record_parser` reads them.
        makers: what else is shown of the answers.
        floors: who else is asked the same.

    Returns:
        The exit code: 0, or 2 when the data set is not there.
    """
    keep, slices = arguments.keep, data_set.slices
    systems = {**second_level(keep), **floors}
    if arguments.first_level:
        systems["first level"] = partial(ask_memoria, keep=keep, level=RawFirstLevel)
    chosen = [*makers]
    if arguments.folds:
        chosen.append(partial(compare_halves, slices=slices))
    if arguments.shown:
        chosen.append(partial(show_within, slices=slices, keep=keep))
    return measure(name, systems, data_set, arguments, chosen)
