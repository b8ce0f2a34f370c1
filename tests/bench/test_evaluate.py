"""Whether `bench.evaluate` scores answers as it says, and asks each question at its own time."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest
from bench.chat_server import serve_script
from bench.evaluate import __main__ as command
from bench.evaluate.ask import Asked, Way, play_all
from bench.evaluate.cases import (
    FROM_MEMORY,
    HISTORIES,
    History,
    Question,
    Verdict,
    holds_any,
    read_histories,
)
from bench.evaluate.readers import Reply, extract_first_line
from bench.evaluate.report import (
    count_cited,
    count_consistent,
    count_invented,
    count_misled,
    count_outdated,
    count_spoilt,
)
from bench.extraction.script import answer_question

from memoria import SearchResult, Settings

TURNS = {
    "2026-01-05T09:00:00Z": ("I moved to a small flat in Utrecht last week.", "Is it quiet there?"),
    "2026-03-05T09:00:00Z": ("I moved to a house in Ghent, with a garden.", "A garden is a lot."),
}
"""Somebody who moves twice: the words of the user and of the assistant."""


def make_history(questions: Sequence[Question]) -> History:
    sessions = [
        {
            "id": f"S{place}",
            "at": at,
            "turns": [{"role": "user", "text": said}, {"role": "assistant", "text": answer}],
        }
        for place, (at, (said, answer)) in enumerate(TURNS.items())
    ]
    told = {"id": "T1", "lang": "en", "who": "a tester", "sessions": sessions, "questions": ()}
    return History.model_validate(told).model_copy(update={"questions": tuple(questions)})


def make_question(kind: str, **fields: object) -> Question:
    asked = {"id": f"{kind}{len(fields)}", "question": "Where do I live?", "wrong": ["Lyon"]}
    asked |= {"asked_at": "2026-04-01T09:00:00Z", "answers": ["Ghent"]}
    return Question.model_validate({**asked, "kind": kind, **fields})


def make_asked(question: Question, answer: str | None, way: Way = "with") -> Asked:
    return Asked("en", question, way, Reply(answer), is_shown=False, seconds=0.0)


def play(*questions: Question) -> list[Asked]:
    settings = Settings.load().model_copy(update=command.NO_CHAT)
    asked, unread = anyio.run(play_all, [make_history(questions)], extract_first_line, settings)
    assert unread == 0
    return asked


@pytest.mark.parametrize(
    ("text", "wanted", "is_held"),
    [
        ("Mondays, mostly", "Monday", True),
        ("It is Google", "Go", False),
        ("全是Go写的", "Go", True),
        ("pool of 240", "24", False),
        ("in the LAMB’s yard", "lamb's yard", True),
        ("定在九点 到十一点", "九点到 十一点", True),
        ("use :q! then", ":q!", True),
    ],
)
def test_a_string_is_held_as_a_whole_word_and_in_chinese_anywhere(
    text: str, wanted: str, is_held: bool
) -> None:
    assert holds_any(text, [wanted]) is is_held


@pytest.mark.parametrize(
    ("kind", "answer", "verdict"),
    [
        ("recall", "In Ghent.", "right"),
        ("update", "In Ghent, no longer in Lyon.", "right"),
        ("recall", "In Lyon.", "wrong"),
        ("recall", "In a house.", "other"),
        ("recall", None, "silent"),
        ("unanswerable", None, "right"),
        ("unanswerable", "In a house.", "wrong"),
    ],
)
def test_an_answer_counts_by_its_strings(kind: str, answer: str | None, verdict: Verdict) -> None:
    assert make_question(kind).judge(answer) == verdict


def test_the_histories_hold_what_their_questions_are_scored_by() -> None:
    histories = read_histories(HISTORIES)
    assert [one.lang for one in histories].count("zh") == len(histories) / 2 == 6
    for history in histories:
        said = {str(t.message_id): t for one in history.sessions for t in one.to_turns()}
        for question in history.questions:
            told = [said[name] for name in question.evidence]
            assert (question.kind in FROM_MEMORY) == bool(told), question.id
            assert not holds_any(question.question, question.answers), question.id
            if told:
                assert any(holds_any(one.content, question.answers) for one in told), question.id
            if question.planted:
                assert holds_any(question.planted, question.wrong), question.id


def test_a_question_knows_what_was_said_before_it_and_nothing_later() -> None:
    early = make_question("temporal", asked_at="2026-02-01T09:00:00Z", answers=["Utrecht"])
    late = make_question("temporal")
    assert [one.is_shown for one in play(early, late)] == [False, True, False, True]
    before = make_question("recall", asked_at="2026-02-01T09:00:00Z")
    assert [one.is_shown for one in play(before)] == [False, False]


def test_a_false_memory_is_there_for_the_last_answers_alone() -> None:
    harmed = make_question("harm", question="Where is my house?", planted="My house is in Lyon.")
    answers = {one.way: one.reply.answer or "" for one in play(harmed)}
    assert [*answers] == ["without", "with", "planted"]
    assert "Lyon" not in answers["with"]
    assert "Lyon" in answers["planted"]


def test_the_extractive_reader_knows_nothing_where_the_answer_says_that_nothing_fits() -> None:
    nothing = SearchResult(query="Where?", hits=(), answered=False, max_tokens=700)
    assert anyio.run(extract_first_line, "Where?", nothing).answer is None
    assert anyio.run(extract_first_line, "Where?", None).answer is None


def test_what_memory_does_is_counted_over_the_answers_concerned() -> None:
    first, second = make_question("temporal"), make_question("temporal", stale=[])
    update, never = make_question("update", stale=["Lyon"]), make_question("unanswerable")
    harm, known = make_question("harm"), make_question("general")
    asked: Sequence[Asked] = [
        make_asked(first, "Ghent"),
        make_asked(second, "Lyon"),
        make_asked(update, "Lyon"),
        make_asked(never, "Lyon"),
        make_asked(harm, "Ghent"),
        make_asked(harm, "Lyon", "planted"),
        make_asked(known, "Ghent", "without"),
        make_asked(known, None),
    ]
    assert count_consistent(asked) == (0, 1)
    assert count_consistent(asked[:1]) == (1, 1)
    assert count_outdated(asked) == count_invented(asked) == (1, 1)
    assert count_misled(asked) == count_spoilt(asked) == (1, 1)
    assert count_cited(asked) == (0, 4)


def test_a_chat_model_makes_the_memories_and_answers_from_the_lines_it_cites(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[str] = []

    def answer(instructions: str, text: str) -> dict[str, Any]:
        if "`cited`" not in instructions:
            return answer_question(instructions, text)
        asked.append(text)
        if "weather" in text:
            return {"said": "It rains."}
        cited = re.findall(r"\[(\w+ \w+)\].*Ghent", text)
        return {"answer": "Ghent" if cited else None, "cited": cited}

    questions = [make_question("recall"), make_question("unanswerable", question="The weather?")]
    (tmp_path / "T1.json").write_text(make_history(questions).model_dump_json(), "utf-8")
    with serve_script(answer) as url:
        monkeypatch.setenv("MEMORIA_LLM_BASE_URL", url)
        monkeypatch.setenv("MEMORIA_LLM_MODEL", "scripted")
        assert command.main(["--model", "--json", "--histories", str(tmp_path)]) == 0
    answers, effects, costs, unread = json.loads(capsys.readouterr().out).values()
    unfit = next(one for one in answers if one["questions"] == "unanswerable")
    assert (unfit["right without"], unfit["right"], unfit["other"]) == (0, 0, 1)
    found = next(one for one in answers if one["questions"] == "recall")
    assert (found["right without"], found["right"], found["shown"]) == (0, 1, 1)
    cited = next(one for one in effects if one["answers"].startswith("citing"))
    assert (cited["count"], cited["of"]) == (1, 1)
    assert [one["no valid answer"] for one in costs if one["in"] == "en"] == [1, 1, 0]
    assert unread == 0
    assert asked[0] == questions[0].question
    assert "[memory " in asked[1]


def test_without_a_configured_model_it_says_what_to_set(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--model"]) == 2
    assert "MEMORIA_LLM_BASE_URL" in capsys.readouterr().err
