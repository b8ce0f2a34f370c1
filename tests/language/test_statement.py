"""The same statement is known again in any spelling, and nothing else is taken for it."""

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
from memoria.language.reading.statement import (
    canonical_form,
    is_distinctive,
    occurs_in,
    says_the_same,
    statements_in,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("My PIN is 4711", "  my pin  is 4711. "),
        ("My PIN is 4711", "“MY PIN IS ４７１１”!"),
        ("I don't eat meat", "I don’t eat meat"),
        ("我的密码是4711。", "我的密码是 4711"),
        ("我对花生过敏，很严重", "我对花生过敏 很严重！"),
    ],
)
def test_spelling_does_not_tell_statements_apart(one: str, other: str) -> None:
    assert canonical_form(one) == canonical_form(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use C++", "Use C"),
        ("Use C#", "Use C"),
        ("It costs 1.5 million", "It costs 15 million"),
        ("It is -5 degrees", "It is 5 degrees"),
        ("the therapist", "the rapist"),
        ("The code is 8341-blue", "The code is 8341blue"),
        ("$5", "€5"),
        ("我不喜欢茶", "我喜欢茶"),
    ],
)
def test_what_differs_inside_its_words_is_another_statement(one: str, other: str) -> None:
    assert canonical_form(one) != canonical_form(other)


@pytest.mark.parametrize(
    "text",
    [
        "Remember: my locker code is 4711.",
        "So. My locker code is 4711! Got it?",
        "Well, you know, my locker code is 4711, right",
        "- my locker code is 4711\n- buy milk",
        "Please note — my locker code is 4711.",
    ],
)
def test_a_statement_is_found_within_a_longer_text(text: str) -> None:
    statement = "My locker code is 4711"
    assert occurs_in(statement, text)
    assert canonical_form(statement) in set(map(canonical_form, statements_in(text)))


def test_a_chinese_statement_is_found_within_a_longer_text() -> None:
    text = "记住：我的储物柜密码是4711，别忘了。谢谢！"
    assert occurs_in("我的储物柜密码是 4711", text)
    assert canonical_form("我的储物柜密码是4711") in set(map(canonical_form, statements_in(text)))


def test_a_part_of_a_word_is_no_statement() -> None:
    assert not occurs_in("my locker code is 47", "my locker code is 4711")
    assert not occurs_in("unlocker codes", "a lunlocker codesy thing")


def test_a_short_text_is_only_found_where_it_is_all() -> None:
    assert occurs_in("yes", "Yes!")
    assert not occurs_in("yes", "yes, of course")
    assert not is_distinctive("ok, thanks")
    assert is_distinctive("我喜欢茶")


@given(st.text(max_size=60))
def test_every_text_says_itself(text: str) -> None:
    assert canonical_form(text) == canonical_form(canonical_form(text)) or not any(
        map(str.isalnum, text)
    )
    assert occurs_in(text, text)
    assert next(iter(statements_in(text))) == text


@given(st.text(max_size=60), st.text(max_size=20), st.text(max_size=20))
def test_pieces_never_make_it_fail(text: str, before: str, after: str) -> None:
    pieces = list(statements_in(f"{before}. {text}. {after}"))
    assert pieces
    assert all(is_distinctive(piece) for piece in pieces[1:])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I live in Leeds.", "  i live in LEEDS"),
        ("The user really likes the tea.", "the user likes tea"),
        ("用户很喜欢喝茶。", "用户喜欢喝茶"),
        ("用户搬到上海了。", "用户搬到上海"),
    ],
)
def test_fillers_and_spelling_make_no_other_statement(one: str, other: str) -> None:
    assert says_the_same(one, other)
    assert says_the_same(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The user takes aspirin and metformin.", "The user stopped taking aspirin."),
        ("The user is allergic to shellfish.", "The user is allergic to shellfish and penicillin."),
        ("The user prefers tea over coffee.", "The user prefers coffee over tea."),
        ("The user would rather walk than cycle.", "The user would rather cycle than walk now."),
        ("The user visited Anna in Leeds last May.", "The user visited Anna in York last May."),
        ("The user is in Oslo until Friday.", "The user is in Oslo."),
        ("用户对虾过敏。", "用户对虾和青霉素过敏。"),
        ("用户喜欢猫。", "用户不喜欢猫。"),
        ("小李比小王高。", "小王比小李高。"),
    ],
)
def test_a_word_more_or_less_or_in_another_place_makes_another_statement(
    one: str, other: str
) -> None:
    assert not says_the_same(one, other)
    assert not says_the_same(other, one)


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
