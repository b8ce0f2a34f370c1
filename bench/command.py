"""What the commands that ask questions share: arguments, data, progress, where reports go."""

import argparse
import json
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path

import anyio
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TimeElapsedColumn

from bench.ask import LIMIT, Figures, Outcome, figures
from bench.data import Conversation, DataSet, Question, data_folder
from bench.output import Sheet, report_console, rounded
from bench.report import tables
from memoria import Settings

Asker = Callable[[Sequence[Conversation], Callable[[], None]], Awaitable[list[Outcome]]]
"""Asks one system every question of every conversation, telling the second argument of each."""

SheetMaker = Callable[[Sequence[Conversation], Mapping[str, Sequence[Outcome]]], Iterable[Sheet]]
"""Makes further tables of what every system answered."""

NO_MODEL = (
    "No chat model is configured. Set MEMORIA_LLM_BASE_URL and MEMORIA_LLM_MODEL (and "
    "MEMORIA_LLM_API_KEY where the endpoint wants a key), or MEMORIA_LLM_COMMAND.\n"
)
_NO_DATA = 2


def measure(
    name: str,
    systems: Mapping[str, Asker],
    data_set: DataSet,
    arguments: argparse.Namespace,
    makers: Sequence[SheetMaker] = (),
) -> int:
    """Measure the systems side by side on a data set and print what was found.

    Args:
        name: the benchmark's, for the report.
        systems: what is measured, by the name it is shown under.
        data_set: what is asked.
        arguments: as `parser` reads them.
        makers: what else is shown of the answers.

    Returns:
        The exit code: 0, or 2 when the data set is not there.
    """
    folder = arguments.data or data_folder()
    if missing := data_set.missing(folder):
        sys.stderr.write(no_data(missing[0]))
        return _NO_DATA
    conversations = limit_questions(data_set.read(folder or Path()), arguments.limit_questions)
    asked = {title: _ask(title, asker, conversations) for title, asker in systems.items()}
    if arguments.outcomes:
        _write(arguments.outcomes, asked)
    found = {title: figures(outcomes, data_set.slices) for title, outcomes in asked.items()}
    sheets = [sheet for make in makers for sheet in make(conversations, asked)]
    if arguments.json:
        document = _document(name, conversations, found)
        document |= {"sheets": {sheet.title: sheet.to_document() for sheet in sheets}}
        print(json.dumps(document, indent=2))
    else:
        shown = (*tables(found), *(sheet.to_table() for sheet in sheets))
        report_console().print(*shown, sep="\n")
    return 0


def no_data(missing: str) -> str:
    """What is said where a data set is not there."""
    return (
        f"There is no {missing}. Name the folder that holds it with --data or MEMORIA_DATA; "
        "without either it is looked for in ../shared/data beside the project.\n"
    )


def parser(name: str) -> argparse.ArgumentParser:
    """What every such command can be told."""
    parser = argparse.ArgumentParser(prog=f"python -m {name}")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.add_argument("--data", type=Path, help="the folder that holds the data sets")
    parser.add_argument(
        "--outcomes", type=Path, metavar="FILE", help="write every question's ranking there"
    )
    parser.add_argument(
        "--limit-questions",
        type=int,
        metavar="N",
        help="N of each conversation only, evenly spaced",
    )
    parser.add_argument(
        "--keep",
        type=Path,
        metavar="FOLDER",
        help="keep the filled homes there, and use those that an earlier run has filled",
    )
    return parser


def limit_questions(
    conversations: Sequence[Conversation], most: int | None
) -> tuple[Conversation, ...]:
    """At most so many questions of each, evenly spaced: LoCoMo keeps its categories together."""
    return tuple(replace(c, questions=spread(c.questions, most)) for c in conversations)


def spread(questions: tuple[Question, ...], most: int | None) -> tuple[Question, ...]:
    """So many of them, evenly spaced; all where there are no more, or no number is given."""
    if most is None or most >= len(questions):
        return questions
    return tuple(questions[i * len(questions) // most] for i in range(most))


def _ask(title: str, asker: Asker, conversations: Sequence[Conversation]) -> list[Outcome]:
    with progress(title, sum(len(c.questions) for c in conversations)) as done:
        return anyio.run(asker, conversations, done)


@contextmanager
def progress(title: str, total: int) -> Iterator[Callable[[], None]]:
    """A bar on a terminal; what is given is to be called whenever one more is done."""
    console = Console(stderr=True)
    columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as progress:
        task = progress.add_task(title, total=total)
        yield lambda: progress.advance(task)


def _write(file: Path, asked: Mapping[str, Sequence[Outcome]]) -> None:
    lines = (_outcome(title, each) for title, outcomes in asked.items() for each in outcomes)
    text = "".join(json.dumps(line, ensure_ascii=False, default=sorted) + "\n" for line in lines)
    file.write_text(text, "utf-8")


def _outcome(title: str, outcome: Outcome) -> dict[str, object]:
    return {
        "system": title,
        "category": outcome.question.category,
        "question": outcome.question.text,
        "gold": outcome.question.gold,
        "ranking": outcome.ranking,
        "took_ms": rounded(outcome.took_ms),
    }


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
    return sorted(Settings.read_environment().keys() - {"home", "tenant"})
