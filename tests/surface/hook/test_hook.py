"""The hook program, started as clients start it."""

import json
import os
import resource
import shutil
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from tests.surface.hook.clients import (
    EVENTS,
    Payload,
    answers,
    list_options,
    place,
    prompts,
    tell_cline_3,
    tools,
)

import memoria
from memoria.bare.home import make_tenant_folder
from memoria.bare.spool import SPOOL, claim_entries, list_waiting, read_failures, read_heard
from memoria.connectors.clients.interface import ClientProgram
from memoria.language.calls.outcome import Outcome, read_outcome
from memoria.surface.hook.main import make_entry
from memoria.surface.hook.payloads import Payload as ReadPayload
from memoria.surface.hook.replies import MOST_CHARS, make_reply, shorten
from memoria.surface.hook.sieve import flatten, is_surely_clean

PACKAGE = Path(memoria.__file__).parent
PROGRAM = PACKAGE / "surface" / "hook" / "__main__.py"
WITH_TRANSCRIPT = {"claude-code", "codex", "gemini", "copilot", "droid"}
WITHOUT_TRANSCRIPT_TOLD = {"vscode", "opencode", "kilo", "qwen", "openclaw"}
"""They keep none that is read, and take a text in the form of Claude Code."""
SECRET = "correct-horse-" + "7Batt3ry!staple"
LONGEST_S = 60
Hook = subprocess.Popen[bytes]


def _start(
    home: Path,
    client: str,
    *options: str,
    program: Path = PROGRAM,
    environment: Mapping[str, str] | None = None,
    most_bytes: int | None = None,
) -> Hook:

    def limit() -> None:
        if most_bytes is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))

    return subprocess.Popen(  # noqa: S603  (our own program)
        [sys.executable, "-I", "-S", str(program), client, "--home", str(home), *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **(environment or {})},
        preexec_fn=limit,  # noqa: PLW1509  (no threads here)
    )


def _run(command: list[str]) -> Hook:
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)  # noqa: S603  (ours)


def _tell(hook: Hook, said: bytes | Payload) -> None:
    assert hook.stdin is not None
    with suppress(BrokenPipeError), hook.stdin as pipe:  # one that is half there may have ended
        pipe.write(said if isinstance(said, bytes) else json.dumps(said).encode())


def _read(hook: Hook) -> object:
    """What a hook printed; it ended with 0 and complained of nothing."""
    with hook:
        assert hook.stdout is not None
        assert hook.stderr is not None
        out, err = hook.stdout.read(), hook.stderr.read()
        assert (hook.wait(LONGEST_S), err) == (0, b"")
    return json.loads(out) if out else None


def _finish(hook: Hook, said: bytes | Payload) -> object:
    _tell(hook, said)
    return _read(hook)


def _take_all(home: Path) -> list[dict[str, object]]:
    claim = claim_entries(str(home), "default")
    assert claim is not None
    with claim:
        entries = [claim.read(name) for name in claim.names()]
        for name in claim.names():
            claim.remove(name)
    return [entry for entry in entries if entry is not None]


def _wait_for_entries(home: Path, count: int) -> list[dict[str, object]]:
    deadline = time.monotonic() + LONGEST_S
    while len(list_waiting(str(home), "default")) < count:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return _take_all(home)


def _read_everything(folder: Path) -> bytes:
    return b"\n".join(
        str(file).encode() + file.read_bytes() for file in folder.rglob("*") if file.is_file()
    )


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    file = tmp_path / "transcript.jsonl"
    file.write_text("{}\n")
    return file


@pytest.mark.parametrize("event", EVENTS)
def test_each_event_of_each_client_is_spooled_and_answered(
    home: Path, tmp_path: Path, transcript: Path, event: str
) -> None:
    told = {client: place(said, tmp_path, transcript) for client, said in EVENTS[event]().items()}
    hooks = {}
    make_tenant_folder(str(home), "default", SPOOL)
    claim = claim_entries(str(home), "default")
    assert claim is not None
    with claim:  # or the process that an ended session starts would take them in
        for client, said in told.items():
            hooks[client] = _start(home, client, *list_options(client, event))
            _tell(hooks[client], said)
        printed = {client: _read(hook) for client, hook in hooks.items()}
        found = [claim.read(name) for name in claim.names()]
    entries = {str(entry["client"]): entry for entry in found if entry is not None}
    assert entries.keys() == told.keys() == read_heard(str(home), "default").keys()
    for client, entry in entries.items():
        assert (entry["v"], entry["event"], entry["session"]) == (1, event, "s-1")
        assert entry["cwd"] == (str(tmp_path) if client != "windsurf" else os.getcwd())  # noqa: PTH109
        assert isinstance(entry["at"], int)
        if client in WITH_TRANSCRIPT:
            assert (entry["transcript"], entry["offset"]) == (str(transcript), 3)
            assert "turns" not in entry
        else:
            assert "transcript" not in entry
            assert ("turns" in entry) == (event in {"prompt", "tool", "stop"})
    _check_turns(event, entries)
    _check_replies(event, printed)


