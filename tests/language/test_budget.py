"""Tokens are estimated a little high and never wildly off."""

import pytest
from bench.tokens import count_tokens
from hypothesis import given
from hypothesis import strategies as st

from memoria.language.budget import count_parts, estimate_tokens, price_text


@pytest.mark.parametrize(
    ("text", "estimate"),
    [("", 0), ("a", 1), ("four", 1), ("fives", 2), ("你好", 2), ("hi 你好", 3), ("😀", 1)],
)
def test_four_ascii_characters_or_one_other_are_a_token(text: str, estimate: int) -> None:
    assert estimate_tokens(text) == estimate


@given(st.text(), st.text())
def test_a_longer_text_never_costs_less(text: str, more: str) -> None:
    assert estimate_tokens(text + more) >= max(estimate_tokens(text), estimate_tokens(more))


@given(st.lists(st.text()))
def test_a_whole_never_costs_more_than_its_parts(parts: list[str]) -> None:
    assert estimate_tokens("".join(parts)) <= sum(map(estimate_tokens, parts))


@given(st.text(min_size=1))
def test_only_nothing_is_free(text: str) -> None:
    assert 1 <= estimate_tokens(text) <= len(text)


@pytest.mark.parametrize(
    "text",
    [
        "The ferry to Hydra leaves at nine, and the crossing takes an hour and forty minutes.",
        "轮渡九点开往伊兹拉岛，航程一小时四十分钟，船票可以在码头买。",
        "2026-03-02T01:14Z, session monday, [turn 5d1c70aa] #3 assistant (trust reported):",
        "Call +49 30 5550 1487 between 9:30 and 17:45; room B-204, order 88-1203-77 (€ 1,249.50).",
        "张伟，电话13800138000，邮箱 zhangwei1987@example.org，生日1987年6月30日。",
        "def is_open(hour: int) -> bool:\n    return OPENING <= hour < closing_hour(TODAY)\n",
        "🦭🎉👍🏽🚢🇬🇷👨‍👩‍👧‍👦",
    ],
)
def test_no_text_of_a_usual_kind_costs_a_common_model_more_than_its_bound(text: str) -> None:
    assert count_tokens(text) <= price_text(text)


@given(st.lists(st.text()))
def test_the_parts_of_parts_add_up_to_those_of_the_whole(parts: list[str]) -> None:
    assert sum(map(count_parts, parts)) == count_parts("".join(parts))
