"""The command line: python -m bench.value. 1 where a bar is missed, 2 where there is no model.

Bars: failures repeated with memory are a third of those without at most, and no stale fact is
followed. They are those of the scripted reader.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace

import anyio

from bench.command import NO_MODEL, progress
from bench.output import report_console, rounded
from bench.value.agent import Reader, Run, play
from bench.value.cases import Project, Task, read_projects
from bench.value.readers import ModelReader, read_by_script
from bench.value.report import Outcome, list_choices, list_sheets, to_document
from bench.value.shown import record_projects
from memoria.config import Settings
from memoria.inference.chat.client import choose_chat_model

_NOT_POSSIBLE = 2
_CONDITIONS = 5


def main(argv: Sequence[str] | None = None) -> int:
    """Play all tasks under each condition and print what became of them."""
    arguments = _parser().parse_args(argv)
    read: Reader = read_by_script
    if arguments.model:
        model = choose_chat_model(Settings.load())
        if model is None:
            sys.stderr.write(NO_MODEL)
            return _NOT_POSSIBLE
        read = ModelReader(model)
    projects = read_projects()
    count = _CONDITIONS * sum(len(one.tasks) for one in projects)
    with progress("value", count) as done:
        outcome = anyio.run(play_all, projects, read, done)
    if arguments.json:
        print(json.dumps(rounded(to_document(outcome)), ensure_ascii=False, indent=2))
    else:
        report_console().print(*(sheet.to_table() for sheet in list_sheets(outcome)), sep="\n")
    if arguments.show:
        print(*list_choices(outcome), sep="\n")
    return 0 if outcome.holds else 1


async def play_all(
    projects: Sequence[Project], read: Reader, done: Callable[[], None] = lambda: None
) -> Outcome:
    """Play every task without memory, with it, and with what is beside the point."""
    without, shown, unasked, unaided, beside = (list[Run]() for _ in range(_CONDITIONS))
    async with record_projects(projects, projects) as showings:
        for project, showing in zip(projects, showings, strict=True):
            for task in project.tasks:
                without.append(await play(task, project.language, read, None))
                shown.append(await play(task, project.language, read, showing))
                told = await play(task, project.language, read, showing, searches=False)
                unasked.append(told)
                right = make_right_by_itself(task)
                unaided.append(await play(right, project.language, read, showing))
                for _ in range(_CONDITIONS - 1):
                    done()
    async with record_projects(projects, [_other(projects, one) for one in projects]) as showings:
        for project, showing in zip(projects, showings, strict=True):
            for task in map(make_right_by_itself, project.tasks):
                beside.append(await play(task, project.language, read, showing))
                done()
    return Outcome(without, shown, unasked, unaided, beside)


def make_right_by_itself(task: Task) -> Task:
    """Return a task at which the agent is right without memory, so that memory can but harm."""
    options = tuple(
        replace(one, default_rank=-1) if one.key == task.right else one
        for one in task.decision.options
    )
    return replace(task, decision=replace(task.decision, options=options, may_ask=False))


def _other(projects: Sequence[Project], project: Project) -> Project:
    """Return the next project of the same language, whose sessions are beside the point."""
    alike = [one for one in projects if one.language == project.language]
    return alike[(alike.index(project) + 1) % len(alike)]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.value")
    parser.add_argument("--model", action="store_true", help="the configured chat model reads")
    parser.add_argument("--show", action="store_true", help="what was chosen, after which line")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    return parser


if __name__ == "__main__":
    sys.exit(main())
