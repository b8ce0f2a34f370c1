"""What stands beside a name to tell it from others of the same name is told from the name."""

import pytest

from memoria.language.names.namesakes import split_qualifier


@pytest.mark.parametrize(
    ("written", "name", "which"),
    [
        ("Anna (sister)", "Anna", "sister"),
        ("Anna (my sister)", "Anna", "sister"),
        ("Anna (the user's sister)", "Anna", "sister"),
        ("Anna, my sister", "Anna", "sister"),
        ("Anna from work", "Anna", "work"),
        ("Anna Lee from the gym", "Anna Lee", "gym"),
        ("小李（同事）", "小李", "同事"),
        ("小李(我的同事)", "小李", "同事"),
        ("小李（用户的邻居）", "小李", "邻居"),
        ("王芳（财务）", "王芳", "财务"),
    ],
)
def test_a_name_is_told_from_which_one_it_is(written: str, name: str, which: str) -> None:
    assert split_qualifier(written) == (name, which)


@pytest.mark.parametrize(
    "name",
    [
        "Anna",
        "小李",
        "Joan of Arc",
        "Smith, John",
        "letter from Anna",
        "",
        "()",
        "（同事）",
        "我的猫",
    ],
)
def test_a_name_alone_stays_as_it_is(name: str) -> None:
    assert split_qualifier(name) == (name, None)
