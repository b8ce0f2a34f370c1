"""A quote is found word for word, or it is none."""

import pytest

from memoria.text.quotes import find_quote

TEXT = "Well, the other day I moved\n  to Leeds. 我对花生过敏，真的。"


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("moved to Leeds", "moved\n  to Leeds"),
        ("“I moved”", "I moved"),
        ("花生过敏", "花生过敏"),
        ("Leeds. 我对", "Leeds. 我对"),
        ("Moved", None),
        ("the day", None),
        ("th", None),
        ("other da", None),
        ("oved", None),
        ("I", None),
        ("", None),
    ],
)
def test_a_quote_stands_there_in_whole_words_or_not_at_all(quote: str, found: str | None) -> None:
    assert find_quote(quote, TEXT) == found


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("‘I don't eat “meat” – ever’", 'I don’t eat "meat" - ever'),
        ("我对花生过敏,真的.", "我对花生过敏，真的。"),
        ("I don't eat ... ever", 'I don’t eat "meat" - ever'),
        ("I don't … “meat” -", 'I don’t eat "meat" -'),
        ('… eat "meat" -…', 'eat "meat" -'),
        ("我 对花生 过敏", "我对花生过敏"),
        ("ever.我对花生", "ever. 我对花生"),
        ("...eat “meat” - ever...", 'eat "meat" - ever'),
        ("ever ... I don't", None),
        ("I ... eat fish", None),
    ],
)
def test_a_quote_may_have_other_marks_and_say_that_it_leaves_words_out(
    quote: str, found: str | None
) -> None:
    assert find_quote(quote, 'I don’t eat "meat" - ever. 我对花生过敏，真的。') == found


def test_what_a_quote_leaves_out_is_not_long() -> None:
    assert find_quote("one ... two", f"one {'x ' * 20}two") is not None
    assert find_quote("one ... two", f"one {'x ' * 200}two") is None