def _check_turns(event: str, entries: Mapping[str, Mapping[str, object]]) -> None:
    words = {"prompt": "Use pnpm here, never npm.", "stop": "I have renamed both."}
    roles = {"prompt": "user", "stop": "assistant", "tool": "tool"}
    for entry in entries.values():
        turns = entry.get("turns", [])
        assert isinstance(turns, list)
        for turn in turns:
            assert turn["role"] == roles[event]
            assert (turn["tool_result"] if event == "tool" else turn["content"]) == words.get(
                event, "two files"
            )


def _check_replies(event: str, printed: Mapping[str, object]) -> None:
    assert printed.get("gemini", {}) is not None  # it reads JSON and nothing else
    for client, reply in printed.items():
        if event == "start" and client == "copilot":
            assert isinstance(reply, dict)
            assert "search_memory" in reply["additionalContext"]
        elif event == "start" and client in {*WITH_TRANSCRIPT, *WITHOUT_TRANSCRIPT_TOLD}:
            assert isinstance(reply, dict)
            said = reply["hookSpecificOutput"]
            assert said["hookEventName"] == "SessionStart"
            assert "search_memory" in said["additionalContext"]
            assert "recorded for you" in said["additionalContext"]
        elif event == "start" and client in {"cursor", "cline"}:
            assert "search_memory" in str(reply)
        else:
            assert reply in (None, {}, {"continue": True}, {"cancel": False}), client


@pytest.mark.parametrize(("stopped", "outcome"), [(False, Outcome.FAILED), (True, Outcome.UNKNOWN)])
def test_a_call_that_failed_is_recorded_where_qwen_tells_it_apart(
    home: Path, tmp_path: Path, *, stopped: bool, outcome: Outcome
) -> None:
    called = {"tool_name": "run_shell_command", "tool_input": {"command": "make"}}
    said = {
        "hook_event_name": "PostToolUseFailure", "session_id": "s-1", "cwd": str(tmp_path),
        **called, "error": "Output: no rule\nExit Code: 2", "is_interrupt": stopped,
    }  # fmt: skip
    hook = _start(home, "qwen")
    _tell(hook, said)
    _read(hook)
    (entry,) = _take_all(home)
    turns = entry["turns"]
    assert isinstance(turns, list)
    (turn,) = turns
    assert read_outcome("run_shell_command", {"command": "make"}, turn["tool_result"]) is outcome


def test_a_secret_and_a_private_span_never_touch_the_disk(home: Path, tmp_path: Path) -> None:
    text = f"The database password is {SECRET}. <private>I am ill with {SECRET[:9]}</private> 你好"
    for made in (prompts, answers, tools):
        for client, said in made(text).items():
            entry = make_entry(client, ReadPayload(dict(place(said, tmp_path, tmp_path / "t"))))
            assert entry is not None
            spooled = flatten(entry.get("turns", ""))
            assert (client in WITH_TRANSCRIPT) == is_surely_clean(spooled)
            assert SECRET not in json.dumps(entry) or client not in WITH_TRANSCRIPT
    handed_over = {"cursor": prompts(text), "vscode": answers(text), "windsurf": tools(text)}
    for client, told in handed_over.items():
        _finish(_start(home, client), place(told[client], tmp_path))
    entries = _wait_for_entries(home, 3)
    assert SECRET[:9].encode() not in _read_everything(home)
    shown = {str(entry["client"]): json.dumps(entry, ensure_ascii=False) for entry in entries}
    assert shown.keys() == handed_over.keys()
    for spooled in shown.values():
        assert "The database password is [redacted:password]" in spooled
        assert "你好" in spooled
        assert "private>" not in spooled
    assert '"id": "g-1:user"' in shown["cursor"]


