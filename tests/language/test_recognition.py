"""A statement is recognised however it is written, and nothing else with it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.forgetting.reentry import LOOK_ALIKES, STATEMENTS, VARIANTS

from memoria.language.reading.recognition import (
    place_of,
    read_statement,
    recognition_key,
    split_sentences,
)


def states(text: str, statement: str) -> bool:
    reading = read_statement(statement)
    return read_statement(text).states(reading, place_of(reading.words))


@pytest.mark.parametrize("name", VARIANTS)
def test_a_statement_is_recognised_however_it_is_written(name: str) -> None:
    for statement in STATEMENTS:
        assert states(VARIANTS[name](statement), statement)


def test_what_shares_words_with_a_statement_is_not_taken_for_it() -> None:
    assert [pair for pair in LOOK_ALIKES if states(pair[1], pair[0])] == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I prefer tea to coffee", "The user prefers tea to coffee."),
        ("My name is Ann", "the user's name is Ann"),
        ("I don't eat fish", "The user does not eat fish"),
        ("I'm allergic to nuts", "You are allergic to nuts"),
        ("我对花生过敏", "用户对花生过敏。"),
        ("我的密码是1", "你的密码是１"),
    ],
)
def test_it_does_not_matter_who_says_it_to_whom(one: str, other: str) -> None:
    assert recognition_key(one) == recognition_key(other)


def test_a_short_statement_is_recognised_where_a_clause_ends_with_it() -> None:
    for text in ("Remember that I like tea", "As I said I like tea, you know", "我说过我喜欢茶了"):
        assert states(text, "我喜欢茶" if "茶" in text else "I like tea")


@given(st.text())
def test_any_text_states_itself_and_its_sentences_are_all_of_it(text: str) -> None:
    assert states(text, text)
    assert "".join(split_sentences(text)) == text
