"""What somebody pastes is not what they say, and what they say around it is."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.language.lazy import has_any, small_letters
from memoria.language.reading import lead_ins, own_words
from memoria.language.reading.fences import Span
from memoria.language.reading.lead_ins import find_lead_in, is_of_ones_own, points_above
from memoria.language.reading.own_words import BLOT, Sentence, blot_foreign_text, own_sentences
from memoria.language.reading.pasted import find_pasted_spans, is_pasted

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
any_text = st.lists(st.one_of(st.text(max_size=10), st.sampled_from(MARKUP))).map("".join)


@given(any_text)
def test_places_stay_places(text: str) -> None:
    blotted = blot_foreign_text(text)
    assert len(blotted) == len(text)
    assert all(new in (old, BLOT, "\n") for old, new in zip(text, blotted, strict=True))


@given(any_text)
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


MESSAGES = Path(__file__).with_name("pasted_messages.txt")
SIGNS = [
    "> ",
    "---\n",
    "```",
    '"""',
    "    ",
    "- ",
    "Dear Sam,\n",
    "From: a\nTo: b\n",
    "Ann: hi\n",
    "[10:32] ",
    "Translate this:",
    "帮我翻译：",
    "Summarize the text above",
    "\n\n",
    "By the way, ",
    "\r\n",
    "<p>",
    "</p>",
]
texts = st.lists(st.one_of(st.text(max_size=8), st.sampled_from(SIGNS)), max_size=20).map("".join)


def read_messages() -> Iterator[tuple[str, str, list[Span]]]:
    """The messages, each with its name and the parts of it that are pasted."""
    for block in re.split(r"(?m)^%% ", MESSAGES.read_text("utf-8"))[1:]:
        name, _, marked = block.partition("\n")
        plain, spans = "", list[Span]()
        for piece in re.split("(⟦[^⟧]*⟧)", marked.rstrip("\n")):
            words = piece.removeprefix("⟦").removesuffix("⟧")
            if words != piece:
                spans.append((len(plain), len(plain) + len(words)))
            plain += words
        yield name, plain, spans


def _stated(text: str) -> Iterator[tuple[int, str]]:
    for one in own_sentences(text):
        leads_in = one.text.endswith((":", "："))
        if not one.is_question and not one.is_doubtful and not leads_in:
            yield one.start, one.text


def test_nothing_is_claimed_from_what_is_pasted_and_little_is_lost_around_it() -> None:
    messages = list(read_messages())
    assert len(messages) >= 120
    stated = 0
    claimed, lost = list[tuple[str, str]](), list[tuple[str, str]]()
    for name, text, spans in messages:
        edges = [0, *(place for span in spans for place in span), len(text)]
        own = [text[a:b] for i, (a, b) in enumerate(pairwise(edges)) if not i % 2]
        found = list(_stated(text))
        pasted = [q for at, q in found if any(a < at + len(q) and at < b for a, b in spans)]
        said = [quote for _, quote in found if quote not in pasted]
        claimed += [(name, quote) for quote in pasted]
        alone = [quote for part in own for _, quote in _stated(part)]
        stated += len(alone)
        lost += [(name, q) for q in alone if not any(q in one or one in q for one in said)]
    assert stated > 100
    assert claimed == []
    assert len(lost) <= 2, lost


@given(texts)
def test_pasted_parts_stand_in_order_within_the_text(text: str) -> None:
    spans = find_pasted_spans(text)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(one[1] <= other[0] for one, other in pairwise(spans))
    assert len(blot_foreign_text(text)) == len(text)


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("I like tea.\n\nI live in Rome.\n\nI am Ida.", True),
        ("What I like:\n- I like tea\n- I live in Rome", True),
        ("My boss said: I like tea. I live in Rome.", False),
        ('He said: "be on time". I live in Rome.', True),
        ("Reply to this mail:\nI live in Rome.\n---\nFrom now on: I live in Rome.", False),
        ("我喜欢茶。\n\n我住在罗马。", True),
        ("总结这封信：\n我住在罗马。", False),
        ("转发：\n发件人：王芳\n主题：通知\n\n我住在罗马。", False),
        ("What does this mean?\n\nI live in Rome.", False),
        ("这是什么意思？\n\n我住在罗马。", False),
    ],
)
def test_a_blank_line_alone_presents_nothing(text: str, own: bool) -> None:
    quote = "我住在罗马" if "罗马" in text else "I live in Rome"
    assert is_pasted(quote, text) is not own


def test_a_quick_look_passes_over_no_line_that_hands_something_over() -> None:
    said = [plain for _, plain, _ in read_messages()]
    lines = {line for text in said for part in (text, text.lower()) for line in part.split("\n")}
    forms = (*lead_ins._HANDS_OVER, *lead_ins._HANDS_OVER_ZH)  # noqa: SLF001
    handing = [line for line in lines if any(one.pattern.search(line) for one in forms)]
    assert len(handing) > 50
    assert all(find_lead_in(line) is not None or is_of_ones_own(line) for line in handing)
    pointing = [line for line in lines if lead_ins._ABOVE.search(line)]  # noqa: SLF001
    assert pointing
    assert all(map(points_above, pointing))


def test_words_that_stand_in_a_paste_and_outside_of_it_are_own() -> None:
    text = "I live in Rome. Please translate:\n```\nI live in Rome. I like tea.\n```"
    assert not is_pasted("I live in Rome", text)
    assert is_pasted("I like tea", text)
    assert not is_pasted("nowhere", text)


def test_a_line_that_hands_over_has_the_signs_of_its_form() -> None:
    lines = MESSAGES.read_text("utf-8").splitlines()
    known = lead_ins._SIGNS | lead_ins._SIGNS_ZH  # noqa: SLF001
    for form in (*lead_ins._HANDS_OVER, *lead_ins._HANDS_OVER_ZH):  # noqa: SLF001
        for line in (*lines, *map(str.upper, lines)):
            if form.pattern.search(line):
                signs = (known[name] for name in form.signs)
                assert all(has_any(small_letters(line), one) for one in signs)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Commit messages: imperative mood. And don't add emojis to them.", "don't add emojis"),
        ("Code comments: English only.", "English only"),
        ("My recipe notes: I am allergic to peanuts", "I am allergic to peanuts"),
        ("Reports: always two pages at most.", "always two pages"),
        ("Config: keep it in TOML, please.", "keep it in TOML"),
        ("代码注释：一律用英文", "一律用英文"),
        ("周报内容：先写结论", "先写结论"),
        ("邮件：用英文写", "用英文写"),
    ],
)
def test_a_topic_and_what_is_to_hold_for_it_are_the_speakers_own(text: str, quote: str) -> None:
    assert not is_pasted(quote, text)
    assert is_pasted(quote, f"Summarize this:\n{text}")
