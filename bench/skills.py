"""Skills from what held: recorded sessions of coding agents, with the tasks that they did again.

A folder holds projects, one JSON document each: sessions with their events (what user and assistant
said, tool calls with results), the tasks that were done at least three times, and what is none.
Each project is recorded session by session into a home of its own, and every few sessions the step
of the night asks for skills. A draft of a labelled task is confirmed, as its user would, any other
dropped; no file is written. From then on the sessions in which the task is asked for again load the
kept skill first, so that its failures can be told.

The model is whoever has answered before: answers lie in a folder beside the projects, each found by
the whole of its prompt. What has no answer yet is written into a folder: `0001.prompt.md` is
answered in `0001.answer.json` beside it; run again, it goes on from there.

    python -m bench.skills FOLDER
    python -m bench.skills FOLDER --write-requests DIR
"""

import argparse
import json
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread

import memoria
from bench.calls import list_turns
from bench.chat_server import serve_requests
from bench.extraction.answers import Answers, Folder
from bench.output import Cell, Sheet, report_console, rounded
from memoria import Memoria, Settings
from memoria.app.nightly import run_nightly
from memoria.app.skills import SkillRecord
from memoria.lifecycle.skill_drafts import list_quoted
from memoria.model import COMMAND_LINE

_EVERY = 4
_FAILURES = 2
_LEAST_FOUND, _MOST_FALSE = 0.8, 0.1
_PLACEHOLDER = re.compile(r"<[^<>]*>")
_WORD = re.compile(r"[\w./:@-]{3,}")
_SAME = 0.6
"""Share of a labelled step's words that a draft must have to tell it."""
_LONGEST_ANSWER_S = 3600


