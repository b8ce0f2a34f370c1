"""What is found by file, by error and by command, over recorded sessions of coding agents.

A folder holds sessions, one JSON document a project: events (what user and assistant said, tool
calls with arguments and results) and questions, each with the events that answer it and the one
that says what worked or was decided. All projects are kept in one home, each in a project of its
own, as a client's transcript gives them.

    python -m bench.calls FOLDER [--show] [--json]
"""

import json
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import anyio

import memoria
from bench.output import Sheet, report_console
from memoria.model import SearchResult

_FIRST = 3
_KINDS = ("file", "error", "command")


@dataclass(frozen=True, slots=True)
class Project:
    """Recorded sessions with their questions."""

    name: str
    language: str
    sessions: Sequence[dict[str, Any]]
    questions: Sequence[dict[str, Any]]


@dataclass(slots=True)
class Tally:
    """How questions of one kind fared."""

    right: list[bool] = field(default_factory=list)
    best: list[bool] = field(default_factory=list)
    milliseconds: list[float] = field(default_factory=list)


def read_projects(folder: Path) -> list[Project]:
    """Read the projects of a folder."""
    projects: list[Project] = []
    for path in sorted(folder.rglob("*.json")):
        told = json.loads(path.read_text("utf-8"))
        if "sessions" not in told:
            continue
        said = "".join(e.get("user", "") for s in told["sessions"] for e in s["events"])
        is_chinese = sum("一" <= sign <= "鿿" for sign in said) > len(said) / 10
        language = "zh" if is_chinese else "en"
        projects.append(Project(told["project"], language, told["sessions"], told["questions"]))
    return projects


def list_turns(session: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a session's events as the turns that a client's transcript gives."""
    began = datetime.fromisoformat(session["at"])
    for i, event in enumerate(session["events"]):
        at = (began + timedelta(minutes=i)).isoformat()
        turn = {"message_id": event.get("id", f"{session['id']}.{i}"), "at": at}
        if "tool" not in event:
            role = "user" if "user" in event else "assistant"
            yield {**turn, "role": role, "content": event[role]}
            continue
        result = event["result"]
        yield {
            **turn,
            "role": "tool",
            "tool_name": event["tool"],
            "tool_args": event["input"],
            "tool_result": {"is_error": True, "content": result} if event["failed"] else result,
        }


def list_shown(result: SearchResult) -> list[frozenset[str]]:
    """List what an answer shows in order: the turns of an entry, in what failed and worked all."""
    outcomes = [
        frozenset(
            step.id for step in (one.failed, *one.between, one.worked, one.said) if step is not None
        )
        for one in result.calls
    ]
    return [*outcomes, *(frozenset((hit.id, hit.source.turn_id or "")) for hit in result.hits)]


async def run(
    projects: Sequence[Project], *, by_record: bool, shows: bool
) -> dict[tuple[str, str], Tally]:
    """Record all projects and ask their questions."""
    tallies: dict[tuple[str, str], Tally] = defaultdict(Tally)
    with tempfile.TemporaryDirectory(prefix="memoria-bench-") as home:
        async with memoria.open(Path(home)) as memory:
            ids: dict[str, str] = {}
            for project in projects:
                for session in project.sessions:
                    turns = [*list_turns(session)]
                    receipt = await memory.record_conversation(
                        turns, "session_end", session_id=session["id"], workspace=project.name
                    )
                    kept = (one.id for one in receipt.turns)
                    names = (turn["message_id"] for turn in turns)
                    ids.update(zip(names, filter(None, kept), strict=True))
            await memory.wait_until_idle()
            for project in projects:
                for question in project.questions:
                    search = (
                        memory.search_conversation_traces if by_record else memory.search_memory
                    )
                    start = time.perf_counter()
                    found = await search(**question["ask"], workspace=project.name)
                    spent = 1_000 * (time.perf_counter() - start)
                    first = frozenset[str]().union(*list_shown(found)[:_FIRST])
                    kind = next(kind for kind in _KINDS if kind in question["ask"])
                    right = any(ids[one] in first for one in question["right"])
                    best = ids.get(question.get("best") or "", "") in first
                    for key in ((kind, project.language), (kind, "all"), ("all", "all")):
                        tallies[key].right.append(right)
                        if question.get("best"):
                            tallies[key].best.append(best)
                        tallies[key].milliseconds.append(spent)
                    if shows and not (right and best):
                        _show(question, found, ids, right=right)
    return tallies


def _show(
    question: dict[str, Any], found: SearchResult, ids: dict[str, str], *, right: bool
) -> None:
    """Print what was shown for a question."""
    names = {turn_id: name for name, turn_id in ids.items()}
    sign = "best missing" if right else "WRONG"
    print(sign, json.dumps(question, ensure_ascii=False))
    for entry in list_shown(found)[: 2 * _FIRST]:
        print("   ", sorted(names[one] for one in entry if one in names))


def main() -> None:
    """Ask and report."""
    command = ArgumentParser(prog="python -m bench.calls", description=__doc__)
    command.add_argument("folders", nargs="+", type=Path)
    command.add_argument("--traces", action="store_true", help="ask the record")
    command.add_argument("--show", action="store_true", help="print what was not found")
    command.add_argument("--json", action="store_true")
    given = command.parse_args()
    projects = [one for folder in given.folders for one in read_projects(folder)]
    if not projects:
        sys.exit("There is no project in the folder.")

    async def ask() -> dict[tuple[str, str], Tally]:
        return await run(projects, by_record=given.traces, shows=given.show)

    tallies = anyio.run(ask)
    rows = [
        (
            kind,
            language,
            len(tally.right),
            sum(tally.right) / len(tally.right),
            sum(tally.best) / max(len(tally.best), 1),
            sorted(tally.milliseconds)[len(tally.milliseconds) // 2],
        )
        for (kind, language), tally in sorted(tallies.items())
    ]
    headings = ("asked by", "language", "questions", "right in 3", "best in 3", "ms (median)")
    sheet = Sheet("By file, error and command", headings, rows, words=2)
    if given.json:
        print(json.dumps(sheet.to_document()))
    else:
        report_console().print(sheet.to_table())


if __name__ == "__main__":
    main()
