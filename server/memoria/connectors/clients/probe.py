"""Start of a server as its client would start it, to see whether the server answers."""

import json
import os
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

_PROTOCOL = "2025-06-18"
_ASK_TOOLS, _ASK_MEMORY = 2, 3
_STATUS = "memory://status"
"""Resource that a server answers only once its memory is open; tools are listed before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeResult:
    """Answer of a server."""

    problem: str | None = None
    """Reason for no answer; None if the server answered."""
    cure: str = ""
    """What to do about it, as a sentence; empty if the reason says it."""
    version: str | None = None
    tools: tuple[str, ...] = ()
    seconds: float = 0.0


@dataclass(slots=True)
class _ProbeAnswers:
    by_id: dict[int, dict[str, Any]] = field(default_factory=dict)
    tools_at: float = 0.0
    complete: threading.Event = field(default_factory=threading.Event)

    def add(self, number: int, message: dict[str, Any]) -> None:
        """Take in an answer."""
        self.by_id[number] = message
        if number == _ASK_TOOLS:
            self.tools_at = time.monotonic()

    @property
    def is_complete(self) -> bool:
        """True once every question has its answer."""
        return self.by_id.keys() >= {_ASK_TOOLS, _ASK_MEMORY}


def probe_server(
    command: Sequence[str], environment: Mapping[str, str], folder: Path, wait_s: float
) -> ProbeResult:
    """Start a server, say hello, ask for its tools and its memory, and let it end."""
    began = time.monotonic()
    try:
        process = subprocess.Popen(  # noqa: S603  (what the client's configuration names)
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(environment),
            cwd=folder,
        )
    except OSError as error:
        return ProbeResult(problem=f"it can't be started: {error.strerror or error}")
    answers, said = _ProbeAnswers(), list[bytes]()
    readers = [
        threading.Thread(target=_read_answers, args=(process.stdout, answers), daemon=True),
        threading.Thread(target=lambda: said.extend(process.stderr or ()), daemon=True),
    ]
    for reader in readers:
        reader.start()
    try:
        _ask(process.stdin)
        answers.complete.wait(wait_s)
    except OSError:  # it has ended; what it said says why
        pass
    finally:
        took_s = (answers.tools_at or time.monotonic()) - began
        _end(process, readers)
    return _judge(answers, said, took_s, wait_s)


def select_environment(passes: Sequence[str] | None, own: Mapping[str, str]) -> dict[str, str]:
    """Select the variables that a client starts a server with, and add a server's own."""
    given = os.environ
    kept = dict(given) if passes is None else {key: given[key] for key in passes if key in given}
    if os.name == "nt":  # without it no program starts
        kept.setdefault("SYSTEMROOT", given.get("SYSTEMROOT", ""))
    return {**kept, **own}


def _ask(stdin: IO[bytes] | None) -> None:
    if stdin is None:
        return
    about = {"name": "memoria connect --status", "version": "1"}
    hello = {"protocolVersion": _PROTOCOL, "capabilities": {}, "clientInfo": about}
    for message in (
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": _ASK_TOOLS, "method": "tools/list"},
        {"id": _ASK_MEMORY, "method": "resources/read", "params": {"uri": _STATUS}},
    ):
        stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    stdin.flush()


def _read_answers(stdout: IO[bytes] | None, answers: _ProbeAnswers) -> None:
    for line in stdout or ():
        try:
            message = json.loads(line)
        except ValueError:
            continue
        if isinstance(message, dict) and isinstance(message.get("id"), int):
            answers.add(message["id"], message)
            if answers.is_complete:
                break
    answers.complete.set()


def _end(process: subprocess.Popen[bytes], readers: list[threading.Thread]) -> None:
    """Close a server's input, which ends the server, and kill a server that goes on."""
    try:
        if process.stdin is not None:
            process.stdin.close()
    except OSError:  # it has ended already, with something unsaid to it
        pass
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for reader in readers:
        reader.join(1)
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()


def _judge(answers: _ProbeAnswers, said: list[bytes], seconds: float, wait_s: float) -> ProbeResult:
    tools = answers.by_id.get(_ASK_TOOLS, {}).get("result")
    hello = answers.by_id.get(1, {}).get("result")
    why = _find_problem(answers, said, seconds, wait_s)
    if not isinstance(tools, dict) or not isinstance(hello, dict):
        return ProbeResult(problem=why, seconds=seconds)
    return ProbeResult(
        problem=None if answers.is_complete and not _list_errors(answers) else why,
        version=hello.get("serverInfo", {}).get("version"),
        tools=tuple(str(tool["name"]) for tool in tools["tools"]),
        seconds=seconds,
    )


def _find_problem(answers: _ProbeAnswers, said: list[bytes], seconds: float, wait_s: float) -> str:
    """Return why a server did not answer, as far as it says so itself."""
    lines = b"".join(said).decode("utf-8", "replace").strip().splitlines()
    if wrong := [*_list_errors(answers), *lines[-1:]]:
        return wrong[0]
    if answers.tools_at:
        return f"it lists its tools, but its memory did not answer within {wait_s:g} s"
    return f"it did not answer within {wait_s:g} s" if seconds >= wait_s else "it ended at once"


def _list_errors(answers: _ProbeAnswers) -> list[str]:
    return [
        str(answer["error"]["message"]) for answer in answers.by_id.values() if "error" in answer
    ]
