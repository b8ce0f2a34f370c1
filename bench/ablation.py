"""What does each stage of the ranking buy?

A data set is recorded once and asked of the whole product, then again with one stage switched off
at a time (`search_conversation_traces(…, without=[stage])`). What a row loses against the first is
what its stage contributes. Over all sets, one table for each level has recall@10 of the whole and
what each stage adds to it; for questions without an answer, the share met with silence.

    python -m bench.ablation                 # LoCoMo
    python -m bench.ablation beam            # or another set of `bench.recall`
    python -m bench.ablation all             # every set, both levels
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import anyio

from bench.ask import Quality, figures
from bench.command import limit_questions, measure, no_data, parser, progress
from bench.data import Conversation, DataSet, data_folder
from bench.output import Cell, Sheet, report_console
from bench.product import Level, Product, RawFirstLevel, ask_memoria
from bench.recall.sets import RECORDS
from memoria.retrieval.query.options import STAGES

_FIRST_LEVEL_ALONE = ("current", "boosts", "diversity")
_TOLD_OTHERWISE = ("meaning", "rerank")
"""What `vectors` switches off with its source, and what no home has without being told."""
_SOURCES = ("text", "vectors")
_BOTH = tuple(s for s in STAGES if s not in (*_FIRST_LEVEL_ALONE, *_TOLD_OTHERWISE))
OFF: Mapping[str, Sequence[str]] = {
    "second level": (*_SOURCES, *_BOTH),
    "first level": (*_SOURCES, "graph", *_BOTH, *_FIRST_LEVEL_ALONE),
}
"""By level, the parts that it is asked without."""
_LEVELS: Mapping[str, Level] = {"second level": Product, "first level": RawFirstLevel}
_EVERY = "all"
_SILENCE = "foreign"
_NO_DATA = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Ask a set of the product and of the product without each stage. 2 where it is not there."""
    options = parser("bench.ablation")
    names = (_EVERY, *RECORDS)
    options.add_argument(
        "dataset", choices=names, nargs="?", default="locomo", help="what is asked"
    )
    arguments = options.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="memoria-bench-") as folder:
        keep = arguments.keep or Path(folder)
        if arguments.dataset == _EVERY:
            return _measure_all(arguments, keep)
        systems = {"all": partial(ask_memoria, keep=keep)}
        for stage in OFF["second level"]:
            systems[f"− {stage}"] = partial(ask_memoria, keep=keep, without=(stage,))
        name = f"bench.ablation {arguments.dataset}"
        return measure(name, systems, RECORDS[arguments.dataset], arguments)


def _measure_all(arguments: argparse.Namespace, keep: Path) -> int:
    folder = arguments.data or data_folder()
    sets = {name: each for name, each in RECORDS.items() if not each.missing(folder)}
    missing = [file for each in RECORDS.values() for file in each.missing(folder)]
    asked = {
        name: limit_questions(each.read(folder or Path()), arguments.limit_questions)
        for name, each in sets.items()
    }
    sheets = [_compare_stages(level, sets, asked, keep) for level in _LEVELS]
    if arguments.json:
        print(json.dumps({sheet.title: sheet.to_document() for sheet in sheets}, indent=2))
    else:
        report_console().print(*(sheet.to_table() for sheet in sheets), sep="\n")
    for file in missing:
        sys.stderr.write(no_data(file))
    return _NO_DATA if missing else 0


def _compare_stages(
    level: str, sets: Mapping[str, DataSet], asked: Mapping[str, Sequence[Conversation]], keep: Path
) -> Sheet:
    columns = {
        name: list(_list_scores(name, level, data_set, asked[name], keep))
        for name, data_set in sets.items()
    }
    rows = [
        ("all" if place == 0 else f"− {OFF[level][place - 1]}", *cells)
        for place, cells in enumerate(zip(*columns.values(), strict=True))
    ]
    title = f"R@10 at the {level}, and what is lost without each stage ({_SILENCE}: silence)"
    return Sheet(title, ("stages", *columns), rows)


def _list_scores(
    name: str, level: str, data_set: DataSet, conversations: Sequence[Conversation], keep: Path
) -> Iterator[Cell]:
    """The whole's score, then the difference without each stage."""
    runs = [(), *((stage,) for stage in OFF[level])]
    total = len(runs) * sum(len(each.questions) for each in conversations)
    whole = None
    with progress(f"{name}, {level}", total) as done:
        for without in runs:
            asker = partial(ask_memoria, keep=keep, without=without, level=_LEVELS[level])
            quality = figures(anyio.run(asker, conversations, done), data_set.slices).quality
            score = _score(name, quality)
            yield score if whole is None else score - whole
            whole = score if whole is None else whole


def _score(name: str, quality: Mapping[str, Quality]) -> float:
    return quality[_SILENCE].silent if name == _SILENCE else quality["overall"].recall[10]


if __name__ == "__main__":
    sys.exit(main())
