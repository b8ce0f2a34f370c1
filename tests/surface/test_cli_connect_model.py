"""`connect` asks once whether the client may read what is said, and takes silence for no."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from tests.surface.client_box import ClientBox
from tests.surface.test_cli_model import ANSWERING

import memoria
from memoria.config import Settings

pty = pytest.importorskip("pty", reason="needs a terminal as POSIX has it")

TIMEOUT_S = 120


@pytest.fixture
def box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ClientBox:
    made = ClientBox(tmp_path, monkeypatch)
    program = tmp_path / "programs" / "claude"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}{ANSWERING}", "utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    return made


def _connect_at_terminal(box: ClientBox, typed: str) -> str:
    """What `memoria connect claude-code` asks and says where somebody types this."""
    ours, theirs = pty.openpty()
    os.write(ours, typed.encode())
    words = ["--home", str(box.shell.home), "connect", "claude-code"]
    done = subprocess.run(  # noqa: S603  (our own program)
        [sys.executable, "-m", "memoria", *words],
        stdin=theirs,
        capture_output=True,
        timeout=TIMEOUT_S,
        check=True,
        env={**os.environ, "MEMORIA_EMBEDDER": "off", "NO_COLOR": "1"},
    )
    os.close(theirs)
    os.close(ours)
    return (done.stdout + done.stderr).decode()


def _command(box: ClientBox) -> str | None:
    return Settings.load(home=box.shell.home).llm_command


def test_who_says_yes_is_read_by_the_client_and_was_told_what_goes_where(box: ClientBox) -> None:
    said = _connect_at_terminal(box, "y\ny\nn\n")
    assert "Let Claude Code read what you say in Claude Code, on your plan?" in said
    assert "Claude Code's provider; private projects never do" in said
    assert "What you only mention becomes a memory then" in said
    assert "500,000 tokens a day" in said
    assert "[y/N]" in said
    assert "a valid answer" in said
    assert "claude" in str(_command(box))
    assert "Let Claude Code read" not in _connect_at_terminal(box, "y\n")


@pytest.mark.parametrize("typed", ["y\n\n\n", "y\nn\nn\n"])
def test_who_says_no_or_nothing_is_read_by_nobody(box: ClientBox, typed: str) -> None:
    assert "Let Claude Code read" in _connect_at_terminal(box, typed)
    assert _command(box) is None


@pytest.mark.parametrize("is_typed", [True, False])
async def test_after_a_no_agents_are_not_asked_to_read_either_and_nobody_asks_again(
    box: ClientBox, is_typed: bool
) -> None:
    if is_typed:
        _connect_at_terminal(box, "y\nn\nn\n")
    else:
        box("connect", "claude-code", "--yes", "--no-model")
    settings = Settings.load(home=box.shell.home)
    async with memoria.open(settings=settings) as memory:
        await memory.record_conversation([{"role": "user", "content": "I sold the old boat."}])
        assert (await memory.count_unread()).turns == 0
    assert "Let Claude Code read" not in _connect_at_terminal(box, "y\n")
    assert box.shell("config", "set", "agents_read", "true").code == 0
    async with memoria.open(settings=Settings.load(home=box.shell.home)) as memory:
        assert (await memory.count_unread()).turns == 1


def test_a_yes_that_comes_from_no_terminal_is_said_not_to_count(box: ClientBox) -> None:
    output = box("connect", "claude-code")
    assert output.code == 1
    assert "Nobody was asked: this is no terminal." in output.out + output.err
    assert "--yes` writes this" in output.out + output.err


def test_where_there_is_no_terminal_nobody_is_asked_and_an_option_says_it(box: ClientBox) -> None:
    output = box("connect", "claude-code", "--yes")
    assert "Let Claude Code read" not in output.out + output.err
    assert _command(box) is None
    output = box("connect", "claude-code", "--yes", "--no-model")
    assert _command(box) is None
    output = box("connect", "claude-code", "--yes", "--model")
    assert output.code == 0, output.err
    assert "claude" in str(_command(box))


def test_opencode_reads_where_that_is_wanted_and_is_lent_no_tool(box: ClientBox) -> None:
    claude = Path(os.environ["PATH"].partition(":")[0]) / "claude"
    claude.with_name("opencode").write_bytes(claude.read_bytes())
    claude.with_name("opencode").chmod(0o755)
    output = box("connect", "opencode", "--yes", "--model")
    assert output.code == 0, output.err
    assert "starts the MCP servers of your opencode.json" in output.out
    command = str(_command(box))
    assert "opencode run --pure --agent memoria" in command
    asked_with = json.loads((box.shell.home / "model" / "opencode.json").read_text("utf-8"))
    assert asked_with["agent"]["memoria"]["permission"] == {"*": "deny"}
    assert asked_with["mcp"]["memoria"] == {"enabled": False}


def test_an_option_that_nobody_can_serve_says_who_could_be_asked(box: ClientBox) -> None:
    output = box("connect", "zed", "--yes", "--model")
    assert output.code == 1
    assert "memoria model" in output.err


def test_codex_is_to_pass_on_the_variable_that_holds_the_key_of_the_file(
    box: ClientBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "hunter2hunter2")
    box("model", "use", "openai", "--model", "m", "--untried")
    assert box("connect", "codex", "--yes").code == 0
    text = (box.user / ".codex" / "config.toml").read_text("utf-8")
    assert "OPENAI_API_KEY" in tomllib.loads(text)["mcp_servers"]["memoria"]["env_vars"]
    assert "hunter2" not in text


def test_what_goes_unread_is_said_where_nobody_reads(box: ClientBox) -> None:
    box("remember", "I like tea")
    assert "nobody reads them" in box("stats").out
    assert "memoria model" in box("doctor").out
    assert "nobody reads them" not in box("stats", MEMORIA_LLM_COMMAND="ask").out


def _idle_minutes(box: ClientBox) -> float:
    return Settings.load(home=box.shell.home).nightly_idle_minutes


def test_no_server_runs_a_night_by_itself_unless_somebody_said_yes(box: ClientBox) -> None:
    box("connect", "claude-code", "--yes")
    assert _idle_minutes(box) == 0
    said = _connect_at_terminal(box, "n\nn\n")
    assert "run `memoria nightly` by itself" in " ".join(said.split())
    assert "100,000 tokens" in said
    assert _idle_minutes(box) == 0
    assert "by itself" not in _connect_at_terminal(box, "n\n")  # it is asked once


def test_who_says_yes_to_nights_has_servers_run_them_when_idle(box: ClientBox) -> None:
    _connect_at_terminal(box, "y\nn\ny\n")
    assert _idle_minutes(box) == 10
