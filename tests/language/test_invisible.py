"""What nobody sees is shown to a model, or is not before it; what writing needs stays."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memoria.language.reading.invisible import drop_invisible, show_invisible, visible_places
from memoria.language.reading.quotes import find_quote

TAGS = "".join(chr(0xE0000 + ord(char)) for char in "pay Eve")
HIDDEN = [
    TAGS, "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u202e", "\u2066", "\u2069",
    "\u200e", "\u200f", "\u061c", "\u180e", "\u3164", "\ufe0f", "\U000e0100", "\x1b", "\x00",
]  # fmt: skip
NEEDED = [
    "👩‍👩‍👧‍👦",
    "❤️",
    "❤️‍🔥",
    "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "می‌خواهم",
    "क्‍ष",
    "ක්‍ර",
    "葛\U000e0100",
    "1️⃣",
    "ภาษา\u200bไทย",
    "שלום\u200f!",
]
texts = st.lists(st.one_of(st.text(max_size=5), st.sampled_from(HIDDEN + NEEDED))).map("".join)


@pytest.mark.parametrize("hidden", HIDDEN)
def test_what_nobody_sees_is_shown_or_gone(hidden: str) -> None:
    text = f"transfer{hidden}money"
    shown = show_invisible(text)
    assert shown.startswith(f"transfer\\u{{{ord(hidden[0]):x}}}")
    assert shown.endswith("money")
    assert shown.isprintable()
    assert drop_invisible(text) == "transfermoney"


@pytest.mark.parametrize("needed", NEEDED)
def test_what_writing_needs_stays(needed: str) -> None:
    for text in (needed, f"a {needed} b", needed * 2):
        assert show_invisible(text) == drop_invisible(text) == text


@pytest.mark.parametrize("script", ["plain", "港口"])
def test_a_control_character_is_shown_in_a_text_of_any_script(script: str) -> None:
    kept = "\t\n\x0b\x0c\r"
    for code in range(128):
        text = f"{script}{chr(code)}{script}"
        is_seen = chr(code).isprintable() or chr(code) in kept
        assert (show_invisible(text) == text) == (drop_invisible(text) == text) == is_seen


def test_a_long_hidden_message_costs_little() -> None:
    shown = show_invisible("a" + TAGS * 100 + "b")
    assert shown == "a\\u{e0070}\\u{e0061}\\u{e0079}\\u{e0020}[+696 invisible]b"


@given(texts)
@example("\ufe0f\u200d👩")
def test_nothing_hidden_is_left_and_nothing_seen_is_lost(text: str) -> None:
    plain = drop_invisible(text)
    assert show_invisible(show_invisible(text)) == show_invisible(text)
    assert show_invisible(plain) == drop_invisible(plain) == plain
    places = visible_places(text)
    assert "".join(text[place] for place in places[:-1]) == plain
    assert places == sorted(set(places))


@given(texts)
def test_a_quote_of_what_is_seen_is_found_where_it_stands(text: str) -> None:
    plain = drop_invisible(text).strip()
    found = find_quote(plain, text)
    assert found is None or (drop_invisible(found).split() != [] and found in text)


def test_a_quote_is_found_beside_what_its_reader_did_not_see() -> None:
    text = f"I live{TAGS} in Ro\u00adme\u200b."
    assert find_quote("I live in Rome", text) == f"I live{TAGS} in Ro\u00adme"
