"""Transcripts of GitHub Copilot CLI, of Cline and of Droid."""

import json
from pathlib import Path

import pytest
from tests.connectors.transcripts.desk import FOLDER, SESSION, Line, imported, kept, told, written
from tests.surface.shell import Shell

from memoria import Memoria
from memoria.connectors.transcripts import (
    FORMATS,
    SkippedLine,
    TranscriptFormat,
    TranscriptSource,
    TranscriptTurn,
)
from memoria.connectors.transcripts.base import FoldersLeftOut
from memoria.connectors.transcripts.follow import FilePlace, TranscriptFollower


def event(kind: str, number: int, **data: object) -> Line:
    """A line of Copilot CLI's log."""
    at = f"2026-11-29T02:09:{number:02}.565Z"
    return {"type": kind, "data": data, "id": f"e{number}", "timestamp": at, "parentId": None}


COPILOT = (
    event("session.start", 1, sessionId=SESSION, copilotVersion="1.0.102", context={"cwd": FOLDER}),
    event("hook.start", 2, hookType="userPromptSubmitted", input={"prompt": "Use pnpm."}),
    event("user.message", 3, content="Use pnpm.", transformedContent="<now/> Use pnpm.",
          messageId="m3"),
    event("assistant.message", 4, messageId="m4", content="", toolRequests=[{"toolCallId": "c1"}]),
    event("tool.execution_start", 5, toolCallId="c1", toolName="bash", arguments={"command": "ls"}),
    event("tool.execution_complete", 6, toolCallId="c1", success=True, result={"content": "a.txt"}),
    event("tool.execution_start", 7, toolCallId="c2", toolName="bash", arguments={"command": "x"}),
    event("tool.execution_complete", 8, toolCallId="c2", success=False, error={"message": "gone"}),
    event("assistant.message", 9, messageId="m9", content="I use pnpm from now on."),
)  # fmt: skip
SAID = [
    ("user", "Use pnpm.", None),
    ("tool", {"bash": {"command": "ls"}}, "a.txt"),
    ("tool", {"bash": {"command": "x"}}, {"is_error": True, "content": "gone"}),
    ("assistant", "I use pnpm from now on.", None),
]


async def test_a_log_of_copilot_is_recorded_once_though_it_grows(
    quiet: Memoria, tmp_path: Path
) -> None:
    file = written(tmp_path / SESSION / "events.jsonl", *COPILOT[:6], b"{half a line\n")
    report = await imported(quiet, "copilot", file)
    assert (report.recorded, report.bad) == (2, 1)
    written(file, *COPILOT)
    assert (await imported(quiet, "copilot", file)).recorded == 2
    turns = await kept(quiet)
    assert told(turns) == SAID
    assert [turn.message_id for turn in turns] == ["m3", "c1", "c2", "m9"]
    assert {turn.source for turn in turns} == {"copilot"}


async def test_what_hooks_say_behind_a_result_of_copilot_s_is_no_part_of_it(
    quiet: Memoria, tmp_path: Path
) -> None:
    said = 'a.txt\n\nTool "bash" succeeded. Additional guidance from postToolUse hooks:\nMind it.'
    done = event("tool.execution_complete", 6, toolCallId="c1", success=True,
                 result={"content": said})  # fmt: skip
    file = written(tmp_path / SESSION / "events.jsonl", COPILOT[0], COPILOT[4], done)
    await imported(quiet, "copilot", file)
    assert told(await kept(quiet)) == [SAID[1]]


@pytest.mark.parametrize(
    "line",
    [
        event("system.message", 1, role="system", content="You are the GitHub Copilot CLI"),
        event("user.message", 1, content="  \n"),
        event("user.message", 1, content="A skill says", source="skill-pdf"),
        event("assistant.message", 1, content="I search.", parentToolCallId="c1"),
        event("session.shutdown", 1, totalUserRequests=1),
        {"type": "a kind of next year", "data": None},
    ],
)
def test_what_nobody_said_to_copilot_is_skipped(tmp_path: Path, line: Line) -> None:
    source = TranscriptSource(written(tmp_path / "events.jsonl", line), SESSION)
    assert [*FORMATS["copilot"].read(source)] == [SkippedLine(1)]


def test_a_log_of_copilot_is_read_on_from_where_a_call_was_open(tmp_path: Path) -> None:
    file = written(tmp_path / "events.jsonl", *COPILOT[:5])

    def read(last: FilePlace) -> tuple[list[str | None], FilePlace]:
        follower = TranscriptFollower(
            FORMATS["copilot"], file, SESSION, lambda mark: mark, FoldersLeftOut()
        )
        items = [*follower.read(follower.check(last), file.stat().st_size, finishes=False)]
        turns = [one.turn for one in items if isinstance(one, TranscriptTurn)]
        return [turn.message_id for turn in turns], follower.place

    first, place = read(FilePlace())
    with file.open("ab") as log:
        log.write(b"".join(json.dumps(one).encode() + b"\n" for one in COPILOT[5:]))
    assert (first, read(place)[0]) == (["m3"], ["c1", "c2", "m9"])


def message(number: int, role: str, *content: Line, **more: object) -> Line:
    """A message of Cline's."""
    own = {"id": f"m{number}", "role": role, "content": [*content], "ts": 1_795_918_254_772}
    return {**own, **more}


def text(words: str) -> Line:
    return {"type": "text", "text": words}


