"""BEAM and MemDaily as they are read, the full-text floor, and homes kept for later runs."""

import json
from pathlib import Path
from typing import Any

import pytest
from bench.ablation import main as ablation
from bench.data import Conversation, Question
from bench.fts5 import ask_fts5
from bench.recall.__main__ import main
from bench.recall.beam import BEAM
from bench.recall.memdaily import MEMDAILY
from bench.recall.wordings import main as make_wordings

from memoria import Turn


def turn(number: int, content: str, role: str = "user", session: str = "batch1") -> dict[str, Any]:
    return {
        "session_id": session,
        "message_id": str(number),
        "role": role,
        "content": content,
        "at": f"2024-03-{number + 1:02}T08:00:00+00:00",
    }


@pytest.fixture
def beam(tmp_path: Path) -> Path:
    chat = {
        "chat": "beam1",
        "turns": [
            turn(0, "My quota is 500 calls a day."),
            turn(1, "Then cache what you fetch.", "assistant"),
            turn(2, "They raised my quota to 800 calls a day.", session="batch2"),
        ],
        "questions": [
            {
                "type": "knowledge_update",
                "question": "What is my daily quota of calls?",
                "gold": ["0", "2"],
                "older": ["0"],
                "newer": ["2"],
            },
            {
                "type": "abstention",
                "question": "Who painted the ceiling?",
                "gold": [],
                "older": [],
                "newer": [],
            },
        ],
    }
    (tmp_path / "beam").mkdir()
    (tmp_path / "beam" / "beam_dev.json").write_text(json.dumps([chat]), "utf-8")
    return tmp_path


def say_more(data: Path) -> None:
    """Let the chat end with talk that answers nothing."""
    file = data / "beam" / "beam_dev.json"
    (chat,) = json.loads(file.read_text("utf-8"))
    chat["turns"] += [
        turn(number, "Thanks, see you soon.", session="batch3") for number in range(3, 8)
    ]
    file.write_text(json.dumps([chat]), "utf-8")


def test_a_chat_with_an_assistant_is_read_with_the_two_sides_of_its_updates(beam: Path) -> None:
    (chat,) = BEAM.read(beam)
    update, unanswered = chat.questions
    assert [str(said.role) for said in chat.turns] == ["user", "assistant", "user"]
    assert update.gold == {("batch1", "0"), ("batch2", "2")}
    assert update.older == {("batch1", "0")}
    assert update.newer == {("batch2", "2")}
    assert not unanswered.gold


