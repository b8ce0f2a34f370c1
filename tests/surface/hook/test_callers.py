"""A hook that another program than the connected one has started."""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from bench.chat_server import serve_script
from tests.databases import process_environment
from tests.surface.hook.clients import EVENTS, Payload, place
from tests.surface.test_cli_model import ANSWER, SUMMARY

import memoria
from memoria.admin.settings import change_settings
from memoria.bare.kept import BRIEFING, read_kept
from memoria.bare.spool import claim_entries, list_waiting, read_failures, read_heard
from memoria.surface.hook.handover import hand_over, take_in_later
from memoria.surface.hook.payloads import Payload as ReadPayload
from memoria.surface.hook.payloads import is_from

PROGRAM = Path(memoria.__file__).parent / "surface" / "hook" / "__main__.py"


def _tell(home: Path, client: str, said: Payload) -> str:
    """What the hook of a client prints, told this."""
    ended = subprocess.run(  # noqa: S603  (our own program)
        [sys.executable, "-I", "-S", str(PROGRAM), client, "--home", str(home), "--recall"],
        input=json.dumps(said),
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stderr == ""
    return ended.stdout


def _copilot(event: str, folder: Path, **more: object) -> Payload:
    """What GitHub Copilot CLI tells a hook with a name of VS Code's."""
    said: Payload = {"hook_event_name": event, "session_id": "c-1", "cwd": str(folder)}
    return {**said, "timestamp": "2026-11-28T09:00:00.000Z", **more}


def _copilot_session(folder: Path) -> list[Payload]:
    events = folder / ".copilot" / "session-state" / "c-1" / "events.jsonl"
    tool = {"tool_name": "bash", "tool_input": {}, "tool_result": {"text_result_for_llm": "ok"}}
    return [
        _copilot("SessionStart", folder, source="new", initial_prompt="Use pnpm."),
        _copilot("UserPromptSubmit", folder, prompt="Always answer in short sentences."),
        _copilot("PostToolUse", folder, **tool),
        _copilot("PreCompact", folder, transcript_path=str(events), trigger="auto"),
        _copilot("Stop", folder, transcript_path=str(events), stop_reason="end_turn"),
        _copilot("SessionEnd", folder, reason="complete"),
    ]


def _vscode_now(event: str, folder: Path, **more: object) -> Payload:
    """What VS Code tells a hook, as its newer versions write it."""
    kept = folder / "workspaceStorage" / "ab12" / "GitHub.copilot-chat" / "transcripts"
    return _copilot(event, folder, transcript_path=str(kept / "c-1.jsonl"), **more)


def _cursor_with_claude_hooks(folder: Path) -> Payload:
    said = place(EVENTS["prompt"]()["cursor"], folder, folder / "c-1.jsonl")
    return {**said, "hook_event_name": "UserPromptSubmit", "session_id": "c-1", "cwd": str(folder)}


@pytest.mark.parametrize("client", ["vscode", "claude-code"])
def test_nothing_of_a_program_that_was_not_connected_is_recorded_or_answered(
    home: Path, tmp_path: Path, client: str
) -> None:
    for said in _copilot_session(tmp_path):
        assert _tell(home, client, said) == "", said
    assert not home.exists()
    assert read_heard(str(home), "default") == {}
    assert read_failures(str(home), "default") == []


def test_hooks_of_claude_code_stay_out_of_vscode_and_cursor_which_read_its_files(
    home: Path, tmp_path: Path
) -> None:
    for said in (
        _vscode_now("UserPromptSubmit", tmp_path, prompt="Use pnpm."),
        _cursor_with_claude_hooks(tmp_path),
    ):
        assert _tell(home, "claude-code", said) == ""
    assert not home.exists()


def test_what_vscode_itself_tells_is_recorded_in_its_old_form_and_in_its_new_one(
    home: Path, tmp_path: Path
) -> None:
    old = place(EVENTS["prompt"]()["vscode"], tmp_path)
    new = _vscode_now("UserPromptSubmit", tmp_path, prompt="Use pnpm here, never npm.")
    for said in (old, new):
        _tell(home, "vscode", said)
    claim = claim_entries(str(home), "default")
    assert claim is not None
    with claim:
        entries = [claim.read(name) for name in claim.names()]
    told = [(entry["client"], entry["turns"]) for entry in entries if entry]
    turn = {"role": "user", "content": "Use pnpm here, never npm."}
    assert told == [("vscode", [turn])] * 2


def test_hooks_of_copilot_stay_out_of_vscode_which_reads_its_files(
    home: Path, tmp_path: Path
) -> None:
    for said in (
        _vscode_now("UserPromptSubmit", tmp_path, prompt="Use pnpm."),
        place(EVENTS["prompt"]()["vscode"], tmp_path),
    ):
        assert _tell(home, "copilot", said) == ""
    assert not home.exists()


def test_each_client_is_known_by_all_that_it_tells(tmp_path: Path) -> None:
    transcript = tmp_path / "projects" / "p" / "s-1.jsonl"
    for made in EVENTS.values():
        for client, said in made().items():
            assert is_from(client, ReadPayload(place(said, tmp_path, transcript))), (client, said)
    dated = {**EVENTS["start"]()["claude-code"], "timestamp": "2026-11-28T09:00:00.000Z"}
    assert is_from("claude-code", ReadPayload(place(dated, tmp_path, transcript)))


WORDS = "My password is hunter2."
_STARTS = {"subprocess.Popen", "os.posix_spawn"}


def test_no_word_of_a_conversation_is_among_the_arguments_of_what_a_hook_starts(home: Path) -> None:
    started: list[str] = []

    def note(event: str, arguments: tuple[object, ...]) -> None:
        if event in _STARTS:
            started.append(str(arguments[:2]))  # the program and its arguments

    sys.addaudithook(note)
    turns = [{"role": "user", "content": WORDS}]
    hand_over(str(home), "tests", {"v": 1, "client": "cursor", "session": "s", "turns": turns})
    take_in_later(str(home), "tests", None)
    assert len(started) == 2
    assert all("memoria" in one and "hunter2" not in one for one in started)


HOOK = Path(memoria.__file__).parent / "surface" / "hook" / "__main__.py"
LONGEST_S = 60
ANSWERS_AFTER_S = 0.5
"""Later than all else is done, as a model's answer comes."""


@pytest.mark.sqlite("a briefing is kept as long as the files stay as they are")
def test_a_session_is_on_record_and_in_the_next_briefing_though_no_server_heard_its_end(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    _end_session(tmp_path, home, "Remember: commit messages are in English.")
    _wait_for_briefing(home, "commit messages are in English")
    assert list_waiting(str(home), "default") == []


@pytest.mark.sqlite("a briefing is kept as long as the files stay as they are")
def test_a_model_reads_it_and_what_it_concludes_is_in_the_next_briefing(tmp_path: Path) -> None:
    home = tmp_path / "home"

    def answer(instructions: str, _: str) -> dict[str, Any]:
        threading.Event().wait(ANSWERS_AFTER_S)
        return SUMMARY if "`outcome`" in instructions else ANSWER

    with serve_script(answer) as url:
        change_settings(home, {"llm_base_url": url, "llm_model": "m"})
        _end_session(tmp_path, home, "We have moved from Bergen to Trondheim.")
        _wait_for_briefing(home, "The user lives in Trondheim.")


@pytest.mark.sqlite("a briefing is kept as long as the files stay as they are")
def test_of_a_client_that_tells_no_end_each_answer_may_be_the_last(tmp_path: Path) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    project.mkdir()
    common = {"session_id": "s-1", "cwd": str(project)}
    words = "Remember: commit messages are in English."
    for said in (
        {"hook_event_name": "UserPromptSubmit", "prompt": words},
        {"hook_event_name": "Stop", "last_assistant_message": "I will."},
    ):
        _run_hook("qwen", home, project, {**common, **said})
    _wait_for_briefing(home, "commit messages are in English")


def _end_session(folder: Path, home: Path, words: str) -> None:
    """Run the hook of a session in which somebody has said this."""
    project, transcript = folder / "project", folder / "s-1.jsonl"
    project.mkdir()
    said = {
        "type": "user",
        "uuid": "u-1",
        "sessionId": "s-1",
        "timestamp": "2026-11-22T10:00:00.000Z",
        "cwd": str(project),
        "message": {"role": "user", "content": words},
    }
    transcript.write_text(json.dumps(said) + "\n", "utf-8")
    end = {
        "hook_event_name": "SessionEnd",
        "session_id": "s-1",
        "transcript_path": str(transcript),
        "cwd": str(project),
    }
    _run_hook("claude-code", home, project, end)


def _run_hook(client: str, home: Path, project: Path, said: dict[str, Any]) -> None:
    command = [sys.executable, "-I", "-S", str(HOOK), client, "--home", str(home)]
    outside = {name: value for name, value in os.environ.items() if "MEMORIA" not in name}
    environment = {**outside, **process_environment(home)}
    subprocess.run(  # noqa: S603  (our own program)
        command, input=json.dumps(said).encode(), env=environment, cwd=project, check=True
    )


def _wait_for_briefing(home: Path, words: str) -> None:
    """Wait until the next session would begin with these words."""
    deadline = time.monotonic() + LONGEST_S
    while words not in (read_kept(str(home), "default", None, BRIEFING) or ""):
        assert time.monotonic() < deadline
        time.sleep(0.05)
