"""Projects of the bench: files, first sessions, what changes afterwards, and the later tasks.

A session is told a line at a time, by its first sign: `>` the user, `<` the agent, `$` a command,
`!` a line of its output where it failed, `.` where it did not, `+` an edit (`file | text`), `@` a
file that is read, `*` what the agent keeps with `remember`.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from bench.value.reader import Decision, Option

_HERE: Final = Path(__file__).parent
PROJECTS, NOISE = _HERE / "projects", _HERE / "noise.toml"
_STEP = timedelta(seconds=40)
_NOISE_EVERY = timedelta(days=4)


@dataclass(frozen=True, slots=True)
class Task:
    """A task of a later session, whose trap a first session met."""

    id: str
    kind: str
    prompt: str
    tool: str | None
    """Tool that an option's action is a call of; None where it is a word or a file."""
    by_command: bool
    """Whether the agent looks the command up that it would run, beside its task's words."""
    decision: Decision
    right: str
    failed: frozenset[str]
    """Options that had failed, or that the user had rejected."""
    stale: str | None
    """Option that was right until the ground moved."""
    results: Mapping[str, str]
    """What comes of each option that is not right."""

    @property
    def trap(self) -> Option:
        """The option that is taken without memory."""
        return min(self.decision.options, key=lambda one: one.default_rank)


@dataclass(frozen=True, slots=True)
class Project:
    """A project with its sessions and tasks."""

    name: str
    language: str
    files: Mapping[str, str]
    sessions: Sequence[Mapping[str, str]]
    changes: Sequence[Mapping[str, Any]]
    """Commits made after the sessions."""
    tasks: Sequence[Task]


def read_projects(folder: Path = PROJECTS, noise: Path = NOISE) -> list[Project]:
    """Read all projects, by name, each with the sessions of its language that tell nothing."""
    common = tomllib.loads(noise.read_text("utf-8"))["sessions"]
    return [_read_project(path, common) for path in sorted(folder.glob("*.toml"))]


def list_turns(session: Mapping[str, str]) -> list[dict[str, Any]]:
    """List a session's turns as a client's hooks report them; what is kept is none of them."""
    began = datetime.fromisoformat(session["at"])
    turns = [turn for sign, text in _split(session) if (turn := _make_turn(sign, text))]
    return [
        {**turn, "message_id": f"{session['id']}.{i}", "at": (began + i * _STEP).isoformat()}
        for i, turn in enumerate(_join_results(turns))
    ]


def list_kept(session: Mapping[str, str]) -> list[str]:
    """List the statements that the agent keeps in a session."""
    return [text for sign, text in _split(session) if sign == "*"]


def _split(session: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for line in session["talk"].splitlines():
        if line.strip():
            yield line[0], line[2:]


def _make_turn(sign: str, text: str) -> dict[str, Any] | None:
    """Return a turn; a line of output as one that has nothing but a result."""
    path, _, new = text.partition(" | ")
    turns: dict[str, dict[str, Any] | None] = {
        ">": {"role": "user", "content": text},
        "<": {"role": "assistant", "content": text},
        "$": _call("Bash", {"command": text}),
        "@": _call("Read", {"file_path": text}),
        "+": _call("Edit", {"file_path": path, "old_string": "", "new_string": new}),
        "!": {"tool_result": {"is_error": True, "content": text}},
        ".": {"tool_result": text},
        "*": None,
    }
    return turns[sign]


def _call(name: str, given: dict[str, str]) -> dict[str, Any]:
    return {"role": "tool", "tool_name": name, "tool_args": given}


def _join_results(turns: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Give each call its whole output."""
    made: list[dict[str, Any]] = []
    for turn in turns:
        if "role" in turn:
            made.append({**turn})
            continue
        call, said = made[-1], turn["tool_result"]
        before = call.get("tool_result")
        if isinstance(said, dict):
            former = before["content"] + "\n" if isinstance(before, dict) else ""
            call["tool_result"] = {**said, "content": former + said["content"]}
        else:
            call["tool_result"] = said if before is None else f"{before}\n{said}"
    for turn in made:
        if turn["role"] == "tool":
            turn.setdefault("tool_result", "The file has been updated.")
    return made


def _read_project(path: Path, common: Sequence[Mapping[str, str]]) -> Project:
    told = tomllib.loads(path.read_text("utf-8"))
    language, own = told["language"], told["sessions"]
    noise = _date_noise([one for one in common if one["language"] == language], own)
    return Project(
        name=told["name"],
        language=language,
        files=told["files"],
        sessions=sorted([*own, *noise], key=lambda one: one["at"]),
        changes=told.get("changes", []),
        tasks=[_read_task(one) for one in told["tasks"]],
    )


def _date_noise(
    common: Sequence[Mapping[str, str]], own: Sequence[Mapping[str, str]]
) -> Iterator[Mapping[str, str]]:
    """Yield common sessions, dated between a project's own and after them."""
    began = datetime.fromisoformat(min(one["at"] for one in own)) + timedelta(hours=3)
    for i, session in enumerate(common):
        at = began + i * _NOISE_EVERY
        yield {"id": f"c{i}", "at": at.isoformat().replace("+00:00", "Z"), "talk": session["talk"]}


def _read_task(told: Mapping[str, Any]) -> Task:
    options = tuple(
        Option(one["key"], one["action"], tuple(one["words"]), rank)
        for rank, one in enumerate(told["options"])
    )
    return Task(
        id=told["id"],
        kind=told["kind"],
        prompt=told["prompt"],
        tool=told.get("tool"),
        by_command=told["by"] == "command",
        decision=Decision(told["prompt"], told["question"], options, told.get("may_ask", False)),
        right=told["right"],
        failed=frozenset(told["failed"]),
        stale=told.get("stale"),
        results={one["key"]: one["result"] for one in told["options"] if "result" in one},
    )