@dataclass(frozen=True, slots=True)
class Found:
    """What came of a labelled task."""

    name: str
    skill: str
    """Name of its skill; empty if none was proposed."""
    outside: int = 0
    """Sessions of the draft's evidence in which the task was not done."""
    steps: int = 0
    """Labelled steps that the draft tells."""
    of_steps: int = 0
    pitfalls: int = 0
    of_pitfalls: int = 0
    failures: int = 0
    """Labelled failures after the skill was kept."""
    noted: int = 0
    is_withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a project."""

    project: str
    tasks: tuple[Found, ...]
    false: tuple[str, ...]
    """Drafts of what is no labelled task."""
    quoted: int
    """Commands and other words that drafts quote."""
    present: int
    """Those of them that stand in the record, but for placeholders."""
    unanswered: int
    """Requests without an answer."""


def main(argv: Sequence[str] | None = None) -> int:
    """Play all projects and print the figures.

    Returns:
        The exit code: 0, 1 where too few tasks are found or too many false ones, 2 where an answer
        is missing.
    """
    arguments = _parser().parse_args(argv)
    results = []
    for file in sorted(arguments.folder.glob("*.json")):
        project = json.loads(file.read_text("utf-8"))
        if arguments.only and project["project"] not in arguments.only:
            continue
        written = arguments.write_requests
        other = None if written is None else Folder(written / file.stem, patience_s=0, poll_s=0)
        answers = Answers(
            (arguments.answers or arguments.folder / "recorded") / f"{file.stem}.jsonl", other
        )
        with (
            tempfile.TemporaryDirectory(prefix="memoria-skills-") as folder,
            serve_requests(answers.answer) as url,
        ):
            results.append(anyio.run(_play, project, Path(folder), url, answers, arguments.every))
    if open_requests := sum(one.unanswered for one in results):
        print(f"{open_requests} requests have no answer; the labels stay unseen until they have.")
        return 2
    _print(results, as_json=arguments.json)
    tasks = [task for one in results for task in one.tasks]
    found = sum(bool(task.skill) for task in tasks)
    false = sum(len(one.false) for one in results)
    is_good = found >= _LEAST_FOUND * len(tasks) and false <= _MOST_FALSE * max(found, 1)
    return 0 if is_good and not any(map(_misses_withdrawal, tasks)) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.skills")
    parser.add_argument("folder", type=Path, help="folder of recorded sessions")
    parser.add_argument(
        "--answers", type=Path, help="folder of answers; FOLDER/recorded by default"
    )
    parser.add_argument("--write-requests", type=Path, help="folder for what has no answer yet")
    parser.add_argument("--every", type=int, default=_EVERY, help="sessions between two nights")
    parser.add_argument("--only", action="append", default=[], help="only this project")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    return parser


def _misses_withdrawal(task: Found) -> bool:
    return bool(task.skill) and task.is_withdrawn != (task.failures >= _FAILURES)


async def _play(
    project: dict[str, Any], folder: Path, url: str, answers: Answers, every: int
) -> Result:
    settings = Settings.from_values(
        home=folder / "home",
        workspace=project["cwd"],
        embedder="off",
        time_zone="UTC",
        agents_read=False,
        llm_base_url=url,
        llm_model="recorded",
        llm_attempts=1,
        llm_timeout_s=_LONGEST_ANSWER_S,
        llm_daily_tokens=10**12,
        nightly_tokens=10**9,
    )
    kept, false = dict[str, SkillRecord](), dict[str, SkillRecord]()
    failures = dict[str, int]()
    sessions = project["sessions"]
    for n, session in enumerate(sessions, 1):
        used = _choose_used(project["tasks"], kept, session["id"])
        for task in project["tasks"]:
            if session["id"] in task["failed_in"] and kept.get(task["name"]) in used:
                failures[task["name"]] = failures.get(task["name"], 0) + 1
        async with memoria.open(settings=settings, reads_queue=False) as memory:
            await memory.record_conversation(
                [*_list_turns(session, used)], "session_end", session_id=session["id"]
            )
        if n % every and n < len(sessions):
            continue
        await anyio.to_thread.run_sync(run_nightly, settings, ("skills",))
        if answers.missing:
            break
        async with memoria.open(
            settings=settings, channel=COMMAND_LINE, reads_queue=False
        ) as memory:
            await _decide(memory, project["tasks"], kept, false)
    async with memoria.open(settings=settings, channel=COMMAND_LINE, reads_queue=False) as memory:
        last = {one.id: one for one in await memory.skills.list_all()}
    tasks = [_judge(task, kept.get(task["name"]), last, failures) for task in project["tasks"]]
    quoted = [
        words for one in last.values() for words in list_quoted(one.text.partition("\n---\n")[2])
    ]
    present = sum(_is_recorded(words, sessions) for words in quoted)
    return Result(
        project["project"],
        tuple(tasks),
        tuple(one.name for one in false.values()),
        len(quoted),
        present,
        len(answers.missing),
    )


def _choose_used(
    tasks: Sequence[dict[str, Any]], kept: dict[str, SkillRecord], session: str
) -> list[SkillRecord]:
    """List the kept skills whose task is asked for in a session."""
    asking = (one for one in tasks if session in (*one["done_in"], *one["failed_in"]))
    return [kept[one["name"]] for one in asking if one["name"] in kept]


def _list_turns(session: dict[str, Any], used: Sequence[SkillRecord]) -> Iterator[dict[str, Any]]:
    """Yield a session's turns, with the calls that load kept skills behind its first."""
    first, *others = list_turns(session)
    yield first
    at = datetime.fromisoformat(first["at"])
    for n, skill in enumerate(used, 1):
        yield {
            "message_id": f"{session['id']}.skill{n}",
            "at": (at + timedelta(seconds=n)).isoformat(),
            "role": "tool",
            "tool_name": "Skill",
            "tool_args": {"skill": skill.name},
            "tool_result": f"Launching skill: {skill.name}",
        }
    yield from others


async def _decide(
    memory: Memoria,
    tasks: Sequence[dict[str, Any]],
    kept: dict[str, SkillRecord],
    false: dict[str, SkillRecord],
) -> None:
    """Keep the drafts of labelled tasks, and drop the others."""
    for skill in await memory.skills.list_all():
        if skill.state != "draft":
            continue
        task = _find_task(skill, tasks)
        if task is None or task["name"] in kept:
            false[skill.id] = await memory.skills.drop(skill.id)
        else:
            await memory.revise_memory(skill.id, "confirm")
            kept[task["name"]] = skill


