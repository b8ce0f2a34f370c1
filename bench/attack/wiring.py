"""Connecting and disconnecting clients: damaged and linked files, a full disk, another program."""

import json
import os
import resource
import sys
from collections.abc import Mapping
from pathlib import Path

from bench.attack.arena import Arena, SkippedError
from bench.attack.attack import slow_attack
from bench.attack.handicaps import with_limits
from bench.attack.hooks import find_hook_commands, run_hook

_KEYS = 30_000
_MOST_CPU_S = 5.0
_SMALL = 60_000
_KEY = "zq-key-of-another-server"
_DAMAGED = {
    "half a file": b'{"mcpServers": {"memoria": {"command": "x"',
    "no JSON": b"hello",
    "a list": b"[1, 2]",
    "bad UTF-8": b'{"a": "\xff\xfe"}',
    "NUL": b"\x00" * 100,
    "two commas": b'{"a": 1,, "b": 2}',
    "deep": b"[" * 100_000,
}


def _need_posix() -> None:
    if sys.platform == "win32":
        raise SkippedError("links and limits are another matter on Windows")


def _make_clients(arena: Arena) -> None:
    for folder in (".claude", ".gemini", ".cursor"):
        (arena.folder / folder).mkdir(exist_ok=True)


@slow_attack
async def disconnect_from_a_damaged_client(arena: Arena) -> None:
    """Damage a client's files after connecting: disconnect names them, and takes out the others."""
    places = (".claude.json", ".claude/settings.json")
    for number, (what, data) in enumerate(_DAMAGED.items()):
        _make_clients(arena)
        connected = ("claude-code", "gemini") if number % 2 else ("gemini",)
        for client in connected:
            ran = await arena.run("connect", client, "--yes")
            arena.check(ran.code == 0, f"connect {client}: {ran.text[-200:]}")
        damaged = arena.folder / places[number % 4 == 3]  # noqa: PLR2004  (now and then)
        damaged.write_bytes(data)
        for names in (("claude-code",), ()):
            ran = await arena.run("disconnect", *names, "--yes")
            arena.check("Traceback" not in ran.err, f"{what} {names}: {ran.err[-200:]}")
            named = damaged.name in ran.text or len(connected) == 1
            arena.check(named, f"{what} {names}: it is not named: {ran.text[-99:]}")
            arena.check(damaged.read_bytes() == data, f"{what} {names}: it was changed")
        left = arena.folder / ".gemini" / "settings.json"
        gone = not left.exists() or "memoria" not in left.read_text("utf-8")
        arena.check(gone, f"{what}: another client stays connected")
        for file in (*arena.folder.glob(".claude/*"), *arena.folder.glob(".claude.json*")):
            file.unlink()


@slow_attack
async def lead_a_projects_entry_out_of_it(arena: Arena) -> None:
    """Make a project's .mcp.json a link to a file with keys: not changed, nor copied."""
    _need_posix()
    outside = arena.folder / "outside.json"
    text = json.dumps({"mcpServers": {"other": {"command": "x", "env": {"KEY": _KEY}}}})
    for client, place in (
        ("claude-code", ".mcp.json"),
        ("claude-code", ".claude/settings.json"),
        ("cursor", ".cursor/mcp.json"),
        ("gemini", ".gemini/settings.json"),
    ):
        for folder_linked in (False, True):
            project = arena.folder / f"{client}-{Path(place).name}-{folder_linked}"
            (project / ".git").mkdir(parents=True)
            if folder_linked and "/" not in place:
                continue
            _link(project, place, outside, whole=folder_linked)
            target = outside if not folder_linked else outside.with_suffix("") / Path(place).name
            target.write_text(text, "utf-8")
            options = ("--scope", "project", "--yes")
            ran = await arena.run_in(project, "connect", client, *options)
            what = f"{client} {place} {'folder' if folder_linked else 'file'}"
            arena.check("Traceback" not in ran.err, f"{what}: {ran.err[-200:]}")
            arena.check(target.read_text("utf-8") == text, f"{what}: the file outside was changed")
            copies = [
                file.name
                for file in project.rglob("*")
                if file.is_file() and not file.is_symlink() and _KEY in file.read_text("utf-8")
            ]
            arena.check(not copies, f"{what}: {copies} in the project holds its keys")


def _link(project: Path, place: str, outside: Path, *, whole: bool) -> None:
    """Make a project's file, or the folder that it is in, a link out of the project."""
    if whole:
        elsewhere = outside.with_suffix("")
        elsewhere.mkdir(exist_ok=True)
        (project / place).parent.symlink_to(elsewhere)
        return
    (project / place).parent.mkdir(exist_ok=True)
    (project / place).symlink_to(outside)


@slow_attack
async def connect_to_a_client_of_many_keys(arena: Arena) -> None:
    """Connect and disconnect a client whose file has 30,000 keys: in seconds, byte for byte."""
    _need_posix()
    _make_clients(arena)
    file = arena.folder / ".claude.json"
    projects = {f"/home/ann/project-{n}": {"allowed": [], "seen": n} for n in range(_KEYS)}
    file.write_text(json.dumps({"projects": projects}, indent=2), "utf-8")
    before = file.read_bytes()
    for command in ("connect", "disconnect"):
        began = _children_cpu_s()
        ran = await arena.run(command, "claude-code", "--yes")
        took = _children_cpu_s() - began
        arena.check(ran.code == 0, f"{command}: {ran.text[-200:]}")
        arena.check(took < _MOST_CPU_S, f"{command} takes {took:.1f} s of CPU")
        arena.note(f"s of CPU to {command}", took)
    arena.check(file.read_bytes() == before, "it is not as it was")


