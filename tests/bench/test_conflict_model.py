"""The cases run against any configured model: to the end, and with a figure, never a verdict."""

import json

import pytest
from bench.conflicts.__main__ import main
from tests.llm.scripted import ScriptedModel, fails, refuses, says


def configured(monkeypatch: pytest.MonkeyPatch, model: ScriptedModel) -> None:
    monkeypatch.setenv("MEMORIA_LLM_BASE_URL", model.url)
    monkeypatch.setenv("MEMORIA_LLM_MODEL", "scripted")


def test_a_model_that_fails_is_reported_and_the_other_cases_are_played(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    nothing = {"operations": [{"op": "SKIP"}]}
    with ScriptedModel([refuses(), says("no"), says("no")], lambda _: nothing) as model:
        configured(monkeypatch, model)
        assert main(["--model", "--cases", "4", "--json"]) == 0
    played = json.loads(capsys.readouterr().out)
    assert len(played) == 4
    unanswered = [said for one in played for said in one["outcomes"] if "no answer" in said]
    assert len(unanswered) == 2 == sum(one["unanswered"] for one in played)
    assert any("SKIP 1" in said for one in played for said in one["outcomes"])


def test_of_a_model_quality_is_said_and_nothing_is_passed_or_failed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with ScriptedModel(answer=lambda _: {"operations": [{"op": "SKIP"}]}) as model:
        configured(monkeypatch, model)
        assert main(["--model", "--cases", "3"]) == 0
    out = capsys.readouterr().out
    assert "of 3 cases as a good model would have them" in out
    assert "applied: SKIP" in out


def test_a_model_that_is_misconfigured_is_not_asked_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with ScriptedModel(answer=lambda _: fails(401)) as model:
        configured(monkeypatch, model)
        assert main(["--model"]) == 2
        assert len(model.requests) == 1
    assert "MEMORIA_LLM_API_KEY" in capsys.readouterr().err
