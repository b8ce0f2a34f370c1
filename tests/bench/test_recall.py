"""What the recall command asks, and how it counts what comes back."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from bench.ask import Answer, Outcome, figures
from bench.data import Question, data_folder
from bench.recall.__main__ import main
from bench.recall.foreign import FOREIGN
from bench.recall.longmemeval import LONGMEMEVAL

SAID, SAID_AGAIN, ELSE = ("day", "3"), ("day", "4"), ("day", "9")


def outcome(gold: frozenset[tuple[str, str]], *found: tuple[str, str]) -> Outcome:
    question = Question("?", "any", gold, counts_as={SAID_AGAIN: SAID})
    return Outcome(question, Answer(found, tokens=0), took_ms=1)


def written(folder: Path, name: str, content: object) -> Path:
    file = folder / name
    file.parent.mkdir()
    file.write_text(json.dumps(content, ensure_ascii=False), "utf-8")
    return folder


def test_a_turn_that_says_the_same_counts_as_the_first_and_both_count_once() -> None:
    gold = frozenset({SAID})
    assert outcome(gold, ELSE, SAID_AGAIN).ranking == (ELSE, SAID)
    assert outcome(gold, SAID_AGAIN, SAID, ELSE).ranking == (SAID, ELSE)


def test_a_question_without_an_answer_counts_for_silence_and_not_for_recall() -> None:
    asked = [outcome(frozenset({SAID}), SAID), outcome(frozenset()), outcome(frozenset(), ELSE)]
    found = figures(asked, {"all": {"any"}}).quality["all"]
    assert (found.questions, found.answerable) == (3, 1)
    assert found.recall[1] == 1
    assert found.silent == pytest.approx(1 / 3)


def test_the_session_of_an_answer_is_known_by_its_place_alone(tmp_path: Path) -> None:
    sessions = [[{"role": "user", "content": said}] * 2 for said in ("I am 33.", "It rains.")]
    haystack = {
        "questions": ["How old am I?"],
        "answer_session_ids": [["answer_1"]],
        "haystack_session_ids": ["answer_1", "ultrachat_2"],
        "haystack_dates": ["2022/09/01 (Thu) 00:10", "2022/09/02 (Fri) 00:34"],
        "haystack_sessions": sessions,
    }
    folder = written(tmp_path, "longmemeval_mini/mn_3haystacks.json", [haystack])
    (read,) = LONGMEMEVAL.read(folder)
    assert [turn.session_id for turn in read.turns] == ["s1", "s1", "s2", "s2"]
    assert "answer_" not in "".join(turn.model_dump_json() for turn in read.turns)
    (question,) = read.questions
    assert question.gold == {("s1", "1")}
    assert question.credited([("s2", "2"), ("s1", "2"), ("s2", "1")]) == (("s2", "1"), ("s1", "1"))


@pytest.fixture
def passages(tmp_path: Path) -> Path:
    told = {
        "大熊猫生活在四川的山里，吃竹子。": ["大熊猫吃什么？", ""],
        "长城是古代的军事防御工程。": ["长城是做什么用的？"],
    }
    paragraphs: list[dict[str, Any]] = [
        {"context": context, "qas": [{"question": q} for q in asked]}
        for context, asked in told.items()
    ]
    data = {"data": [{"paragraphs": paragraphs}]}
    return written(tmp_path, "cmrc2018/cmrc2018_trial.json", data)


def test_a_set_is_asked_of_memoria_and_of_the_floor_in_one_run(
    passages: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MEMORIA_EMBEDDER", "off")
    kept = passages / "outcomes.jsonl"
    assert main(["cmrc", "--json", "--data", str(passages), "--outcomes", str(kept)]) == 0
    report = json.loads(capsys.readouterr().out)
    quality = {name: each["quality"]["overall"] for name, each in report["systems"].items()}
    assert [each["questions"] for each in quality.values()] == [2, 2, 2]
    assert [each["recall"]["1"] for each in quality.values()] == [1, 1, 1]
    lines = [json.loads(line) for line in kept.read_text("utf-8").splitlines()]
    assert [line["system"] for line in lines] == ["memoria"] * 2 + ["fts5"] * 2 + ["bm25"] * 2
    assert lines[0]["question"] == "大熊猫吃什么？"
    assert lines[0]["ranking"][0] == ["p0", "1"]


def test_without_the_set_it_says_which_file_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["memorybank", "--data", str(tmp_path)]) == 2
    assert "memory_bank_cn.json" in capsys.readouterr().err


def test_foreign_questions_are_many_have_no_answer_and_are_the_same_in_every_run() -> None:
    folder = data_folder()
    if folder is None or FOREIGN.missing(folder):
        pytest.skip("not all sets are there: MEMORIA_DATA names no folder with them")
    read = FOREIGN.read(folder)
    assert read == FOREIGN.read(folder)
    for sort in ("locomo", "users", "cmrc"):
        asked = [q for each in read for q in each.questions if q.category == f"{sort} foreign"]
        assert len(asked) == 300
        assert not any(q.gold for q in asked)
    counts = Counter(q.category for each in read for q in each.questions)
    assert (counts["locomo of beam"], counts["beam of locomo"]) == (100, 100)
    assert (counts["users of memdaily"], counts["users of memdaily, long"]) == (105, 105)
    for each in read:
        own = {q.text for q in each.questions if q.gold}
        assert own.isdisjoint(q.text for q in each.questions if not q.gold), each.name