def test_subagents_our_own_tools_and_what_memoria_itself_asks_are_not_recorded(
    home: Path, tmp_path: Path, transcript: Path
) -> None:
    prompt = place(prompts("Use pnpm.")["claude-code"], tmp_path, transcript)
    ours: Iterable[tuple[str, Payload, dict[str, str]]] = [
        ("claude-code", {**prompt, "agent_id": "a-1"}, {}),
        ("codex", {**prompt, "parent_session_id": "s-0"}, {}),
        ("claude-code", prompt, {"MEMORIA_HOOKS": "off"}),
        ("claude-code", prompt, {"MEMORIA_ASKED": "1"}),
        ("claude-code", {**prompt, "hook_event_name": "SubagentStop"}, {}),
        *(
            (client, {**place(tools("found")[client], tmp_path, transcript), "tool_name": name}, {})
            for client, name in (
                ("claude-code", "mcp__memoria__search_memory"),
                ("gemini", "mcp_memoria_remember"),
                ("cursor", "MCP:search_memory"),
                ("goose", "memoria__search_memory"),
                ("opencode", "memoria_search_memory"),
            )
        ),
    ]
    for client, told, environment in ours:
        _finish(_start(home, client, environment=environment), told)
    assert list_waiting(str(home), "default") == []
    windsurf = tools("x")["windsurf"]
    windsurf["tool_info"] = {"mcp_server_name": "memoria", "mcp_tool_name": "search_memory"}
    assert ReadPayload(windsurf).is_ours
    named = {"server_name": "memoria", "tool_name": "remember"}
    cline = {"postToolUse": {"toolName": "use_mcp_tool", "parameters": named}}
    assert ReadPayload(dict(cline)).is_ours
    assert not ReadPayload({"tool_name": "remember", "mcp_server_name": "notes"}).is_ours


def test_a_folder_that_is_left_out_is_not_recorded_and_the_agent_hears_of_it(
    home: Path, tmp_path: Path, transcript: Path
) -> None:
    (tmp_path / ".memoriaignore").touch()
    told = place(EVENTS["start"]()["claude-code"], tmp_path, transcript)
    printed = _finish(_start(home, "claude-code"), told)
    assert "nothing of what is said in this folder" in str(printed)
    _finish(_start(home, "cursor"), place(prompts("secret plans")["cursor"], tmp_path))
    assert not home.exists()


@pytest.mark.parametrize(
    ("line", "is_recorded"),
    [
        ("ignored_folders = ['FOLDER']", False),
        ("ignored_folders = '/elsewhere, FOLDER'", False),
        ('"ignored_folders" = ["FOLDER"]', False),
        ("# ignored_folders = ['FOLDER']", True),
        ("ignored_folders = ['/elsewhere']", True),
        ("forget_at_onc = 'nonsense", True),
        ("ignored_folders = ['/elsewhere", False),
        ("ignored_folders = 7", False),
    ],
)
def test_the_settings_file_names_folders_left_out_and_one_that_cannot_be_told_leaves_out_all(
    home: Path, tmp_path: Path, line: str, *, is_recorded: bool
) -> None:
    home.mkdir()
    text = line.replace("FOLDER", str(tmp_path))
    (home / "settings.toml").write_text(f"{text}\n", "utf-8")
    _finish(_start(home, "cursor"), place(prompts("Use pnpm.")["cursor"], tmp_path))
    assert bool(list_waiting(str(home), "default")) is is_recorded
    failures = [str(one["reason"]) for one in read_failures(str(home), "default")]
    is_broken = line.endswith("7") or (line.endswith("/elsewhere") and not is_recorded)
    assert [("line 1" in one) for one in failures] == ([True] if is_broken else [])


def test_a_session_that_its_client_writes_nowhere_is_not_recorded(
    home: Path, tmp_path: Path
) -> None:
    _finish(_start(home, "codex"), place(prompts("Use pnpm.")["codex"], tmp_path))
    assert list_waiting(str(home), "default") == []


def test_copilot_s_and_cline_s_files_follow_from_the_session_where_the_client_names_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COPILOT_HOME", str(tmp_path))
    monkeypatch.setenv("CLINE_DIR", str(tmp_path))
    copilot = place(prompts("Use pnpm.")["copilot"], tmp_path)
    cline = tell_cline_3("agent_end", tmp_path, turn={"outputText": "Done."}, taskComplete={})
    made = {
        "copilot": make_entry("copilot", ReadPayload(copilot, "userPromptSubmitted")),
        "cline": make_entry("cline", ReadPayload(cline)),
    }
    folders = {"copilot": "session-state/s-1", "cline": "data/sessions/s-1"}
    names = {"copilot": "events.jsonl", "cline": "s-1.messages.json"}
    for client, entry in made.items():
        assert entry is not None
        assert entry["transcript"] == str(tmp_path / folders[client] / names[client])
        assert (entry["session"], "turns" in entry) == ("s-1", False)
    for session in ("../../etc", "a/b"):
        assert make_entry("copilot", ReadPayload({**copilot, "sessionId": session}, "x")) is None


