"""Of what type a statement is, and whether a message is a standing wish, its words say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.language.statements.classifier import (
    BITS,
    guess_type,
    is_standing_wish,
    list_runs,
    list_runs_of_next,
    takes_back,
)
from memoria.model.memory_types import MemoryType

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


STATED = """
Always name the units when I ask about measurements. | rule
Always include version numbers when I ask about libraries. | rule
Never explain basic git to me again. | rule
Whenever I paste a stack trace, start with the line that broke. | rule
My sister Ada teaches physics in Turin. | fact
We live in a two-bedroom flat in Porto. | fact
I have two cats, Miso and Toast. | fact
I've decided to leave my job in spring. | goal
以后回答请附上出处。 | rule
以后凡是我贴报错，先问我版本号。 | rule
我更喜欢靠窗的座位。 | preference
我妈妈的生日是3月8日。 | fact
我表妹的邮箱是zhang.lihua1215@example.com。 | fact
我打算明年考研。 | goal
"""
stated = [line.rpartition(" | ")[::2] for line in STATED.strip().splitlines()]


@pytest.mark.parametrize(("text", "kind"), stated)
def test_what_somebody_keeps_has_its_type_whatever_its_verb(text: str, kind: str) -> None:
    assert guess_type(text) is MemoryType(kind)


def test_a_letter_that_becomes_two_in_small_letters_keeps_no_sentence_from_being_read() -> None:
    assert guess_type("I want to move to İzmir by the sea.") is MemoryType.GOAL


def test_what_somebody_must_not_be_called_is_a_rule() -> None:
    assert guess_type("别叫我小王") is MemoryType.RULE
