"""What happens when a session ends and no server is left to hear of it."""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from bench.chat_server import serve_script
from tests.surface.test_cli_model import ANSWER, SUMMARY

import memoria
from memoria.admin.settings.change import change_settings
from memoria.bare.kept import BRIEFING, read_kept
from memoria.bare.spool import list_waiting

HOOK = Path(memoria.__file__).parent / "surface" / "hook" / "__main__.py"
LONGEST_S = 60
ANSWERS_AFTER_S = 0.5
"""Later than all else is done, as a model's answer comes."""


def test_a_session_is_on_record_and_in_the_next_briefing_though_no_server_heard_its_end(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    _end_session(tmp_path, home, "Remember: commit messages are in English.")
    _wait_for_briefing(home, "commit messages are in English")
    assert list_waiting(str(home), "default") == []


def test_a_model_reads_it_and_what_it_concludes_is_in_the_next_briefing(tmp_path: Path) -> None:
    home = tmp_path / "home"

    def answer(instructions: str, _: str) -> dict[str, Any]:
        threading.Event().wait(ANSWERS_AFTER_S)
        return SUMMARY if "`outcome`" in instructions else ANSWER

    with serve_script(answer) as url:
        change_settings(home, {"llm_base_url": url, "llm_model": "m"})
        _end_session(tmp_path, home, "We have moved from Bergen to Trondheim.")
        _wait_for_briefing(home, "The user lives in Trondheim.")


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
    environment = {**outside, "MEMORIA_EMBEDDER": "off"}
    subprocess.run(  # noqa: S603  (our own program)
        command, input=json.dumps(said).encode(), env=environment, cwd=project, check=True
    )


def _wait_for_briefing(home: Path, words: str) -> None:
    """Wait until the next session would begin with these words."""
    deadline = time.monotonic() + LONGEST_S
    while words not in (read_kept(str(home), "default", None, BRIEFING) or ""):
        assert time.monotonic() < deadline
        time.sleep(0.05)
