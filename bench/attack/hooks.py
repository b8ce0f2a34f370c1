"""The hook program, as a connected client starts it."""

import json
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import anyio.to_thread

from bench.attack.arena import Arena

_LONGEST_S = 20.0
_MARK = "surface/hook"


@dataclass(frozen=True, slots=True)
class Heard:
    """What a hook came to."""

    code: int | None
    """None where it hung and was killed."""
    out: str
    seconds: float


def find_hook_commands(folder: Path, event: str, pattern: str = "*.json") -> list[str]:
    """List the commands that the clients' files below a folder run at an event."""
    commands: list[str] = []
    for file in sorted(folder.rglob(pattern)):
        text = file.read_text("utf-8")
        if _MARK in text and '"hooks"' in text:
            commands += _commands(json.loads(text)["hooks"].get(event, []))
    return commands


def _commands(entries: object) -> list[str]:
    """Return every command below, however deep a client's form nests it."""
    if isinstance(entries, list):
        return [command for entry in entries for command in _commands(entry)]
    if isinstance(entries, dict):
        nested = _commands(entries.get("hooks", []))
        return [entries["command"], *nested] if "command" in entries else nested
    return []


async def run_hook(arena: Arena, command: str, payload: Mapping[str, object]) -> Heard:
    """Run a hook's command with a payload, as a client does; killed where it hangs."""

    def run() -> Heard:
        began = time.monotonic()
        try:
            done = subprocess.run(  # noqa: S602  (as the client does)
                command,
                shell=True,
                env=arena.environment(),
                cwd=arena.folder,
                input=json.dumps(payload).encode(),
                capture_output=True,
                timeout=_LONGEST_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Heard(None, "", time.monotonic() - began)
        return Heard(
            done.returncode, done.stdout.decode("utf-8", "replace"), time.monotonic() - began
        )

    return await anyio.to_thread.run_sync(run)


def write_transcript(arena: Arena, session: str, folder: Path, *texts: str) -> Path:
    """Write a transcript of Claude Code's, held in a folder; give its place."""
    file = arena.folder / ".claude" / "projects" / "p" / f"{session}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        {
            "type": "user",
            "uuid": f"{session[:-4]}{n:04}",
            "parentUuid": None,
            "sessionId": session,
            "cwd": str(folder),
            "timestamp": f"2026-11-20T10:00:{n:02}.000Z",
            "isSidechain": False,
            "userType": "external",
            "version": "2.0.1",
            "message": {"role": "user", "content": text},
        }
        for n, text in enumerate(texts)
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return file
