"""`memoria model queue`: what a chat model is still to read, as a person sees and steers it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.llm.scripted import ScriptedModel, refuses
from tests.surface.shell import Shell

SAID = '{"role": "user", "content": "Remember: the zebra house has a green door."}\n'


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel(answer=lambda _: {"operations": [{"op": "SKIP", "reason": ""}]}) as scripted:
        yield scripted


@pytest.fixture
def reading(home: Path, model: ScriptedModel) -> Shell:
    """A shell whose commands have a chat model."""
    environment = {"MEMORIA_LLM_BASE_URL": model.url, "MEMORIA_LLM_MODEL": "scripted"}
    environment["MEMORIA_EXTRACTION_WAIT_MINUTES"] = "0"
    return Shell(home, {**environment, "MEMORIA_LLM_ATTEMPTS": "1"}).begin()


def entries(shell: Shell, *options: str) -> list[dict[str, object]]:
    done = shell("model", "queue", "list", "--json", *options)
    assert done.code == 0, done.err
    found: list[dict[str, object]] = done.document["entries"]
    return found


def test_an_empty_queue_says_so(shell: Shell) -> None:
    done = shell("model", "queue", "list")
    assert done.out.splitlines() == ["Nothing is in the queue.", "0 waiting, 0 done, 0 given up"]


def test_without_a_model_nobody_can_read_and_it_says_what_to_set(shell: Shell) -> None:
    done = shell("model", "queue", "run")
    assert done.code == 1
    assert "memoria model" in done.err


def test_what_is_recorded_is_read_and_what_came_of_it_is_listed(
    reading: Shell, tmp_path: Path
) -> None:
    chat = tmp_path / "chat.jsonl"
    chat.write_text(SAID, "utf-8")
    assert reading("import", chat).code == 0
    done = reading("model", "queue", "run", "--wait")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("0 waiting, 1 done")
    (entry,) = entries(reading, "--state", "done")
    assert (entry["reason"], entry["outcome"], entry["attempts"]) == ("remember", "SKIP 1", 1)
    assert "remember" in reading("model", "queue", "list").out


def test_a_dead_letter_is_seen_by_doctor_retried_and_dropped(
    reading: Shell, model: ScriptedModel, tmp_path: Path
) -> None:
    chat = tmp_path / "chat.jsonl"
    chat.write_text(SAID, "utf-8")
    good, model.answer = model.answer, lambda _: refuses()
    reading("import", chat)
    reading("model", "queue", "run", "--wait")
    (dead,) = entries(reading, "--state", "dead")
    assert dead["last_error"]
    checks = {one["check"]: one for one in reading("doctor", "--json").document["findings"]}
    assert checks["queue"]["state"] == "warning"
    assert "model queue retry --all" in checks["queue"]["cure"]
    model.answer = good
    retried = reading("model", "queue", "retry", str(dead["id"]))
    assert retried.out == "1 to be tried again\n"
    reading("model", "queue", "run", "--wait")
    assert [one["state"] for one in entries(reading)] == ["done"]
    nothing = reading("model", "queue", "drop", str(dead["id"]))
    assert nothing.out == f"0 dropped; nothing to do for {dead['id']}\n"


@pytest.mark.parametrize("command", ["retry", "drop"])
def test_which_entries_are_meant_must_be_said(shell: Shell, command: str) -> None:
    for line in ((command,), (command, "some-id", "--all")):
        done = shell("model", "queue", *line)
        assert done.code == 1
        assert "memoria model queue list" in done.err
    assert shell("model", "queue", command, "--all").code == 0


def test_a_command_that_only_fills_the_queue_begins_no_request(
    shell: Shell, reading: Shell, model: ScriptedModel, tmp_path: Path
) -> None:
    chat = tmp_path / "chat.jsonl"
    chat.write_text(SAID.replace("}", ', "at": "2026-03-02T09:00:00Z"}'), "utf-8")
    assert shell("import", chat).code == 0
    filled = reading("model", "queue", "fill")
    assert filled.out.startswith("1 segment put into the queue: 1 waiting")
    assert reading("model", "queue", "list").code == 0
    assert model.requests == []
    assert reading("model", "queue", "run").out.startswith("0 waiting, 1 done")
    assert len(model.requests) == 1