def test_a_subagent_of_cline_is_known_by_who_has_started_it(tmp_path: Path) -> None:
    own = tell_cline_3("agent_start", tmp_path)
    assert not ReadPayload(dict(own)).is_of_subagent
    assert ReadPayload({**own, "parent_agent_id": "agent_1"}).is_of_subagent


def test_hermes_is_briefed_with_its_first_prompt_which_is_recorded_and_a_subagent_s_is_not(
    home: Path, tmp_path: Path
) -> None:
    first = _tell_hermes("Use pnpm.", is_first_turn=True)
    reply = _finish(_start(home, "hermes"), place(first, tmp_path))
    assert isinstance(reply, dict)
    assert "search_memory" in reply["context"]
    assert "recorded for you" in reply["context"]
    for more in (_tell_hermes("Now npm."), _tell_hermes("Find it.", platform="subagent")):
        assert _finish(_start(home, "hermes"), place(more, tmp_path)) is None
    turns = json.dumps([entry["turns"] for entry in _take_all(home)])
    assert ["Use pnpm." in turns, "Now npm." in turns, "Find it." in turns] == [True, True, False]


def _tell_hermes(prompt: str, **more: object) -> Payload:
    told = prompts(prompt)["hermes"]
    extra = told["extra"]
    assert isinstance(extra, dict)
    return {**told, "extra": {**extra, **more}}


@pytest.mark.parametrize("tell", [prompts, answers, tools])
def test_what_our_plugin_tells_has_the_id_that_an_import_knows_it_by(
    tell: Callable[[str], dict[str, Payload]],
) -> None:
    told = {**tell("The boat is called Marie.")["opencode"], "message_key": "msg_1"}
    assert [turn["id"] for turn in ReadPayload(told).list_turns()] == ["msg_1"]


def test_nothing_that_a_client_may_say_fails_a_hook(home: Path, tmp_path: Path) -> None:
    huge = "x" * 5_000_000
    told: list[bytes | Payload] = [
        b"",
        b"\xff\xfe{",
        b"not json",
        b"[1, 2]",
        b'{"hook_event_name": 7, "session_id": null, "cwd": {}}',
        b"[" * 100_000,
        json.dumps(prompts("\ud800 half")["goose"]).encode(),
        place(prompts("No session.")["goose"] | {"session_id": ""}, tmp_path),
        place(tools(huge)["claude-code"], tmp_path, tmp_path / "gone.jsonl"),
        b'{"hook_event_name": "Stop", "last_assistant_message": "' + huge.encode(),
    ]
    clients = ["goose"] * 8 + ["claude-code", "cursor"]
    for client, said in zip(clients, told, strict=True):
        _finish(_start(home, client), said)
    entries = _wait_for_entries(home, 2)  # half a character, which is cleaned, and a pointer
    assert [len(json.dumps(entry)) > len(huge) for entry in entries] == [False, False]
    reasons = " ".join(str(note["reason"]) for note in read_failures(str(home), "default"))
    assert "no JSON" in reasons
    assert "LookupError" in reasons
    assert "xxx" not in reasons


def test_a_client_that_leaves_the_pipe_open_is_not_waited_for(home: Path, tmp_path: Path) -> None:
    said = json.dumps(place(prompts("Use pnpm.")["cursor"], tmp_path)).encode()
    hooks = [_start(home, "cursor"), _start(home, "cline")]
    for hook, told in zip(hooks, (said, said[:-9]), strict=True):
        assert hook.stdin is not None
        hook.stdin.write(told)
        hook.stdin.flush()
    for hook in hooks:
        assert hook.wait(LONGEST_S) == 0  # the pipe is still open
        _read(hook)
    assert [entry["client"] for entry in _take_all(home)] == ["cursor"]
    assert [note["client"] for note in read_failures(str(home), "default")] == ["cline"]


def test_a_home_that_cannot_be_written_and_a_full_disk_are_no_failure_of_the_client(
    home: Path, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.touch()
    link = tmp_path / "linked"
    link.mkdir()
    (link / "spool").symlink_to(tmp_path)
    said = place(prompts("Use pnpm.")["cursor"], tmp_path)
    for place_, most in ((file, None), (Path("/proc/memoria"), None), (link, None), (home, 0)):
        assert _finish(_start(place_, "cursor", most_bytes=most), said) == {"continue": True}
    assert list_waiting(str(home), "default") == []
    assert list((home / "spool").iterdir()) == []  # no half of an entry is left
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "home", "linked"]
    notes = read_failures(str(link), "default")
    assert [note["reason"] for note in notes] == ["prompt was not recorded: NotRegularError"]


