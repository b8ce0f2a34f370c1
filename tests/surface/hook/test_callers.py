"""A hook that another program than the connected one has started."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.surface.hook.clients import EVENTS, Payload, place

import memoria
from memoria.bare.hook_log import read_failures, read_heard
from memoria.bare.spool import claim_entries
from memoria.surface.hook.callers import is_from
from memoria.surface.hook.payloads import Payload as ReadPayload

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
