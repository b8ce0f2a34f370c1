"""A command may stand in for an endpoint, whatever it does."""

import os
import sys
import threading
from concurrent.futures import Future
from pathlib import Path

import pytest
from tests.inference.conftest import KEY, PRIVATE, RED, TENANT, Books, OpenGate, question
from tests.llm.scripted import scripted_command

from memoria.config import Settings
from memoria.errors import (
    AskingStoppedError,
    ChatModelError,
    InvalidAnswerError,
    ModelMisconfiguredError,
    ModelUnavailableError,
)
from memoria.inference.chat.client import choose_chat_model
from memoria.inference.chat.command import CommandChat

TIMEOUT_S = 30
REAL_KEY = "sk-proj-" + "aB8x5k2" * 4
GOOD = """
    import sys
    asked = sys.stdin.read()
    assert "the salary is 46,000" in asked and 'shades?: [string]' in asked, "no question"
    print('{"colour": "red"}')
"""
# Writes more than a pipe holds before it reads, and never reads all.
STUBBORN = """
    import sys
    sys.stderr.write("thinking " * 100_000)
    print('```json\\n{"colour": "red"}\\n```')
"""
posix_only = pytest.mark.skipif(os.name == "nt", reason="signals and FIFOs as POSIX has them")


def command(folder: Path, program: str, timeout_s: float = TIMEOUT_S) -> CommandChat:
    return CommandChat(scripted_command(folder, program), timeout_s)


@pytest.mark.parametrize("program", [GOOD, STUBBORN], ids=["good", "stubborn"])
def test_a_question_goes_in_and_an_answer_comes_out(
    tmp_path: Path, gate_to: OpenGate, books: Books, program: str
) -> None:
    gate = gate_to(command(tmp_path, program))
    assert gate.ask(TENANT, question(PRIVATE + " " * 200_000)) == RED
    (call,) = books.calls()
    assert call.model == f"command:{Path(sys.executable).name}"
    assert call.outcome == "ok"
    assert call.input_tokens > 50_000
    assert call.output_tokens > 0


FAULTS = {
    "garbled": ("print('Sure! Red.')", InvalidAnswerError, 2, "json_invalid"),
    "silent": ("pass", InvalidAnswerError, 2, "it is empty"),
    "no text": (
        "import sys; sys.stdout.buffer.write(bytes(range(256)))",
        InvalidAnswerError,
        2,
        "json_invalid",
    ),
    "endless": ("while True: print('red ' * 1000)", InvalidAnswerError, 2, "cut off"),
    "failing": ("import sys; sys.exit('quota is used up')", ModelUnavailableError, 3, "quota"),
    "killed": ("import os; os.abort()", ModelUnavailableError, 3, "ended with"),
    "no such program": ("raise SystemExit(127)", ModelMisconfiguredError, 1, "llm_command"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_every_fault_is_the_right_error_after_as_many_runs_as_promised(
    tmp_path: Path, gate_to: OpenGate, books: Books, name: str
) -> None:
    program, kind, runs, reason = FAULTS[name]
    with pytest.raises(ChatModelError, match=reason) as caught:
        gate_to(command(tmp_path, program)).ask(TENANT, question())
    assert type(caught.value).__mro__[:3].count(kind) == 1
    assert books.outcomes() == [kind.outcome] * runs


def test_an_unfit_answer_is_mended_in_a_second_run(tmp_path: Path, gate_to: OpenGate) -> None:
    program = """
        import sys
        again = "What is wrong with it" in sys.stdin.read()
        print('{"colour": "red"}' if again else "red")
    """
    assert gate_to(command(tmp_path, program)).ask(TENANT, question()) == RED


@posix_only
def test_a_timeout_ends_everything_the_command_has_started(
    tmp_path: Path, gate_to: OpenGate
) -> None:
    # Whoever holds the writing end of the FIFO is alive; reading ends when nobody is.
    fifo = tmp_path / "alive"
    os.mkfifo(fifo)
    program = f"""
        import subprocess, sys
        code = "held = open({str(fifo)!r}, 'w'); import signal; signal.pause()"
        subprocess.run([sys.executable, "-c", code])
    """
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    with pytest.raises(ModelUnavailableError, match="no answer within 1 s") as caught:
        gate_to(command(tmp_path, program, timeout_s=1), timeout_s=1).ask(TENANT, question())
    assert caught.value.retry_at is not None
    os.set_blocking(reader, True)
    ended: Future[bytes] = Future()
    threading.Thread(target=lambda: ended.set_result(os.read(reader, 1)), daemon=True).start()
    assert ended.result(TIMEOUT_S) == b""
    os.close(reader)


@posix_only
def test_a_stop_ends_a_command_that_runs(tmp_path: Path, gate_to: OpenGate) -> None:
    fifo = tmp_path / "running"
    os.mkfifo(fifo)
    program = f"import signal; open({str(fifo)!r}, 'w').write('x'); signal.pause()"
    gate = gate_to(command(tmp_path, program, timeout_s=600), timeout_s=600)
    asked: Future[object] = Future()

    def ask() -> None:
        try:
            asked.set_result(gate.ask(TENANT, question()))
        except AskingStoppedError as error:
            asked.set_exception(error)

    threading.Thread(target=ask, daemon=True).start()
    assert fifo.read_text("utf-8") == "x"
    gate.stop()
    assert isinstance(asked.exception(TIMEOUT_S), AskingStoppedError)


def test_a_program_that_is_not_there_is_named_by_its_setting(gate_to: OpenGate) -> None:
    with pytest.raises(ModelMisconfiguredError, match="llm_command") as caught:
        gate_to(CommandChat(f"/nowhere/llm --key {KEY}", 5)).ask(TENANT, question())
    assert KEY not in str(caught.value)


SAYINGS = {
    "a key": f"{REAL_KEY} is not valid",
    "the question": f"could not answer: {PRIVATE}",
    "a page": "wrong " * 10_000,
}


@pytest.mark.parametrize("name", SAYINGS)
def test_what_a_command_complains_of_is_kept_short_and_without_secrets(
    tmp_path: Path, gate_to: OpenGate, books: Books, name: str
) -> None:
    program = f"import sys; sys.exit({SAYINGS[name]!r})"
    with pytest.raises(ModelUnavailableError) as caught:
        gate_to(command(tmp_path, program)).ask(TENANT, question())
    assert len(str(caught.value)) < 250
    kept = books.text() + str(caught.value)
    assert [secret for secret in ("8x5k2", "salary", "46,000") if secret in kept] == []


def test_a_command_gets_no_key_of_ours_and_no_project_and_is_told_who_asks(
    tmp_path: Path, gate_to: OpenGate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PWD", str(Path(__file__).parent))
    monkeypatch.setenv("MEMORIA_LLM_API_KEY", KEY)
    monkeypatch.setenv("MEMORIA_EMBEDDING_API_KEY", KEY)
    monkeypatch.setenv("MEMORIA_RERANK_API_KEY", KEY)
    program = f"""
        import json, os
        fit = os.environ["MEMORIA_ASKED"] and {KEY!r} not in str(os.environ) and not os.listdir()
        fit = fit and os.path.samefile(os.environ["PWD"], os.getcwd())
        print(json.dumps({{"colour": "red" if fit else "green"}}))
    """
    assert gate_to(command(tmp_path, program)).ask(TENANT, question()) == RED


def test_a_memoria_that_a_model_has_started_asks_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings.from_values(llm_command="claude -p")
    assert choose_chat_model(settings) is not None
    monkeypatch.setenv("MEMORIA_ASKED", "1")
    assert choose_chat_model(settings) is None
