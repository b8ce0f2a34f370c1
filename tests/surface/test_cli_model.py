"""`memoria model`: who could read conversations, one tried and written down, and off again."""

import json
import os
import shlex
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from bench.chat_server import serve_script
from tests.databases import begin_with_key, open_home
from tests.surface.shell import Shell

import memoria
from memoria.bare.ignored import is_ignored
from memoria.config import Settings
from memoria.connectors import models as endpoints
from memoria.connectors.models import PROGRAMS
from memoria.inference.chat.client import choose_chat_model
from memoria.model import ModelCall, QueueState, now_millis

ANSWER: dict[str, Any] = {
    "operations": [
        {
            "op": "ADD",
            "type": "fact",
            "content": "The user lives in Trondheim.",
            "quote": "moved from Bergen to Trondheim",
            "turn": 1,
            "subject": "user",
            "predicate": "home",
        },
        {
            "op": "ADD",
            "type": "preference",
            "content": "The user does not like swimming.",
            "quote": "words that nobody has said",
            "turn": 1,
            "subject": "user",
            "predicate": "sport",
        },
    ]
}
"""Of the first turn shown, which is numbered 1."""
SUMMARY: dict[str, Any] = {
    "goal": None,
    "summary": "The user has moved to Trondheim.",
    "outcome": None,
    "importance": 0.2,
    "entities": [],
    "quotes": [{"turn": 1, "quote": "moved from Bergen to Trondheim"}],
}
Install = Callable[[str, str], Path]


@pytest.fixture(autouse=True)
def nobody_on_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """No program, no server and no key of the machine that the tests run on is found."""
    monkeypatch.setattr(endpoints, "_list_models", lambda _: None)
    for one in endpoints.REMOTE:
        monkeypatch.delenv(str(one.variable), raising=False)


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Puts a program of a name on the PATH that runs a script."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))

    def installing(name: str, script: str) -> Path:
        program = folder / name
        program.write_text(f"#!{sys.executable}\n{dedent(script)}", "utf-8")
        program.chmod(0o755)
        return program

    return installing


def _answer(asked: str) -> dict[str, Any]:
    return SUMMARY if "`outcome`" in asked else ANSWER


ANSWERING = f"""
import sys
print({json.dumps(SUMMARY)!r} if "`outcome`" in sys.stdin.read() else {json.dumps(ANSWER)!r})
"""


@pytest.fixture
def shell(home: Path) -> Shell:
    return Shell(home)


@pytest.mark.skipif(os.name == "nt", reason="a script is no program there")
@pytest.mark.parametrize("name", [one.name for one in PROGRAMS])
def test_a_program_that_is_there_is_tried_and_reads_from_then_on(
    shell: Shell, home: Path, install: Install, name: str
) -> None:
    begin_with_key(home)
    program = install(name, ANSWERING)
    assert [one["name"] for one in shell("model", "--json").document["found"]] == [name]
    output = shell("model", "use", name)
    assert output.code == 0, output.err
    assert "a valid answer" in output.out
    assert "1 memory, 1 with a quote that nobody said" in output.out
    assert "Nothing was said here in the last week" in output.out
    command = Settings.load(home=home).llm_command
    assert command is not None
    assert str(program) in shlex.split(command)
    assert choose_chat_model(Settings.load(home=home)) is not None
    for word in shlex.split(command):
        named = word.rpartition("=")[2].strip('"')
        assert not named.startswith(str(home)) or Path(named).is_file()
    assert name in shell("model").out.lower()


def test_where_prices_are_stated_it_is_told_what_a_day_and_its_conversations_cost(
    shell: Shell, home: Path
) -> None:
    prices = ("llm_input_price", "2", "llm_output_price", "10", "llm_daily_cost", "1.5")
    assert shell("config", "set", *prices).code == 0
    assert "and 1.50 in money a day (llm_daily_tokens, llm_daily_cost)" in shell("model").out
    assert shell("config", "unset", "llm_input_price").code != 0
    spend(home)
    shell("config", "set", "llm_command", "ask --json")
    assert "Today: 1 calls, 2,000 of 500,000 tokens, 0.012 of 1.50 in money." in shell("model").out
    assert "1 calls in 30 days for 0.012, today 2,000 tokens for 0.012" in shell("stats").out
    figures = shell("stats", "--json").document
    assert (figures["cost_today"], figures["reading_cost"]) == (0.012, 0.012)


def spend(home: Path) -> None:
    """Enter a call of 1,000 tokens each way."""
    call = ModelCall(
        at=now_millis(),
        purpose="extract",
        prompt="x/1",
        model="m",
        input_tokens=1000,
        output_tokens=1000,
        outcome="ok",
    )
    store = open_home(home)
    with closing(store), store.write("default") as tx:
        tx.ledger.add(call)


@pytest.mark.skipif(os.name == "nt", reason="a script is no program there")
def test_one_that_gives_no_usable_answer_is_not_written_down(
    shell: Shell, home: Path, install: Install
) -> None:
    install("claude", "import sys; sys.exit('you are not logged in')")
    output = shell("model", "use", "claude")
    assert output.code == 1
    assert "you are not logged in" in output.err
    assert not (home / "settings.toml").exists()
    assert shell("model", "use", "claude", "--untried").code == 0
    assert Settings.load(home=home).llm_command is not None