CLINE = (
    message(1, "user", text('<user_input mode="act">Use pnpm.</user_input>')),
    message(2, "assistant", text("I look."),
            {"type": "tool_use", "id": "c1", "name": "run_commands", "input": {"command": "ls"}}),
    message(3, "user", {"type": "tool_result", "tool_use_id": "c1", "content": "a.txt"}),
    message(4, "user", text("Continue."), metadata={"displayRole": "system"}),
    message(5, "assistant", text("I use pnpm from now on.")),
)  # fmt: skip


def written_by_cline(folder: Path, *messages: Line, agent: str = "lead") -> Path:
    file = folder / f"{SESSION}.messages.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    document = {"version": 1, "agent": agent, "sessionId": SESSION, "messages": [*messages]}
    file.write_text(json.dumps(document, indent=2), "utf-8")
    (folder / f"{SESSION}.json").write_text(json.dumps({"cwd": FOLDER}), "utf-8")
    return file


async def test_a_session_of_cline_is_recorded_once_though_it_grows(
    quiet: Memoria, tmp_path: Path
) -> None:
    file = written_by_cline(tmp_path / SESSION, *CLINE[:1])
    assert (await imported(quiet, "cline", file)).recorded == 1
    written_by_cline(tmp_path / SESSION, *CLINE)
    assert (await imported(quiet, "cline", file)).recorded == 3
    assert told(await kept(quiet)) == [
        ("user", "Use pnpm.", None),
        ("assistant", "I look.", None),
        ("tool", {"run_commands": {"command": "ls"}}, "a.txt"),
        ("assistant", "I use pnpm from now on.", None),
    ]


def test_cline_s_folder_is_that_of_its_session_and_other_agents_are_left_out(
    tmp_path: Path,
) -> None:
    def read() -> list[object]:
        source = TranscriptSource(file, "x", is_document=True)
        return [getattr(item, "cwd", item) for item in FORMATS["cline"].read(source)]

    file = written_by_cline(tmp_path, *CLINE[:1])
    assert read() == [FOLDER]
    file.with_name(f"{SESSION}.json").write_text("{half")
    assert read() == [None]
    written_by_cline(tmp_path, *CLINE[:1], agent="agent_2")
    assert read() == []


def droid_message(number: int, role: str, *content: Line, **more: object) -> Line:
    """A line of Droid's."""
    said: Line = {"role": role, "content": [*content], **more}
    at = f"2026-11-29T11:54:{number:02}.517Z"
    return {"type": "message", "id": f"m{number}", "timestamp": at, "message": said}


def words(text: str) -> Line:
    return {"type": "text", "text": text}


BEGUN: Line = {"type": "session_start", "id": SESSION, "title": "Use pnpm.", "cwd": FOLDER}
DROID = (
    BEGUN,
    droid_message(1, "user", visibility="user_only", hookEventName="SessionStart"),
    droid_message(2, "user", words("<system-reminder>\nThe tools listed\n</system-reminder>")),
    droid_message(3, "user", words("Use pnpm.")),
    droid_message(4, "assistant", words("I look."),
                  {"type": "tool_use", "id": "c1", "name": "Execute", "input": {"command": "ls"}}),
    droid_message(5, "user", {"type": "tool_result", "tool_use_id": "c1", "content": "a.txt"}),
    droid_message(6, "assistant", words("I use pnpm from now on.")),
    {"type": "agent_turn_outcome", "turnId": "m3", "reason": "completed"},
)  # fmt: skip


async def test_a_session_of_droid_is_recorded_once_though_it_grows(
    quiet: Memoria, tmp_path: Path
) -> None:
    file = written(tmp_path / f"{SESSION}.jsonl", *DROID[:5])
    assert (await imported(quiet, "droid", file)).recorded == 3
    written(file, *DROID)
    await imported(quiet, "droid", file)
    turns = await kept(quiet)
    assert told(turns) == [
        ("user", "Use pnpm.", None),
        ("assistant", "I look.", None),
        ("tool", {"Execute": {"command": "ls"}}, "a.txt"),
        ("assistant", "I use pnpm from now on.", None),
    ]
    assert [turn.message_id for turn in turns] == ["m3", "m4", "c1", "m6"]


def test_a_session_that_an_agent_of_droid_s_has_begun_is_left_out(tmp_path: Path) -> None:
    begun = {**BEGUN, "callingSessionId": "s-0", "callingToolUseId": "c1"}
    source = TranscriptSource(written(tmp_path / "s.jsonl", begun, *DROID[1:]), SESSION)
    assert [*FORMATS["droid"].read(source)] == [SkippedLine(n + 1) for n in range(len(DROID))]


@pytest.mark.parametrize("form", FORMATS.values(), ids=FORMATS)
def test_the_help_of_import_says_of_each_format_what_it_reads_and_where(
    shell: Shell, form: TranscriptFormat
) -> None:
    shown = " ".join(shell("import", "--help", COLUMNS="4000").out.split())
    assert form.summary in shown


def test_a_clients_own_folder_follows_its_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for form in FORMATS.values():
        if form.folder is not None:
            monkeypatch.setenv(form.folder.variable, str(tmp_path))
            assert form.folder.path == tmp_path / form.folder.below
            monkeypatch.setenv(form.folder.variable, "")
            assert form.folder.path == Path(form.folder.home).expanduser() / form.folder.below