def test_a_home_that_is_missing_is_made_for_its_owner_alone(home: Path, tmp_path: Path) -> None:
    said = place(prompts("Use pnpm.")["cursor"], tmp_path)
    _finish(_start(home, "cursor", "--tenant", "ann"), said)
    modes = {path: stat.S_IMODE(path.lstat().st_mode) for path in (home, *home.rglob("*"))}
    assert {mode for path, mode in modes.items() if path.is_dir()} == {0o700}
    assert {mode for path, mode in modes.items() if path.is_file()} == {0o600}
    assert len(list_waiting(str(home), "ann")) == 1


@pytest.mark.sqlite("looks into the file")
def test_a_store_that_is_being_written_keeps_no_hook_waiting(home: Path, tmp_path: Path) -> None:
    home.mkdir()
    with sqlite3.connect(home / "memoria.db") as busy:
        busy.execute("PRAGMA journal_mode = DELETE")
        busy.execute("CREATE TABLE t (x)")
        busy.execute("BEGIN EXCLUSIVE")
        said = place(prompts("Use pnpm.")["cursor"], tmp_path)
        assert _finish(_start(home, "cursor", "--recall"), said) == {"continue": True}
    assert len(_take_all(home)) == 1


def test_a_memoria_that_is_replaced_or_removed_underneath_is_silent(
    home: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "site" / "memoria"
    for part in ("bare", "surface/hook", "language/secrets"):
        shutil.copytree(PACKAGE / part, copy / part)
    for part in ("__init__.py", "surface/__init__.py"):
        shutil.copy(PACKAGE / part, copy / part)
    program = copy / "surface" / "hook" / "__main__.py"
    said = place(prompts("Use pnpm.")["cursor"], tmp_path)
    assert _finish(_start(home, "cursor", program=program), said) == {"continue": True}
    (copy / "bare" / "home.py").write_text("def half of a new")
    assert _finish(_start(home, "cursor", program=program), said) is None
    shutil.rmtree(copy / "bare")
    assert _finish(_start(home, "cursor", program=program), said) is None
    shutil.rmtree(copy)  # uninstalled: 2, with which Python ends then, would forbid the prompt
    there = ClientProgram.here(str(home), None, None)
    gone = replace(there, hook_script=str(program))
    for installed, reply in ((gone, None), (there, {"continue": True})):
        line = installed.hook_line("cursor", windows=False)
        assert _finish(_run(["/bin/sh", "-c", line]), said) == reply
    assert len(_take_all(home)) == 2


def test_hooks_that_run_at_once_lose_nothing(home: Path, tmp_path: Path) -> None:
    said = place(prompts("Use pnpm.")["goose"], tmp_path)
    hooks = [_start(home, "goose") for _ in range(12)]
    for hook in hooks:
        _finish(hook, said)
    assert len(_take_all(home)) == 12


def test_a_hook_whose_time_is_over_says_what_it_knows_by_then(home: Path) -> None:
    late = (
        "import sys; sys.path.insert(0, sys.argv[1]); from memoria.surface.hook import main; "
        "options = main._Options(['codex', '--home', sys.argv[2]]); options.reply = 'known'; "
        "main._end_after(0.0, options)"
    )
    bare = [sys.executable, "-I", "-S", "-c", late, str(PACKAGE.parent), str(home)]
    done = subprocess.run(bare, capture_output=True, check=True)  # noqa: S603  (ours)
    assert done.stdout == b"known\n"


def test_what_is_printed_is_never_more_than_clients_show() -> None:
    text = "<memoria>\n" + "a line\n" * 3000 + "</memoria>"
    assert len(shorten(text)) < MOST_CHARS
    assert shorten(text).endswith("a line\n</memoria>")
    assert shorten("<memoria>\nshort\n</memoria>") == "<memoria>\nshort\n</memoria>"
    reply = json.loads(make_reply("claude-code", "start", "SessionStart", text))
    assert len(reply["hookSpecificOutput"]["additionalContext"]) < MOST_CHARS


def test_what_hooks_have_said_before_a_prompt_of_gemini_is_no_part_of_it() -> None:
    told = {"hook_event_name": "BeforeAgent", "prompt": "<hook_context>a\nb</hook_context>\n\nhi"}
    assert ReadPayload(dict(told)).prompt == "hi"
    assert ReadPayload({**told, "prompt": "say <hook_context>"}).prompt == "say <hook_context>"
