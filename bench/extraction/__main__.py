"""The command line: the demo's conversation or LoCoMo's, and the configured chat model.

python -m bench.extraction                       # the conversation of `memoria demo`
python -m bench.extraction --locomo --sessions 2
python -m bench.extraction --price               # what reading costs, with a scripted model
python -m bench.extraction --recorded            # labelled conversations, recorded answers
python -m bench.extraction --recorded --record F # the same; what has no answer waits for one in F
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import anyio
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TimeElapsedColumn

from bench.command import NO_MODEL
from bench.data import data_folder, has_locomo
from bench.extraction.price_table import print_prices
from bench.extraction.recorded_table import print_recorded
from bench.extraction.run import Report, extract_all, home_of
from bench.extraction.talk import Talk, demo_talk, locomo_talk
from bench.output import rounded, table
from memoria.config import Settings
from memoria.inference.chat.client import choose_chat_model

_NO_DATA = (
    "There is no locomo/locomo_dev.json. Name the folder that holds locomo/ with MEMORIA_DATA, or "
    "leave --locomo out."
)
_NOT_POSSIBLE = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Have a conversation read and print what came of it.

    Returns:
        The exit code: 0 when every entry came to an end, 1 when one did not or a figure is short of
        its bound, 2 when there is no model, no answer or no data.
    """
    arguments = _parser().parse_args(argv)
    if arguments.price:
        return print_prices(as_json=arguments.json)
    if arguments.recorded or arguments.record:
        return print_recorded(arguments)
    settings = Settings.load()
    if choose_chat_model(settings) is None:
        sys.stderr.write(NO_MODEL)
        return _NOT_POSSIBLE
    talk = _talk(arguments.locomo)
    if talk is None:
        print(_NO_DATA, file=sys.stderr)
        return _NOT_POSSIBLE
    report = _run(settings, talk[: arguments.sessions], arguments.minutes * 60)
    if arguments.json:
        print(json.dumps(_plain(report), ensure_ascii=False, indent=2))
    else:
        _print(report)
    return 0 if report.ended else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.extraction")
    parser.add_argument("--locomo", action="store_true", help="a conversation of LoCoMo instead")
    parser.add_argument("--price", action="store_true", help="tokens per 1,000 of conversation")
    _add_recorded(parser)
    parser.add_argument("--sessions", type=int, metavar="N", help="only the first N sessions")
    parser.add_argument("--minutes", type=float, default=60, help="how long to wait for the end")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    return parser


def _add_recorded(parser: argparse.ArgumentParser) -> None:
    recorded = parser.add_argument_group("conversations that others labelled")
    recorded.add_argument(
        "--recorded", action="store_true", help="labelled conversations, by recorded answers"
    )
    recorded.add_argument(
        "--record", type=Path, metavar="FOLDER", help="write new questions there, wait for answers"
    )
    recorded.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="this conversation; repeatable"
    )
    recorded.add_argument("--misses", action="store_true", help="each miss, and what there was")
    recorded.add_argument(
        "--material",
        type=Path,
        action="append",
        metavar="FOLDER",
        help="holds folders labelled and recorded, instead of this one's; repeatable",
    )


def _talk(of_locomo: bool) -> Talk | None:
    if not of_locomo:
        return demo_talk()
    folder = data_folder()
    return None if folder is None or not has_locomo(folder) else locomo_talk(folder)


def _run(settings: Settings, talk: Talk, timeout_s: float) -> Report:
    with tempfile.TemporaryDirectory(prefix="memoria-extraction-") as folder, _progress() as told:
        own = home_of(settings, Path(folder))
        return anyio.run(extract_all, own, talk, timeout_s, told)


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """Where (finished, all) is told; silent where standard error is no terminal."""
    console = Console(stderr=True)
    columns = ("{task.description}", MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("Reading")
        yield lambda finished, every: bar.update(task, completed=finished, total=every)


def _plain(report: Report) -> object:
    shares = {
        "valid_at_first_share": report.calls.first_share,
        "valid_after_repair_share": report.calls.repaired_share,
        "quotes_found_share": report.quotes_found_share,
    }
    return rounded({**report.model_dump(mode="json"), **shares, "ended": report.ended})


def _print(report: Report) -> None:
    calls = report.calls
    found = table(f"{report.model}, {report.turns} turns, {report.seconds:,.0f} s", 1, "what", "n")
    for name, counts in (
        ("entry", report.entries),
        ("call", calls.outcomes),
        ("operation", report.applied),
        ("rejected", report.rejected),
    ):
        for kind, count in sorted(counts.items()):
            found.add_row(f"{name}: {kind}", f"{count:,}")
    found.add_row("tokens in", f"{calls.tokens_in:,}")
    found.add_row("tokens out", f"{calls.tokens_out:,}")
    found.add_row("seconds of calls", f"{calls.seconds:,.1f}")
    found.add_row("valid at first", _of(calls.valid_at_first, calls.invalid_at_first))
    found.add_row("valid after repair", _of(calls.valid_after_repair, calls.invalid_after_repair))
    share = report.quotes_found_share
    found.add_row("quotes found", "none" if share is None else f"{share:.0%}")
    Console().print(found)
    for line in _lines(report):
        print(line)


def _of(good: int, bad: int) -> str:
    return f"{good} of {good + bad}"


def _lines(report: Report) -> Iterator[str]:
    yield f"\n{len(report.stored)} memories, none of them judged:"
    for one in report.stored:
        place = f"{one.type}, {one.validity}; {one.session} #{one.turn}"
        yield f"- {one.content} ({place}: “{one.quote}”)"
    for dead in report.dead:
        first, last = dead.turns
        yield f"dead: {dead.session} #{first} to #{last}: {dead.reason}"
    for reason in report.waiting:
        yield f"still waiting: {reason}"


if __name__ == "__main__":
    sys.exit(main())