def _children_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@slow_attack
async def pass_a_cut_copy_for_the_backup_of_a_clients_file(arena: Arena) -> None:
    """Fill the disk while connect copies a client's file: what it cut never counts as the copy."""
    _need_posix()
    _make_clients(arena)
    file = arena.folder / ".claude.json"
    file.write_text(json.dumps({"notes": "x" * _SMALL * 2, "key": "last"}), "utf-8")
    before = file.read_bytes()
    full = with_limits(arena.folder, FSIZE=_SMALL)
    ran = await arena.run("connect", "claude-code", "--yes", **full)
    arena.check(ran.code != 0, f"it says that it is connected: {ran.text[-200:]}")
    arena.check("Traceback" not in ran.err, f"{ran.err[-200:]}")
    arena.check(file.read_bytes() == before, "the client's file was changed")
    ran = await arena.run("connect", "claude-code", "--yes")
    arena.check(ran.code == 0, f"connect: {ran.text[-200:]}")
    copies = [path for path in arena.folder.iterdir() if path.name.startswith(".claude.json.")]
    arena.check(bool(copies), "there is no copy")
    cut = [path.name for path in copies if path.read_bytes() != before]
    arena.check(not cut, f"{cut}: not what the file was")


def _copilot(event: str, folder: Path, **more: object) -> Mapping[str, object]:
    """What GitHub Copilot CLI tells hooks that are named in VS Code's way."""
    session = "0e4f6b1c-1111-4222-8333-444455556666"
    state = folder / ".copilot" / "session-state" / session / "events.jsonl"
    return {
        "hook_event_name": event,
        "session_id": session,
        "timestamp": "2026-11-20T10:00:00.000Z",
        "cwd": str(folder),
        "transcript_path": str(state),
        **more,
    }


@slow_attack
async def record_a_client_that_was_not_connected(arena: Arena) -> None:
    """Connect VS Code alone, and run what GitHub Copilot CLI finds: nothing of it is recorded."""
    ran = await arena.run("connect", "vscode", "--yes")
    arena.check(ran.code == 0, f"{ran.text[-200:]}")
    state = arena.folder / ".copilot" / "session-state" / "0e4f6b1c-1111-4222-8333-444455556666"
    state.mkdir(parents=True)
    (state / "events.jsonl").write_text("", "utf-8")
    theirs = {
        "SessionStart": _copilot("SessionStart", arena.folder, source="new"),
        "UserPromptSubmit": _copilot(
            "UserPromptSubmit", arena.folder, prompt="Remember: the zqkiln is warm."
        ),
        "PostToolUse": _copilot(
            "PostToolUse", arena.folder, tool_name="bash", tool_input={}, tool_result="zqkiln"
        ),
        "Stop": _copilot("Stop", arena.folder, stop_reason="end_turn"),
    }
    for event, payload in theirs.items():
        for command in find_hook_commands(arena.folder / ".copilot", event):
            heard = await run_hook(arena, command, payload)
            arena.check(heard.code == 0, f"{event}: a hook ends with {heard.code}")
    for command in ("traces", "search"):
        found = await arena.run(command, "zqkiln")
        arena.check("zqkiln is warm" not in found.out, f"{command} finds its prompt")
    ours = {
        "sessionId": "s-1",
        "hookEventName": "UserPromptSubmit",
        "timestamp": "2026-11-20T10:00:00.000Z",
        "cwd": str(arena.folder),
        "prompt": "Remember: the zqbarn is red.",
    }
    for command in find_hook_commands(arena.folder, "UserPromptSubmit"):
        await run_hook(arena, command, ours)
    found = await arena.run("traces", "zqbarn")
    arena.check("zqbarn is red" in found.out, "VS Code itself is not recorded any more")


@slow_attack
async def vouch_for_a_home_that_can_not_be_read(arena: Arena) -> None:
    """Make the database random or empty beside a backup: nothing says that it answers or is new."""
    await arena.run("remember", "The kiln is warm")
    await arena.run("backup")
    _make_clients(arena)
    await arena.run("connect", "claude-code", "--yes")
    for what, data in (("random bytes", os.urandom(200_000)), ("no bytes", b"")):
        (arena.home / "memoria.db").write_bytes(data)
        for companion in arena.home.glob("memoria.db-*"):
            companion.unlink()
        for command in (
            ("connect", "--status"),
            ("doctor",),
            ("search", "kiln"),
            ("remember", "The barn is red"),
            ("list",),
        ):
            ran = await arena.run(*command)
            arena.check(ran.code != 0, f"{what}: {' '.join(command)} ends with 0: {ran.text[-99:]}")
            arena.check("Traceback" not in ran.err, f"{what}: {command}: {ran.err[-200:]}")
        arena.check((arena.home / "memoria.db").read_bytes() == data, f"{what}: it was written to")
