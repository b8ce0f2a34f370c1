"""What is not the speaker's own is blotted out, place by place."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.language.reading import own_words
from memoria.language.reading.own_words import BLOT, Sentence, blot_foreign_text, own_sentences

MARKUP = [
    "<a-b>",
    "</a-b>",
    "```",
    "`x`",
    "\n> ",
    '"a b c"',
    "“你好，世界。”",
    "\nERROR x",
    ". ",
    "？",
    "\n",
]
SAID = Path(__file__).with_name("pasted_messages.txt")
DOUBTFUL = [
    *("ıf it rains I drive", "Suppoſe I win", "People thinK so", "It is so, j/k", "As if I cared"),
    *(
        "Coach keeps saying I run",
        "They say I run",
        "Rumor has it",
        "I wish",
        "李雷讲我跑步",
        "传言如此",
    ),
]
texts = st.lists(st.one_of(st.text(max_size=10), st.sampled_from(MARKUP))).map("".join)


@given(texts)
def test_places_stay_places(text: str) -> None:
    blotted = blot_foreign_text(text)
    assert len(blotted) == len(text)
    assert all(new in (old, BLOT, "\n") for old, new in zip(text, blotted, strict=True))


@given(texts)
def test_sentences_stand_where_they_say_and_hold_nothing_foreign(text: str) -> None:
    end = 0
    for sentence in own_sentences(text):
        assert end <= sentence.start
        assert text[sentence.start :].startswith(sentence.text)
        assert BLOT not in sentence.text
        end = sentence.start + len(sentence.text)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Hi. <ctx>I like <b>tea</b>.</ctx> I like rum.", ["Hi", "I like rum"]),
        ("Use this:\n```\nI like tea\n```\nThanks", ["Use this:", "Thanks"]),
        ("> I like tea\nMe too", ["Me too"]),
        ("I like `tea and rum`. Really", ["Really"]),
        ('She said "I like tea". I do', ["I do"]),
        ("他说“我喜欢喝美式咖啡呢”。我也是", ["我也是"]),
        ('Call me "Max". Version 4.12 is out', ['Call me "Max"', "Version 4.12 is out"]),
        ("a < b and c > d", ["a < b and c > d"]),
        ("Call me Dr. Holt. Mr. Lee is in", ["Call me Dr. Holt", "Mr. Lee is in"]),
        ("He is a Dr. now. Fine", ["He is a Dr. now", "Fine"]),
        ("He sees the Dr. Fine", ["He sees the Dr. Fine"]),
        ("An unclosed <tag> is text", ["An unclosed <tag> is text"]),
    ],
)
def test_only_the_speakers_own_sentences_are_left(text: str, left: list[str]) -> None:
    assert [sentence.text for sentence in own_sentences(text)] == left


@pytest.mark.parametrize("text", ["Do you know?", "what is it", "你记得吗", "要不要去", "Really?!"])
def test_a_question_is_told_by_its_sign_or_its_words(text: str) -> None:
    assert all(sentence.is_question for sentence in own_sentences(text))


@pytest.mark.parametrize(
    "text", ["If I were rich", "She said no", "Apparently so", "听说是", "如果下雨", "他说不去"]
)
def test_hearsay_and_conditions_are_doubted(text: str) -> None:
    assert all(sentence.is_doubtful for sentence in own_sentences(text))


def test_a_quick_look_overlooks_no_doubt_and_no_question() -> None:
    lines = SAID.read_text("utf-8").splitlines()
    read = [one for line in lines for one in own_sentences(line)]
    read += [replace(one, text=one.text.upper()) for one in read]
    read += [Sentence(0, words, "") for words in DOUBTFUL]
    assert any(one.is_doubtful for one in read)
    assert any(one.is_question for one in read)
    for one in read:
        assert one.is_doubtful is (own_words._DOUBTFUL.search(one.text) is not None)  # noqa: SLF001
        asks = own_words._QUESTION.search(one.text) is not None  # noqa: SLF001
        assert one.is_question is (asks or "?" in one.end or "？" in one.end)
