"""Words before a mistake: replayed sessions with labels, and what the hook costs its client.

Each folder holds sessions of projects, a JSON file each. Every project gets a home of its own. Its
calls are recorded one by one; before each of them the words that are laid ready are asked as the
hook asks them. A word counts where the line has what the label wants. A call without a label wants
none: a colleague who remembers everything would stay quiet.

    python -m bench.guard FOLDER...
    python -m bench.guard FOLDER... --misses
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import anyio
import anyio.to_thread
from rich.console import Console

import memoria
from bench.hooks import Run, run_program
from bench.output import rounded
from memoria import Settings
from memoria.app.kept import AnswerKeeper
from memoria.bare.guard_words import choose_line, note_asked
from memoria.surface.mcp.instructions import composers_for

_PROGRAM = Path(memoria.__file__).parent / "surface" / "hook" / "__main__.py"
_BARE = (sys.executable, "-I", "-S")
_PATIENCE_S = 30.0
_PAUSE_S = 0.005
_P95 = 94
_LONGEST_SHOWN = 220
_FEWEST_REPEATS, _MOST_FALSE, _MOST_CPU_MS = 0.6, 0.02, 10.0


@dataclass(frozen=True, slots=True)
class Asked:
    """One call, with the label it has and the line that was said."""

    id: str
    call: str
    label: str
    """`repeat`, `forbidden`, or empty for a call that wants no word."""
    wanted: tuple[str, ...]
    line: str
    is_tempting: bool

    @property
    def is_warned(self) -> bool:
        """Whether the line says what the label wants."""
        return bool(self.label and self.line) and all(one in self.line for one in self.wanted)


@dataclass(frozen=True, slots=True)
class Figures:
    """What was found over some projects."""

    projects: int
    calls: int
    repeats: int
    repeats_warned: float
    forbidden: int
    forbidden_warned: float
    quiet: int
    false: int
    false_of_quiet: float
    words: int
    false_of_words: float
    worst_repeats_warned: float
    """Of the project with the least share of repeats warned."""
    worst_false_of_quiet: float


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU of the hook and of a bare Python, in pairs."""

    name: str
    cpu_ms: float
    over_bare_ms: float
    over_bare_p95_ms: float


def main(argv: Sequence[str] | None = None) -> int:
    """Replay and print.

    Returns:
        The exit code: 1 where too few repeats are warned, too many words false, or it costs much.
    """
    arguments = _parser().parse_args(argv)
    files = [file for folder in arguments.folders for file in sorted(folder.glob("*.json"))]
    asked: dict[str, list[Asked]] = {}
    costs: list[Cost] = []
    for file in files:
        with tempfile.TemporaryDirectory(prefix="memoria-guard-") as home:
            project = json.loads(file.read_text("utf-8"))
            asked[project["project"]] = anyio.run(_replay, Path(home), project)
            if file == files[-1]:
                costs += _measure(Path(home), project, arguments.rounds)
    found = _count(asked)
    _print(found, costs, asked if arguments.misses else {}, as_json=arguments.json)
    is_good = found.repeats_warned >= _FEWEST_REPEATS and found.false_of_quiet <= _MOST_FALSE
    return 0 if is_good and all(one.over_bare_ms <= _MOST_CPU_MS for one in costs) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.guard")
    parser.add_argument("folders", type=Path, nargs="+", help="folders of recorded sessions")
    parser.add_argument("--misses", action="store_true", help="list what was missed or false")
    parser.add_argument("--rounds", type=int, default=40, help="starts of the hook")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    return parser


async def _replay(home: Path, project: dict[str, Any]) -> list[Asked]:
    """Record a project's sessions call by call, and ask before each."""
    place, asked = project["cwd"], list[Asked]()
    note_asked(str(home), "default")
    settings = Settings.load(home=str(home), workspace=place, embedder="off")
    async with memoria.open(settings=settings) as memory:
        keeper = AnswerKeeper(settings, memory._store, composers_for(settings))  # noqa: SLF001
        for session in project["sessions"]:
            begun = datetime.fromisoformat(session["at"])
            for n, event in enumerate(session["events"]):
                if "tool" in event:
                    await anyio.to_thread.run_sync(_keep, keeper)
                    named = (place, session["id"], event["tool"], event["input"])
                    line = choose_line(str(home), "default", *named)
                    asked.append(_judge(project, event, line))
                turn = _turn_of(event, session["id"], n, begun + timedelta(seconds=n))
                await memory.record_conversation([turn], workspace=place)
        await anyio.to_thread.run_sync(_keep, keeper)
    return asked


def _keep(keeper: AnswerKeeper) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while not keeper.keep():
        if time.monotonic() > deadline:
            raise TimeoutError("the home does not come to rest")
        time.sleep(_PAUSE_S)


