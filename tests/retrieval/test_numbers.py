"""A question for a number is answered by a text that has one."""

import pytest

from memoria.retrieval.query.numbers import asks_number, holds_number


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("How many guests came to the opening?", True),
        ("How old is the neighbour?", True),
        ("What price did they settle on?", True),
        ("How did the opening go?", False),
        ("Who answered the phone?", False),
        ("来了多少客人？", True),
        ("邻居今年多大了？", True),
        ("他的邮箱是什么？", True),
        ("我的朋友里有几个人会游泳？", False),  # counted over many turns
        ("他几乎每天都来吗？", False),
        ("开业那天怎么样？", False),
    ],
)
def test_what_asks_for_a_number_is_told_by_its_words(question: str, asks: bool) -> None:
    assert asks_number(question) is asks


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("Some 40 guests came", True),
        ("It took us three weeks", True),
        ("Write to mira@example.com", True),
        ("The opening was a success", False),
        ("来了四十位客人", True),
        ("花了半天", True),
        ("开业很成功，大家都来了", False),
    ],
)
def test_a_number_is_one_in_digits_or_in_words(text: str, holds: bool) -> None:
    assert holds_number(text) is holds
