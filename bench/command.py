"""What the commands over LoCoMo share: arguments, data, progress, and where the report goes."""

import argparse
import json
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path

import anyio
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TimeElapsedColumn

from bench.ask import LIMIT, Figures, Outcome, figures
from bench.data import Conversation, Question, data_folder, has_locomo, locomo
from bench.output import rounded
from bench.report import tables
from memoria import Settings

Asker = Callable[[Sequence[Conversation], Callable[[], None]], Awaitable[list[Outcome]]]
"""Asks one system every question of every conversation, telling the second argument of each."""

_NO_DATA = 2
_NO_DATA_MESSAGE = (
    "There is no locomo/locomo_dev.json. Name the folder that holds locomo/ with --data or "
    "MEMORIA_DATA; without either it is looked for in ../shared/data beside the project.\n"
)


def run(name: str, systems: Mapping[str, Asker], argv: Sequence[str] | None = None) -> int:
    """Measure the systems side by side and print what was found.

    Returns:
        The exit code: 0, or 2 when the data set is not there.
    """
    arguments = _parser(name).parse_args(argv)
    folder = arguments.data or data_folder()
    if folder is None or not has_locomo(folder):
        sys.stderr.write(_NO_DATA_MESSAGE)
        return _NO_DATA
    conversations = _limited(locomo(folder), arguments.limit_questions)
    found = {title: _measure(title, asker, conversations) for title, asker in systems.items()}
    if arguments.json:
        print(json.dumps(_document(name, conversations, found), indent=2))
    else:
        Console().print(*tables(found), sep="\n")
    return 0


def _parser(name: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"python -m {name}")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.add_argument("--data", type=Path, help="the folder that holds locomo/")
    parser.add_argument(
        "--limit-questions",
        type=int,
        metavar="N",
        help="N of each conversation only, evenly spaced",
    )
    return parser


def _limited(conversations: Sequence[Conversation], most: int | None) -> tuple[Conversation, ...]:
    """At most so many questions of each, evenly spaced: LoCoMo keeps its categories together."""
    return tuple(replace(c, questions=_spread(c.questions, most)) for c in conversations)


def _spread(questions: tuple[Question, ...], most: int | None) -> tuple[Question, ...]:
    if most is None or most >= len(questions):
        return questions
    return tuple(questions[i * len(questions) // most] for i in range(most))


def _measure(title: str, asker: Asker, conversations: Sequence[Conversation]) -> Figures:
    with _progress(title, sum(len(c.questions) for c in conversations)) as done:
        return figures(anyio.run(asker, conversations, done))


@contextmanager
def _progress(title: str, total: int) -> Iterator[Callable[[], None]]:
    console = Console(stderr=True)
    columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as progress:
        task = progress.add_task(title, total=total)
        yield lambda: progress.advance(task)


def _document(
    name: str, conversations: Sequence[Conversation], found: Mapping[str, Figures]
) -> dict[str, object]:
    return {
        "benchmark": name,
        "conversations": [c.name for c in conversations],
        "turns": sum(len(c.turns) for c in conversations),
        "questions": sum(len(c.questions) for c in conversations),
        "limit": LIMIT,
        "settings_changed": _changed_settings(),
        "systems": {title: rounded(asdict(each)) for title, each in found.items()},
    }


def _changed_settings() -> list[str]:
    """What the environment sets away from its default: such a run backs no claim."""
    return sorted(Settings.load().model_fields_set - {"home", "tenant"})