def _find_task(skill: SkillRecord, tasks: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the task to whose sessions most of a draft's evidence belongs."""
    best = max(tasks, key=lambda one: len({*one["done_in"]} & {*skill.sessions}), default=None)
    if best is None:
        return None
    return best if 2 * len({*best["done_in"]} & {*skill.sessions}) > len(skill.sessions) else None


def _judge(
    task: dict[str, Any],
    skill: SkillRecord | None,
    last: dict[str, SkillRecord],
    failures: dict[str, int],
) -> Found:
    steps, pitfalls = task["steps"], task["pitfalls"]
    if skill is None:
        return Found(task["name"], "", of_steps=len(steps), of_pitfalls=len(pitfalls))
    now = last[skill.id]
    return Found(
        task["name"],
        skill.name,
        len({*skill.sessions} - {*task["done_in"]}),
        sum(_is_told(one, skill.text) for one in steps),
        len(steps),
        sum(_is_told(one, skill.text) for one in pitfalls),
        len(pitfalls),
        failures.get(task["name"], 0),
        now.failures,
        now.state == "withdrawn",
    )


def _is_told(label: str, text: str) -> bool:
    """Check whether a text has most of the words of a labelled step or pitfall."""
    words = {one.casefold() for one in _WORD.findall(_PLACEHOLDER.sub(" ", label))}
    told = text.casefold()
    return sum(one in told for one in words) >= _SAME * len(words)


def _is_recorded(words: str, sessions: Sequence[dict[str, Any]]) -> bool:
    """Check whether words stand in an event of a session, but for placeholders."""
    pieces = [" ".join(one.split()) for one in _PLACEHOLDER.split(words)]
    pattern = re.compile(".*?".join(re.escape(one) for one in pieces if one))
    return any(
        pattern.search(" ".join(text.split()))
        for session in sessions
        for event in session["events"]
        for text in _list_texts(event)
    )


def _list_texts(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for one in value.values():
                yield from _list_texts(one)
        case _:
            return


def _print(results: Sequence[Result], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps([rounded(asdict(one)) for one in results], ensure_ascii=False, indent=2))
        return
    headings = "project task skill outside steps pitfalls failed noted withdrawn".split()
    rows = [(one.project, *_to_cells(task)) for one in results for task in one.tasks]
    console = report_console()
    console.print(Sheet("Tasks", headings, rows, words=3).to_table())
    console.print(Sheet("In all", ("figure", "value"), _add_up(results), words=2).to_table())


def _to_cells(task: Found) -> tuple[Cell, ...]:
    return (
        task.name,
        task.skill or "–",
        task.outside,
        f"{task.steps}/{task.of_steps}",
        f"{task.pitfalls}/{task.of_pitfalls}",
        task.failures,
        task.noted,
        "yes" if task.is_withdrawn else "no",
    )


def _add_up(results: Sequence[Result]) -> list[tuple[Cell, ...]]:
    tasks = [task for one in results for task in one.tasks]
    found = [task for task in tasks if task.skill]
    told = sum(task.steps for task in found) / max(sum(task.of_steps for task in found), 1)
    worst = min((task.steps / max(task.of_steps, 1) for task in found), default=0.0)
    known = sum(task.pitfalls for task in found) / max(sum(task.of_pitfalls for task in found), 1)
    due = [task for task in found if task.failures >= _FAILURES]
    quoted, present = sum(one.quoted for one in results), sum(one.present for one in results)
    return [
        ("tasks found", f"{len(found)} of {len(tasks)}"),
        ("false drafts", ", ".join(name for one in results for name in one.false) or "none"),
        ("labelled steps told", f"{told:.2f}, worst {worst:.2f}"),
        ("labelled pitfalls told", f"{known:.2f}"),
        ("quoted and in the record", f"{present} of {quoted}"),
        (
            "withdrawn where it failed twice",
            f"{sum(one.is_withdrawn for one in due)} of {len(due)}",
        ),
        ("withdrawn elsewhere", sum(one.is_withdrawn for one in found if one not in due)),
        ("requests without an answer", sum(one.unanswered for one in results)),
    ]


if __name__ == "__main__":
    sys.exit(main())
