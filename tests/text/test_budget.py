"""Tokens are estimated a little high and never wildly off."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.text.budget import estimate_tokens


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
