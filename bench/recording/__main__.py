"""The command line of the recording benchmark."""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.checkouts import THIS
from bench.command import limit_questions, no_data
from bench.data import LOCOMO, Conversation, data_folder
from bench.output import Cell, Sheet, report_console
from bench.recall.beam import BEAM
from bench.recording.record import LIMITS
from bench.recording.run import DEPTHS, WAYS, Recorded, count_changed, measure, measure_recall

_SETS = {"beam": BEAM, "locomo": LOCOMO}
_RECALLS = tuple(f"{level} R@{depth}" for level in LIMITS for depth in DEPTHS)
_HEADINGS = (
    *("set", "way", "checkout", "turns", "CPU s / 1,000"),
    *("questions", *_RECALLS, "answers changed"),
)
_NO_DATA = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print. 2 where a set is not there."""
    arguments = _parser().parse_args(argv)
    folder = arguments.data or data_folder()
    rows: list[Sequence[Cell]] = []
    for name in arguments.sets:
        if missing := _SETS[name].missing(folder):
            sys.stderr.write(no_data(missing[0]))
            return _NO_DATA
        read = _SETS[name].read(folder or Path())[: arguments.chats]
        conversations = limit_questions(read, arguments.limit_questions)
        for way in arguments.ways:
            rows += _compare(name, way, conversations, arguments.beside)
    sheet = Sheet("Recording, until all has its vectors", _HEADINGS, rows, words=3)
    if arguments.json:
        document = {"benchmark": "bench.recording", "recorded": sheet.to_document()}
        print(json.dumps(document, indent=2))
    else:
        report_console().print(sheet.to_table())
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.recording")
    parser.add_argument("--sets", nargs="+", choices=list(_SETS), default=list(_SETS))
    parser.add_argument("--ways", nargs="+", choices=list(WAYS), default=list(WAYS))
    parser.add_argument("--chats", type=int, metavar="N", help="the first N of each set only")
    parser.add_argument("--limit-questions", type=int, metavar="N", help="N of each chat only")
    parser.add_argument("--beside", type=Path, help="an older checkout, in turns with this one")
    parser.add_argument("--data", type=Path, help="the folder of the shared data sets")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    return parser


def _compare(
    name: str, way: str, conversations: Sequence[Conversation], beside: Path | None
) -> Iterator[Sequence[Cell]]:
    """A row for each checkout, the older one first."""
    checkouts = {"older": beside.resolve()} if beside else {}
    before: Recorded | None = None
    for title, checkout in {**checkouts, "this one": THIS}.items():
        done = measure(conversations, way, checkout)
        sys.stderr.write(f"{name}, {way}, {title}: {done.cpu_s:.1f} s of CPU\n")
        recalls = measure_recall(conversations, done.found)
        yield (
            *(name, way, title, done.turns, f"{done.cpu_s_per_1000:.1f}"),
            sum(len(one.questions) for one in conversations),
            *(recalls[each] for each in _RECALLS),
            None if before is None else count_changed(done.found, before.found),
        )
        before = done


if __name__ == "__main__":
    sys.exit(main())
