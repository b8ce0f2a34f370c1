"""The run against a configured chat model reports what happened and judges nothing."""

import json
import re
from pathlib import Path

import pytest
from bench.extraction.__main__ import main
from bench.extraction.run import outcomes
from tests.ingest.play import answers
from tests.llm.scripted import Asked, ScriptedModel, refuses, says

# A quote is kept without marks around it.
_TURN = re.compile(r"^\[(\d+)\] (\w+): \W*(\w{4,40})\b", re.MULTILINE)


def first_words(asked: Asked) -> object:
    """A model that takes down the first word of every turn, and invents one more quote."""
    found = [_add(int(n), word, word) for n, _, word in _TURN.findall(asked.text)]
    return {"operations": [*found[:4], _add(1, "invented", "words nobody said")]}


def _add(turn: int, content: str, quote: str) -> dict[str, object]:
    fields = {"type": "fact", "subject": "user", "predicate": f"word {content}"}
    return {"op": "ADD", "content": f"said {content}", "quote": quote, "turn": turn, **fields}


def configured(monkeypatch: pytest.MonkeyPatch, model: ScriptedModel) -> None:
    monkeypatch.setenv("MEMORIA_LLM_BASE_URL", model.url)
    monkeypatch.setenv("MEMORIA_LLM_MODEL", "scripted")
    monkeypatch.setenv("MEMORIA_EMBEDDER", "off")


def test_without_a_model_it_says_what_to_set(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "MEMORIA_LLM_BASE_URL and MEMORIA_LLM_MODEL" in capsys.readouterr().err


def test_what_was_stored_is_shown_with_its_words_and_everything_is_counted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with ScriptedModel(answer=answers(extract=first_words)) as model:
        model.script.append(says("This is no JSON."))
        configured(monkeypatch, model)
        assert main(["--sessions", "1", "--json"]) == 0
        asked = len(model.requests)
    report = json.loads(capsys.readouterr().out)
    assert report["ended"]
    assert report["entries"] == {"done": sum(report["entries"].values())}
    assert report["calls"]["count"] == asked == sum(report["calls"]["outcomes"].values())
    assert (report["calls"]["invalid_at_first"], report["calls"]["valid_after_repair"]) == (1, 1)
    assert report["valid_after_repair_share"] == 1
    assert (
        report["rejected"]["quote not in the turn"] == report["entries"]["done"] - 1
    )  # an episode
    assert 0.5 < report["quotes_found_share"] < 1
    assert report["stored"]
    for one in report["stored"]:
        assert one["content"] == f"said {one['quote']}"
        assert one["turn"] is not None


def test_what_was_given_up_is_named_with_its_reason_and_counts_as_an_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MEMORIA_LLM_ATTEMPTS", "1")
    with ScriptedModel(answer=lambda _: refuses()) as model:
        configured(monkeypatch, model)
        assert main(["--sessions", "1"]) == 0
    out = capsys.readouterr().out
    assert "0 memories" in out
    assert re.search(r"dead: \S+ #\d+ to #\d+: The model, or a filter before it, refused", out)


def test_a_queue_that_does_not_come_to_its_end_is_told_by_the_exit_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with ScriptedModel() as model:
        configured(monkeypatch, model)
        monkeypatch.setenv("MEMORIA_LLM_DAILY_TOKENS", "10")
        assert main(["--sessions", "1", "--minutes", "0.01"]) == 1
    assert "still waiting: The request may take" in capsys.readouterr().out


def test_outcomes_are_added_up() -> None:
    applied, rejected = outcomes(
        ["ADD 2, SKIP 1; rejected: quote not in the turn 1, a joke 2", "ADD 1", "nothing left", ""]
    )
    assert applied == {"ADD": 3, "SKIP": 1}
    assert rejected == {"quote not in the turn": 1, "a joke": 2}


def test_locomo_without_its_data_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("MEMORIA_DATA", str(tmp_path))
    with ScriptedModel() as model:
        configured(monkeypatch, model)
        assert main(["--locomo"]) == 2
    assert "MEMORIA_DATA" in capsys.readouterr().err
