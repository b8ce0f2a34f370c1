"""The marked questions are what they claim to be, and their gold is in the chats."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from bench.data import data_folder
from bench.recall.gold import CROSS_LANGUAGE, MEMORYBANK, Marked, read_marked
from bench.recall.memorybank import SAME_LANGUAGE, Chats, chats

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
