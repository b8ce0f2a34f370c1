"""What happens when a session ends and no server is left to hear of it."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import memoria
from memoria.bare.kept import BRIEFING, read_kept
from memoria.bare.spool import list_waiting

HOOK = Path(memoria.__file__).parent / "surface" / "hook" / "__main__.py"
LONGEST_S = 60


def test_a_session_is_on_record_and_in_the_next_briefing_though_no_server_heard_its_end(
    tmp_path: Path,
) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    project.mkdir()
    transcript = tmp_path / "s-1.jsonl"
    said = {
        "type": "user",
        "uuid": "u-1",
        "sessionId": "s-1",
        "timestamp": "2026-11-22T10:00:00.000Z",
        "cwd": str(project),
        "message": {"role": "user", "content": "Remember: commit messages are in English."},
    }
    transcript.write_text(json.dumps(said) + "\n", "utf-8")
    end = {
        "hook_event_name": "SessionEnd",
        "session_id": "s-1",
        "transcript_path": str(transcript),
        "cwd": str(project),
    }
    command = [sys.executable, "-I", "-S", str(HOOK), "claude-code", "--home", str(home)]
    outside = {name: value for name, value in os.environ.items() if "MEMORIA" not in name}
    environment = {**outside, "MEMORIA_EMBEDDER": "off"}
    subprocess.run(  # noqa: S603  (our own program)
        command, input=json.dumps(end).encode(), env=environment, cwd=project, check=True
    )

    deadline = time.monotonic() + LONGEST_S
    while (text := read_kept(str(home), "default", None, BRIEFING)) is None:
        assert time.monotonic() < deadline
        time.sleep(0.05)

    assert "commit messages are in English" in text
    assert list_waiting(str(home), "default") == []
