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