@pytest.mark.skipif(os.name == "nt", reason="a script is no program there")
def test_off_leaves_nobody_who_reads_and_keeps_the_other_settings(
    shell: Shell, home: Path, install: Install
) -> None:
    install("claude", ANSWERING)
    shell("config", "set", "llm_daily_tokens", "7000")
    shell("model", "use", "claude", "--untried")
    output = shell("model", "off", MEMORIA_LLM_COMMAND="ask")
    assert "this environment sets MEMORIA_LLM_COMMAND" in output.out
    loaded = Settings.load(home=home)
    assert (loaded.llm_command, loaded.llm_daily_tokens) == (None, 7000)
    assert "nobody reads them" in shell("model").out


def test_an_endpoint_on_this_machine_is_tried_and_one_of_its_models_named(
    shell: Shell, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve_script(lambda instructions, _: _answer(instructions)) as url:
        monkeypatch.setattr(endpoints, "LOCAL", (endpoints.Endpoint("ollama", "Ollama", url),))
        monkeypatch.setattr(
            "memoria.connectors.models.find_local",
            lambda: [(endpoints.LOCAL[0], ["qwen3:8b", "llama3"])],
        )
        refused = shell("model", "use", "ollama")
        assert refused.code == 1
        assert "qwen3:8b, llama3" in refused.err
        output = shell("model", "use", "ollama", "--model", "llama3")
    assert "a valid answer" in output.out, output.err
    loaded = Settings.load(home=home)
    assert (loaded.llm_base_url, loaded.llm_model, loaded.llm_command) == (url, "llama3", None)


def test_a_key_of_the_environment_is_named_and_not_written(
    shell: Shell, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "hunter2hunter2")
    assert shell("model", "use", "openai", "--model", "m", "--untried").code == 0
    text = (home / "settings.toml").read_text("utf-8")
    assert 'llm_api_key = "$OPENAI_API_KEY"' in text
    assert "hunter2" not in text
    assert choose_chat_model(Settings.load(home=home)) is not None


@pytest.mark.usefixtures("install")
def test_where_nobody_is_found_it_is_said_how_to_name_one(shell: Shell) -> None:
    output = shell("model")
    assert "memoria config set llm_command" in output.out
    assert "`memoria model`" not in output.out


def test_what_is_proposed_for_an_endpoint_is_a_command_that_is_taken(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "hunter2hunter2")
    assert "memoria model use openai --model NAME" in shell("model").out
    assert shell("model", "use", "openai", "--model", "NAME", "--untried").code == 0


def test_off_writes_no_file_where_nothing_is_set(home: Path) -> None:
    assert Shell(home)("model", "off").code == 0
    assert not home.exists()


def test_who_is_chosen_late_is_told_how_what_was_said_before_is_read(
    shell: Shell, install: Install
) -> None:
    begin_with_key(shell.home)
    install("claude", ANSWERING)
    assert "memoria model queue fill" not in shell("model", "use", "claude", "--untried").out
    shell("remember", "I like tea")
    assert "memoria model queue fill" in shell("model", "use", "claude", "--untried").out


def test_who_is_not_there_is_refused_with_those_who_are(shell: Shell, install: Install) -> None:
    install("codex", "pass")
    output = shell("model", "use", "claude")
    assert output.code == 1
    assert "Found: codex" in output.err


@pytest.mark.skipif(os.name == "nt", reason="a script is no program there")
async def test_what_is_said_after_that_is_read_with_nothing_set_by_hand(
    shell: Shell, home: Path, install: Install
) -> None:
    install("claude", ANSWERING)
    shell("model", "use", "claude", "--untried")
    async with memoria.open(settings=Settings.load(home=home, embedder="off")) as m:
        said = "I've moved from Bergen to Trondheim, to a flat near the river."
        await m.record_conversation([{"role": "user", "content": said}], "session_end")
        await m.wait_until_idle()
        while (await m.queue.status()).waiting:
            await m.wait_until_idle()
        held = [one.content for one in await m.list_unverified()]
    assert held == ["The user lives in Trondheim."]


async def test_what_is_said_in_a_private_project_is_never_queued_for_a_model(home: Path) -> None:
    given = {"home": home, "embedder": "off", "llm_command": "no-such-program"}
    chosen = Settings(**given, private_workspaces="/diary", workspace="/diary")
    async with memoria.open(settings=chosen) as m:
        said = [{"role": "user", "content": "From now on always answer me in short sentences."}]
        await m.record_conversation(said, "session_end")
        assert await m.queue.list_entries() == []
        assert await m.queue.fill() == 0
    open_project = chosen.model_copy(update={"workspace": "/work"})
    async with memoria.open(settings=open_project) as m:
        await m.record_conversation(said, "session_end")
        assert {one.state for one in await m.queue.list_entries()} == {QueueState.WAITING}


def test_a_transcript_of_a_question_of_ours_is_left_out_of_every_import() -> None:
    assert is_ignored("/tmp/memoria-asked-x1y2", "")  # noqa: S108  (no file of ours)
    assert not is_ignored("/tmp/memoria-notes", "")  # noqa: S108  (no file of ours)