def _turn_of(event: dict[str, Any], session: str, n: int, at: datetime) -> dict[str, object]:
    named = {"session_id": session, "message_id": f"{session}:{n}", "at": at.isoformat()}
    if "tool" not in event:
        role = "user" if "user" in event else "assistant"
        return {**named, "role": role, "content": event[role]}
    result = {"content": event.get("result") or "", "is_error": bool(event["failed"])}
    call = {"tool_name": event["tool"], "tool_args": event["input"], "tool_result": result}
    return {**named, "role": "tool", **call}


def _judge(project: dict[str, Any], event: dict[str, Any], line: str) -> Asked:
    label = project["labels"].get(event["id"], {})
    told = event["input"].get("command") or event["input"].get("file_path") or ""
    return Asked(
        event["id"],
        " ".join(told.split())[:_LONGEST_SHOWN],
        label.get("word", ""),
        tuple(label.get("line_must_have", ())),
        line,
        event["id"] in project.get("tempting", {}),
    )


def _count(asked: dict[str, list[Asked]]) -> Figures:
    every = [one for each in asked.values() for one in each]
    repeats = [_share_warned(each, "repeat") for each in asked.values()]
    quiet = [one for one in every if not one.label]
    false = sum(bool(one.line) for one in quiet)
    words = sum(bool(one.line) for one in every)
    return Figures(
        projects=len(asked),
        calls=len(every),
        repeats=sum(one.label == "repeat" for one in every),
        repeats_warned=_share_warned(every, "repeat"),
        forbidden=sum(one.label == "forbidden" for one in every),
        forbidden_warned=_share_warned(every, "forbidden"),
        quiet=len(quiet),
        false=false,
        false_of_quiet=false / max(len(quiet), 1),
        words=words,
        false_of_words=false / max(words, 1),
        worst_repeats_warned=min(repeats, default=1.0),
        worst_false_of_quiet=max((_share_false(each) for each in asked.values()), default=0.0),
    )


def _share_warned(asked: Sequence[Asked], label: str) -> float:
    found = [one.is_warned for one in asked if one.label == label]
    return sum(found) / len(found) if found else 1.0


def _share_false(asked: Sequence[Asked]) -> float:
    found = [bool(one.line) for one in asked if not one.label]
    return sum(found) / max(len(found), 1)


def _measure(home: Path, project: dict[str, Any], rounds: int) -> Iterator[Cost]:
    """Yield what the hook takes in a home with words: with one to say, and with none."""
    last = project["sessions"][-1]["events"]
    calls = {"with a command": "Bash", "with an edit": "Edit"}
    for name, tool in calls.items():
        inputs = [one["input"] for one in last if one.get("tool") == tool]
        if inputs:
            yield _cost_of(
                f"{name}, {len(inputs)} calls", home, project["cwd"], tool, inputs, rounds
            )


def _cost_of(
    name: str, home: Path, cwd: str, tool: str, inputs: list[dict[str, Any]], rounds: int
) -> Cost:
    command = [*_BARE, str(_PROGRAM), "claude-code", "--home", str(home), "--guard"]
    bare: list[Run] = []
    runs: list[Run] = []
    for n in range(1 + rounds):
        said = {"hook_event_name": "PreToolUse", "session_id": f"cost-{n}", "cwd": cwd}
        said |= {"transcript_path": str(home / "none.jsonl"), "tool_name": tool}
        content = json.dumps({**said, "tool_input": inputs[n % len(inputs)]}).encode()
        bare.append(run_program([*_BARE, "-c", "pass"], b""))
        runs.append(run_program([*command, "--workspace", cwd], content))
    over = [one.cpu_ms - other.cpu_ms for one, other in zip(runs[1:], bare[1:], strict=True)]
    worst = quantiles(over, n=100)[_P95] if len(over) > 1 else over[0]
    return Cost(name, median(one.cpu_ms for one in runs[1:]), median(over), worst)


def _print(
    found: Figures, costs: list[Cost], asked: dict[str, list[Asked]], *, as_json: bool
) -> None:
    if as_json:
        document = {
            "found": rounded(asdict(found)),
            "costs": [rounded(asdict(one)) for one in costs],
        }
        sys.stdout.write(json.dumps(document, indent=2) + "\n")
        return
    console = Console()
    for each in asked.values():
        for one in each:
            is_missed = bool(one.label) and not one.is_warned
            if is_missed or (one.line and not one.label):
                kind = f"missed {one.label}" if is_missed else "false"
                tempting = " (tempting)" if one.is_tempting else ""
                console.print(f"{kind}{tempting} {one.id}: {one.call}\n   {one.line}", markup=False)
    console.print(rounded(asdict(found)), markup=False)
    for cost in costs:
        console.print(rounded(asdict(cost)), markup=False)


if __name__ == "__main__":
    sys.exit(main())
