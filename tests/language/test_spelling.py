"""Two spellings of one name are known for one, and two people are not."""

import pytest

from memoria.language.words.spelling import iterate_beginnings, may_be_one_name


@pytest.mark.parametrize(
    "pair",
    [
        "Cathrine Katherine", "Melany Melanie", "Carolyne Caroline", "Stephen Steven",
        "Mohammed Muhhamed", "Muhammad Mohamed",
        "Philip Filip", "Alexander Aleksandr", "Samm Sam", "Sara Sarah", "Smyth Smith",
        "乔治 喬治", "李晓芬 李小芬", "凯瑟琳 凯瑟林", "陈梦婷 陳夢婷",
    ],
)  # fmt: skip
def test_a_name_is_known_in_another_spelling(pair: str) -> None:
    asked, known = pair.split()
    assert may_be_one_name(asked, known)
    assert any(known.lower().startswith(first) for first in iterate_beginnings(asked))


@pytest.mark.parametrize(
    "pair",
    [
        "Tim Tom", "Evan Ivan", "Maria Marie", "Joanna Joanne", "Audrey Andrew", "Dave David",
        "Marina Moreno", "Katarzyna Katherine", "Mahmoud Mohammed",
        "Julian Juliana", "Carolina Caroline", "王思婷 王思琪", "张志强 赵志强", "李娜 李雷",
    ],
)  # fmt: skip
def test_two_people_are_not_taken_for_one(pair: str) -> None:
    one, other = pair.split()
    assert not may_be_one_name(one, other)
