"""The same statement is known again in any spelling, and nothing else is taken for it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