def test_days_told_in_chinese_stand_among_whole_days_of_other_chats_the_same_in_every_run(
    tmp_path: Path,
) -> None:
    told = {
        "kind": "simple",
        "turns": [turn(0, "我的上司37岁。", session="daily")],
        "questions": [{"question": "上司多大了？", "answer": "37岁", "gold": ["0"]}],
    }
    day = [{"query": "今天下雨了。", "response": "记得带伞。"}] * 90
    users = {f"用户{n}": {"history": {f"2023-04-{n:02}": day}} for n in range(1, 6)}
    for name, content in {
        "memdaily/memdaily_dev.json": [told, told],
        "memorybank/memory_bank_cn.json": users,
        "memorybank/memory_bank_en.json": {},
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(json.dumps(content), "utf-8")
    read = MEMDAILY.read(tmp_path)
    assert read == MEMDAILY.read(tmp_path)
    for each in read:
        assert [len(each.turns), each.turns[-1].session_id] == [3 * 180 + 1, "daily"]
        (question,) = each.questions
        assert question.gold == {("daily", "0")}
        assert question.answer == "37岁"
    drawn = [{said.session_id for said in each.turns} for each in read]
    assert drawn[0] != drawn[1]


@pytest.mark.anyio
async def test_the_full_text_floor_knows_stems_and_chinese_and_no_stop_words() -> None:
    said = ("She was painting the fence.", "And what of it?", "我们去了故宫博物院。", "天气很好。")
    turns = tuple(
        Turn(role="user", session_id="s", message_id=str(n), content=content)
        for n, content in enumerate(said)
    )
    asked = ("What did she paint?", "What of it?", "博物院在哪里")
    questions = tuple(Question(text, "any", frozenset({("s", "0")})) for text in asked)
    outcomes = await ask_fts5([Conversation("c", turns, questions)], lambda: None)
    rankings = [[message for _, message in each.ranking] for each in outcomes]
    assert rankings == [["0"], [], ["2"]]


def test_a_kept_home_is_filled_once_and_answers_as_it_did(
    beam: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MEMORIA_EMBEDDER", "off")
    kept = beam / "kept"

    def ask() -> tuple[object, str]:
        assert main(["beam", "--json", "--data", str(beam), "--keep", str(kept)]) == 0
        printed = capsys.readouterr()
        return json.loads(printed.out)["systems"]["memoria"]["quality"], printed.err

    first, filling = ask()
    second, using = ask()
    assert first == second
    assert ("Filling" in filling, "Filling" in using) == (True, False)
    assert len([*kept.iterdir()]) == 1
    file = beam / "beam" / "beam_dev.json"
    file.write_text(file.read_text("utf-8").replace("800", "900"), "utf-8")
    assert "Filling" in ask()[1]


@pytest.mark.sqlite("the benchmark asks a copy of the file")
def test_all_sets_stand_in_one_table_under_the_worst_ratio_to_the_floor_and_absent_ones_are_named(
    beam: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MEMORIA_EMBEDDER", "off")
    kept = str(beam / "kept")
    options = ["--json", "--limit-questions", "2", "--data", str(beam), "--keep", kept]
    assert main(["all", *options]) == 2
    printed = capsys.readouterr()
    assert "cmrc2018_trial.json" in printed.err
    report = json.loads(printed.out)
    recall, silence = report["sheets"].values()
    assert [row["set"] for row in recall] == ["beam", "linked", "walks"]
    assert recall[0]["× floor"] == recall[0]["told in 700"] == 1
    assert silence[0]["questions without an answer"] == "beam: abstention"
    assert report["headline"].startswith("worst set: ")


@pytest.mark.sqlite("the benchmark asks a copy of the file")
def test_an_ablation_over_all_sets_leaves_out_one_stage_at_a_time_at_each_level(
    beam: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MEMORIA_EMBEDDER", "off")
    say_more(beam)  # where nothing is found, what was said last is shown
    assert ablation(["all", "--json", "--data", str(beam)]) == 2
    second, first = json.loads(capsys.readouterr().out).values()
    assert [row["stages"] for row in second][:3] == ["all", "− text", "− vectors"]
    assert second[0]["beam"] == 1
    assert second[1]["beam"] == -1
    assert "− boosts" in {row["stages"] for row in first}


@pytest.mark.sqlite("the benchmark asks a copy of the file")
def test_a_question_with_other_wordings_is_asked_without_and_with_them(
    beam: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MEMORIA_EMBEDDER", "off")
    questions, wordings, lines = (beam / name for name in ("q", "w", "wordings.jsonl"))
    questions.write_text("7|What is my daily quota of calls?\n8|Who?\n", "utf-8")
    wordings.write_text("7|how much may I fetch|cache: what was fetched\n", "utf-8")
    assert make_wordings(["beam", str(questions), str(wordings)]) == 0
    lines.write_text(capsys.readouterr().out, "utf-8")
    assert main(["queries", "--json", "--data", str(beam), "--wordings", str(lines)]) == 0
    second, first = json.loads(capsys.readouterr().out).values()
    assert [(row["questions"], row["n"]) for row in second] == [
        ("knowledge_update", 1),
        ("overall", 1),
    ]
    assert {row["one wording"] for row in (*second, *first)} == {1}
    assert main(["queries", "--data", str(beam)]) == 2


def test_a_remark_is_asked_of_the_bare_vectors_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = {
        "lang": "en",
        "turns": [turn(0, "I won a medal in the swimming race."), turn(1, "My kite tore.")],
        "questions": [{"question": "We went to the pool today!", "gold": ["0"]}],
    }
    (tmp_path / "madial").mkdir()
    (tmp_path / "madial" / "madial_dev.json").write_text(json.dumps([told]), "utf-8")
    assert main(["madial", "--json", "--data", str(tmp_path)]) == 0
    systems = json.loads(capsys.readouterr().out)["systems"]
    assert systems["nearest"]["quality"]["en"]["recall"]["1"] == 1
    assert systems["memoria"]["quality"]["en"]["questions"] == 1
