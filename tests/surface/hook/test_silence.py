"""Hooks of sessions in which memory is silent: nothing is told unasked, all is recorded."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.surface.hook.clients import EVENTS, place

import memoria
from memoria.bare.silence import read_sessions
from memoria.bare.spool import list_waiting, read_failures
from memoria.surface.hook.replies import GUIDE, IS_RECORDED

PROGRAM = Path(memoria.__file__).parent / "surface" / "hook" / "__main__.py"


def start(home: Path, folder: Path, share: str) -> str:
    """Begin a session of Claude Code; return what its model is told."""
    transcript = folder / "transcript.jsonl"
    transcript.touch()
    said = place(EVENTS["start"]()["claude-code"], folder, transcript)
    done = subprocess.run(  # noqa: S603  (our own program)
        [sys.executable, "-I", "-S", str(PROGRAM), "claude-code", "--home", str(home)],
        input=json.dumps(said).encode(),
        capture_output=True,
        check=True,
        env={**os.environ, "MEMORIA_SILENT_SHARE": share},
        timeout=60,
    )
    assert done.stderr == b""
    return str(json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"])


@pytest.mark.parametrize(
    ("share", "told", "silent"),
    [("1", IS_RECORDED, [True]), ("0.0001", IS_RECORDED + GUIDE, [False])],
)
def test_a_silent_session_hears_only_that_it_is_recorded(
    home: Path, tmp_path: Path, share: str, told: str, silent: list[bool]
) -> None:
    home.mkdir()
    assert start(home, tmp_path, share) == told
    notes = read_sessions(str(home), "default")
    assert [one["silent"] for one in notes] == silent
    assert [one["tokens"] for one in notes] != [0] or silent == [True]
    assert len(list_waiting(str(home), "default")) == 1


@pytest.mark.parametrize("share", ["0", "", "often"])
def test_without_a_share_every_session_is_briefed_and_none_is_noted(
    home: Path, tmp_path: Path, share: str
) -> None:
    home.mkdir()
    assert start(home, tmp_path, share) == IS_RECORDED + GUIDE
    assert read_sessions(str(home), "default") == []
    reasons = [str(one["reason"]) for one in read_failures(str(home), "default")]
    assert [("MEMORIA_SILENT_SHARE" in one) for one in reasons] == [True] * (share == "often")
