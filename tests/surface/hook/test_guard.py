"""The hook before a tool call: one line, once a session, where the record has a word."""

import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

import memoria
from memoria import Memoria, Settings
from memoria.admin.findings import check_hooks
from memoria.app.kept import AnswerKeeper
from memoria.bare.guard_words import WORDS, count_words, is_asked, note_asked
from memoria.bare.kept import answer_path
from memoria.bare.spool import list_waiting, note_heard
from memoria.surface.mcp.instructions import composers_for

PROGRAM = Path(memoria.__file__).parent / "surface" / "hook" / "__main__.py"
FAILED = {"content": "Exit code 1\nnpm error Unsupported URL Type workspace:", "is_error": True}
WORKED = {"content": "Done in 3 s", "is_error": False}
CALLS = [("npm install zod", FAILED), ("pnpm install zod", WORKED)]

pytestmark = pytest.mark.anyio


@pytest.fixture
def place(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    return folder


@pytest.fixture
async def memory(
    tmp_path: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Memoria]:
    monkeypatch.setenv("MEMORIA_EMBEDDER", "off")
    home = tmp_path / "home"
    note_asked(str(home), "default")
    settings = Settings.load(home=str(home), workspace=str(place))
    async with memoria.open(settings=settings) as opened:
        turns = [
            {"role": "tool", "session_id": "s0", "message_id": f"m{n}", "tool_name": "Bash",
             "tool_args": {"command": line}, "tool_result": result}
            for n, (line, result) in enumerate(CALLS)
        ]  # fmt: skip
        await opened.record_conversation(turns, workspace=str(place))
        yield opened


def _kept_words(memory: Memoria) -> Path:
    home, place = str(memory.settings.home_path), memory.settings.workspace
    return Path(answer_path(home, "default", place, WORDS))


def _exists(path: Path) -> bool:
    return path.exists()


def _read(path: Path) -> bytes:
    return path.read_bytes()


def _damage(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"all"', b'"ill"'))


def _keep(memory: Memoria) -> None:
    composers = composers_for(memory.settings)
    keeper = AnswerKeeper(memory.settings, memory._store, composers)  # noqa: SLF001
    _wait_until(keeper.keep)


def _wait_until(is_done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not is_done():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def _ask(
    memory: Memoria,
    line: str,
    *options: str,
    session: str = "s1",
    client: str = "claude-code",
    guard: bool = True,
) -> str | None:
    """What the hook lays before the model; None for nothing at all."""
    said = {"hook_event_name": "PreToolUse", **_call(memory, line), "session_id": session}
    replied = _run(memory, client, said, *(["--guard"] if guard else []), *options)
    if replied is None:
        return None
    told = replied["hookSpecificOutput"]
    assert told.keys() == {"hookEventName", "additionalContext"}, "it decides nothing"
    assert told["hookEventName"] == "PreToolUse"
    return str(told["additionalContext"])


def _call(memory: Memoria, line: str) -> dict[str, object]:
    place = str(memory.settings.workspace)
    called = {"tool_name": "Bash", "tool_input": {"command": line}}
    return {"session_id": "s1", "cwd": place, "transcript_path": f"{place}/t.jsonl", **called}


def _run(
    memory: Memoria, client: str, said: dict[str, object], *options: str
) -> dict[str, Any] | None:
    """What the hook prints; None for nothing at all."""
    home = ("--home", str(memory.settings.home_path), *options)
    done = subprocess.run(  # noqa: S603  (our own program)
        [sys.executable, "-I", "-S", str(PROGRAM), client, *home],
        input=json.dumps(said).encode(),
        capture_output=True,
        check=True,
    )
    assert done.stderr == b""
    return dict(json.loads(done.stdout)) if done.stdout else None


@pytest.mark.sqlite("nothing is kept for hooks beside a database elsewhere")
async def test_one_line_is_said_before_a_call_that_failed_here_once_a_session(
    memory: Memoria,
) -> None:
    _keep(memory)
    said = _ask(memory, "npm install zod")
    assert said is not None
    begin, line, end = said.splitlines()
    assert (begin, end) == ("<memoria>", "</memoria>")
    assert "`npm install zod` failed here" in line
    assert "`pnpm install zod` worked afterwards" in line
    assert _ask(memory, "npm install zod") is None
    assert _ask(memory, "npm install zod", session="s2") == said
    assert _ask(memory, "pnpm install zod", session="s2") is None


@pytest.mark.sqlite("nothing is kept for hooks beside a database elsewhere")
async def test_nothing_is_said_in_the_session_that_is_still_at_it(memory: Memoria) -> None:
    _keep(memory)
    assert _ask(memory, "npm install zod", session="s0") is None
    assert _ask(memory, "npm install zod", session="s1") is not None


@pytest.mark.sqlite("nothing is kept for hooks beside a database elsewhere")
@pytest.mark.parametrize("client", ["claude-code", "codex"])
async def test_each_client_that_shows_a_text_before_a_call_gets_it_in_its_form(
    memory: Memoria, client: str
) -> None:
    _keep(memory)
    assert "worked afterwards" in (_ask(memory, "npm install zod", client=client) or "")


AFTER: dict[str, tuple[str, dict[str, object]]] = {
    "gemini": ("AfterTool", {"tool_response": {"llmContent": "Exit Code: 1"}}),
    "qwen": ("PostToolUseFailure", {"error": "Exit Code: 1"}),
    "vscode": ("PostToolUse", {"tool_response": "npm error"}),
    "opencode": ("PostToolUse", {"tool_response": {"output": "npm error", "exit_code": 1}}),
}
"""Clients that show their model a text after a call, with what they tell of one that failed."""


@pytest.mark.sqlite("nothing is kept for hooks beside a database elsewhere")
@pytest.mark.parametrize("client", AFTER)
async def test_the_line_comes_after_a_call_where_the_client_shows_none_before(
    memory: Memoria, client: str
) -> None:
    _keep(memory)
    event, result = AFTER[client]
    said = {"hook_event_name": event, **_call(memory, "npm install zod"), **result}
    told = _run(memory, client, said, "--guard")
    assert told is not None
    assert told.keys() == {"hookSpecificOutput"}, "it decides nothing"
    assert told["hookSpecificOutput"]["hookEventName"] == event
    assert "worked afterwards" in told["hookSpecificOutput"]["additionalContext"]
    assert len(list_waiting(str(memory.settings.home_path), "default")) == 1
    again = _run(memory, client, said, "--guard")
    assert not again, "once a session"


@pytest.mark.sqlite("nothing is kept for hooks beside a database elsewhere")
async def test_copilot_gets_the_line_after_a_call_as_the_one_field_that_it_reads(
    memory: Memoria,
) -> None:
    _keep(memory)
    place = str(memory.settings.workspace)
    said = {
        "sessionId": "s1", "cwd": place, "timestamp": 1_795_918_166_039, "toolName": "bash",
        "toolArgs": {"command": "npm install zod"}, "toolResult": {"textResultForLlm": "npm error"},
    }  # fmt: skip
    told = _run(memory, "copilot", said, "--event", "postToolUse", "--guard")
    assert told is not None
    assert told.keys() == {"additionalContext"}
    assert "worked afterwards" in told["additionalContext"]


async def test_without_the_option_nothing_is_said_recorded_or_laid_ready(memory: Memoria) -> None:
    _keep(memory)
    assert _ask(memory, "npm install zod", guard=False) is None
    assert not _exists(memory.settings.home_path / "spool")


@pytest.mark.sqlite("nothing is kept for hooks beside a database elsewhere")
async def test_words_said_and_those_after_which_the_same_was_done_are_counted(
    memory: Memoria,
) -> None:
    _keep(memory)
    home = str(memory.settings.home_path)
    for session in ("s1", "s2", "s3"):
        _ask(memory, "npm install zod", session=session)
    for _ in range(2):
        _ask(memory, "npm install zod", session="s2")
    assert count_words(home, "default") == (3, 1)
    note_heard(home, "default", "claude-code")
    (finding,) = check_hooks(memory.settings)
    assert finding.state == "ok"
    assert finding.detail.endswith("3 words before a mistake said; after 1 the same was done again")


@pytest.mark.sqlite("nothing is kept for hooks beside a database elsewhere")
async def test_what_was_forgotten_is_never_said_again_and_leaves_the_disk(memory: Memoria) -> None:
    _keep(memory)
    assert _ask(memory, "npm install zod") is not None
    kept = _kept_words(memory)
    assert b"npm install zod" in _read(kept)
    preview = await memory.preview_forget(everything=True)
    await memory.forget_memory(everything=True, token=preview.token)
    assert not _exists(kept)
    assert _ask(memory, "npm install zod", session="s2") is None
    _keep(memory)
    assert _ask(memory, "npm install zod", session="s3") is None


@pytest.mark.sqlite("nothing is kept for hooks beside a database elsewhere")
async def test_a_later_success_is_known_once_it_is_laid_ready_and_words_last_until_then(
    memory: Memoria,
) -> None:
    _keep(memory)
    worked = {"role": "tool", "session_id": "s1", "message_id": "m9", "tool_name": "Bash",
              "tool_args": {"command": "npm install zod"}, "tool_result": WORKED}  # fmt: skip
    await memory.record_conversation([worked], workspace=memory.settings.workspace)
    assert _ask(memory, "npm install zod") is not None, "nothing was taken back"
    _keep(memory)
    assert _ask(memory, "npm install zod", session="s2") is None


async def test_nothing_is_laid_ready_before_a_client_asks(
    tmp_path: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORIA_EMBEDDER", "off")
    home = tmp_path / "other"
    settings = Settings.load(home=str(home), workspace=str(place))
    assert WORDS not in composers_for(settings)
    async with memoria.open(settings=settings) as opened:
        await opened.record_conversation([{"role": "user", "content": "Hi"}])
        assert _ask(opened, "npm install zod") is None
    assert is_asked(str(home), "default")
    assert WORDS in composers_for(settings)


@pytest.mark.sqlite("nothing is kept for hooks beside a database elsewhere")
async def test_a_damaged_answer_is_no_word_and_no_trouble_for_the_client(memory: Memoria) -> None:
    _keep(memory)
    _damage(_kept_words(memory))
    assert _ask(memory, "npm install zod") is None
