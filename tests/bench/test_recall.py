"""What the recall command asks, and how it counts what comes back."""

import json
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from bench.ask import Answer, Outcome, figures
from bench.data import Question, data_folder
from bench.recall.__main__ import main
from bench.recall.favours import pairs
from bench.recall.foreign import FOREIGN
from bench.recall.gold import CROSS_LANGUAGE, MEMORYBANK, Marked, read_marked
from bench.recall.longmemeval import LONGMEMEVAL
from bench.recall.memorybank import SAME_LANGUAGE, Chats, chats
from bench.recall.repeats import Asked, list_wordings, read_questions, read_things

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


FILES = (MEMORYBANK, CROSS_LANGUAGE)


@pytest.fixture(scope="module")
def by_user() -> dict[str, Chats]:
    folder = data_folder()
    if folder is None or SAME_LANGUAGE.missing(folder):
        pytest.skip("the MemoryBank chats are not there: MEMORIA_DATA names no folder with them")
    return {each.user: each for each in chats(folder)}


def share(kind: str, questions: Sequence[Marked]) -> float:
    return sum(each.kind == kind for each in questions) / len(questions)


def test_there_are_as_many_questions_of_each_sort_as_were_promised() -> None:
    same, cross = ([*read_marked(path)] for path in FILES)
    languages = Counter(each.language for each in same), Counter(each.language for each in cross)
    assert languages == ({"zh": 73, "en": 59}, {"zh": 30, "en": 27})
    assert share("paraphrased", same) > 1 / 3
    assert {each.kind for each in same} == {"direct", "paraphrased", "dated", "two_turns"}


def test_no_question_is_asked_twice_of_the_same_user() -> None:
    every = [each for path in FILES for each in read_marked(path)]
    assert max(Counter(each.id for each in every).values()) == 1
    assert max(Counter((each.user, each.question) for each in every).values()) == 1


def test_two_pieces_are_needed_where_the_kind_says_so_and_no_turn_is_both() -> None:
    for path in FILES:
        for each in read_marked(path):
            turns = [turn for piece in each.gold for turn in piece]
            assert len(each.gold) == (2 if each.kind == "two_turns" else 1), each.id
            assert len(set(turns)) == len(turns), each.id


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_all_gold_is_in_the_chats_of_its_user(path: Path, by_user: dict[str, Chats]) -> None:
    for each in read_marked(path):
        held = {str(turn.message_id) for turn in by_user[each.user].turns}
        assert held.issuperset(turn for piece in each.gold for turn in piece), each.id


def test_questions_are_in_the_chats_language_or_in_the_other_one(by_user: dict[str, Chats]) -> None:
    for path in FILES:
        asked_alike = {each.language == by_user[each.user].language for each in read_marked(path)}
        assert asked_alike == {path == MEMORYBANK}


def test_every_user_is_asked_about(by_user: dict[str, Chats]) -> None:
    asked = Counter(each.user for each in read_marked(MEMORYBANK))
    assert set(asked) == set(by_user)
    assert min(asked.values()) > 1


def test_no_sentence_of_the_data_is_in_a_question(by_user: dict[str, Chats]) -> None:
    for path in FILES:
        for each in read_marked(path):
            assert not any(each.question in turn.content for turn in by_user[each.user].turns)


THINGS = {each.id: each for each in read_things()}
ASKED = tuple(read_questions())
PAIRS = tuple(pairs())


def of(kind: str) -> list[Asked]:
    return [each for each in ASKED if each.kind == kind]


def test_there_is_as_much_said_and_asked_as_was_promised() -> None:
    assert (len(THINGS), len(list_wordings())) == (71, 171)
    assert Counter(each.kind for each in ASKED) == {"together": 54, "repeats": 6, "plain": 12}
    assert Counter(each.language for each in ASKED) == {"en": 39, "zh": 33}
    assert len({each.question for each in ASKED}) == len({each.id for each in ASKED}) == len(ASKED)


def test_nothing_is_worded_twice_and_a_thing_is_said_once_or_again_and_again() -> None:
    assert len({each.content for each in list_wordings()}) == len(list_wordings())
    assert {len(each.said) for each in THINGS.values()} == {1, 5, 6, 7, 8}


def test_the_wordings_of_a_thing_are_said_in_their_order_a_week_apart() -> None:
    said = [each for each in list_wordings() if each.id.startswith("juniper_status/")]
    assert [each.id.partition("/")[2] for each in said] == list("12345678")
    assert {(later.at - each.at).days for each, later in pairwise(said)} == {7}


def test_all_gold_is_said() -> None:
    said = {*THINGS, *(each.id for each in list_wordings())}
    assert all(said >= set(each.gold) for each in ASKED)


def test_an_answer_together_takes_several_things_of_which_one_is_repeated() -> None:
    for each in of("together"):
        repeated = [name for name in each.gold if len(THINGS[name].said) > 1]
        assert 2 <= len(each.gold) <= 4, each.id
        assert len(repeated) == 1, each.id


def test_repeats_are_asked_for_one_by_one_and_controls_for_one_thing() -> None:
    for each in of("repeats"):
        assert len({gold.partition("/")[0] for gold in each.gold}) == 1, each.id
        assert len(each.gold) >= 5, each.id
    assert all(len(each.gold) == 1 for each in of("plain"))


def test_a_part_of_an_answer_counts_once_in_whatever_wording() -> None:
    question = of("together")[0]
    assert question.gold == ("lin_breakfast", "lin_sunday")
    assert question.count_answered(("lin_breakfast/2", "lin_breakfast/7", "rent/1")) == 1
    assert question.count_answered(("lin_sunday/1", "lin_breakfast/7")) == 2


def test_every_factor_is_asked_for_in_both_languages() -> None:
    counted = Counter(each.factor for each in PAIRS)
    assert counted.pop("answer") == 14
    assert sum(counted.values()) == 34
    assert min(counted.values()) == 4
    assert len({(each.factor, each.language) for each in PAIRS}) == 2 * (len(counted) + 1)


def test_no_memory_is_kept_and_no_question_asked_twice_of_the_pairs() -> None:
    kept = [content for each in PAIRS for content in each.memories]
    assert len(set(kept)) == len(kept)
    assert len({each.question for each in PAIRS}) == len({each.id for each in PAIRS}) == len(PAIRS)


def test_tasks_and_times_are_told_where_they_decide_and_nowhere_else() -> None:
    for each in PAIRS:
        assert bool(each.tasks) == (each.factor == "task"), each.id
        assert bool(each.times) == (each.factor == "time"), each.id
