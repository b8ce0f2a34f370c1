"""Roles by the minimum of rules: plain sentences are read, others are left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.language.names.roles import SentenceMeaning, parse_sentence


def roles(read: SentenceMeaning) -> dict[str | None, tuple[str, str]]:
    return {one.role: (one.name, one.kind) for one in read.roles}


PARK = {
    "agent": ("小明", "person"),
    "patient": ("足球", "other"),
    "location": ("公园", "place"),
}


@pytest.mark.parametrize(
    ("text", "predicate", "parts"),
    [
        ("小明在公园里踢足球", "踢", PARK),
        ("老王养了一只猫", "养", {"agent": ("老王", "person"), "patient": ("猫", "other")}),
        ("老王住在杭州", "住", {"agent": ("老王", "person"), "location": ("杭州", "place")}),
        (
            "Lin plays the flute in the park",
            "play",
            {
                "agent": ("Lin", "person"),
                "patient": ("flute", "other"),
                "location": ("park", "place"),
            },
        ),
        (
            "Bob bought a new car at Acme Inc because he likes it",
            "buy",
            {"agent": ("Bob", "person"), "patient": ("new car", "other")},
        ),
        (
            "Alice painted a vivid sunset inspired by a visit",
            "paint",
            {"agent": ("Alice", "person"), "patient": ("vivid sunset", "other")},
        ),
        (
            "Dr. Brown teaches law in Lisbon.",
            "teach",
            {
                "agent": ("Dr. Brown", "person"),
                "patient": ("law", "other"),
                "location": ("Lisbon", "place"),
            },
        ),
    ],
)
def test_a_plain_sentence_is_read(
    text: str, predicate: str, parts: dict[str, tuple[str, str]]
) -> None:
    read = parse_sentence(text)
    assert (read.predicate, roles(read)) == (predicate, parts)


@pytest.mark.parametrize(
    "text",
    [
        "我昨天去了公园",
        "The user prefers tea",
        "In the park there was a flute that Lin played",
        "Alice is a nurse",
        "Alice used to ride horses",
        "Alice speaks at her school",
        "Paris likes visitors",
        "公园里有人踢足球",
        "Lin thinks that Bob plays the flute",
    ],
)
def test_of_any_other_sentence_no_role_is_guessed(text: str) -> None:
    assert parse_sentence(text).roles == ()


def test_the_words_that_say_when_are_in_nobodys_way() -> None:
    read = parse_sentence("小明上周三在公园踢了足球。", "上周三")
    assert (read.predicate, roles(read), read.time) == ("踢", PARK, "上周三")
    read = parse_sentence("Bob bought a car last Friday", "last Friday")
    assert (roles(read)["patient"], read.time) == (("car", "other"), "last Friday")


@pytest.mark.parametrize(
    "text",
    [
        "小明不喜欢咖啡",
        "他没有来",
        "别放糖",
        "Alice doesn't like coffee",
        "Bob has never been there",
        "It does not work",
        "She can’t come",
    ],
)
def test_denial_is_told(text: str) -> None:
    assert parse_sentence(text).negated


@pytest.mark.parametrize(
    "text",
    [
        "小明喜欢咖啡",
        "这个想法不错，不过很贵",
        "不但便宜，差不多也最好",
        "要不要喝茶",
        "没关系，特别好",
        "Not only tea but coffee",
        "Nothing beats a knot",
    ],
)
def test_what_only_sounds_like_denial_is_none(text: str) -> None:
    assert not parse_sentence(text).negated


@pytest.mark.parametrize(
    ("text", "modality"),
    [
        ("小明打算买车", "planned"),
        ("Alice plans to visit Kyoto", "planned"),
        ("We're going to move", "planned"),
        ("我想学钢琴", "wished"),
        ("Bob would like to leave", "wished"),
        ("她可能会来", "possible"),
        ("Maybe it rains", "possible"),
        ("听说他辞职了", "hearsay"),
        ("I heard that Bob left", "hearsay"),
        ("开玩笑的，我不会走", "joking"),
        ("I was just kidding", "joking"),
        ("小明踢足球", "actual"),
        ("It was in May", "actual"),
        ("他的思想和想法都很好", "actual"),
        ("她准备好了，可能性不大", "actual"),
    ],
)
def test_how_far_it_is_so_is_told(text: str, modality: str) -> None:
    assert parse_sentence(text).modality == modality


@given(st.text(alphabet="小明不在要想踢里公园。 A.lice doesn't", max_size=400))
def test_any_text_is_read_and_only_what_stands_in_it(text: str) -> None:
    assert all(one.name in text or " " in one.name for one in parse_sentence(text).roles)
