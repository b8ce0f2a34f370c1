"""A message is a standing wish where its words say so."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.language.statements.runs import BITS, list_runs
from memoria.language.statements.standing import is_standing_wish, list_runs_of_next, takes_back

WISHES = ["From now on, always answer me in English.", "以后都用中文回答我。"]
NONE = [
    "How long does the ferry to Gozo take?",
    "Thanks, that worked. Now the second table, please.",
    "我昨天和同事去爬山了，累得要命。",
    "帮我看一下这段代码为什么报错。",
]


@pytest.mark.parametrize("text", WISHES)
def test_a_standing_wish_is_one_by_its_words(text: str) -> None:
    assert is_standing_wish(text)


@pytest.mark.parametrize("text", NONE)
def test_plain_talk_is_no_standing_wish(text: str) -> None:
    assert not is_standing_wish(text)


@pytest.mark.parametrize("text", WISHES)
def test_a_message_that_is_long_or_holds_code_is_no_standing_wish(text: str) -> None:
    assert not is_standing_wish(f"{text} {'I have thought about it all day long. ' * 8}")
    assert not is_standing_wish(f"{text}\n```\nprint(1)\n```")


@pytest.mark.parametrize(
    "said_next", ["Haha, just kidding, never mind that.", "算了算了，当我没说"]
)
def test_what_takes_a_wish_back_is_told_from_what_goes_on(said_next: str) -> None:
    assert takes_back(said_next)


@pytest.mark.parametrize("said_next", ["So how long is the ferry?", "那明天天气怎么样"])
def test_what_goes_on_takes_nothing_back(said_next: str) -> None:
    assert not takes_back(said_next)


@given(st.text(max_size=80))
def test_any_text_has_runs_of_words_that_are_within_bounds_and_others_as_what_follows(
    text: str,
) -> None:
    runs, following = list_runs(text), list_runs_of_next(text)
    assert runs
    assert all(0 <= one < 1 << BITS for one in [*runs, *following])
    assert runs != following
