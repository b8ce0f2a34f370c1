"""Patterns that are written in small letters."""

import re

import pytest

from memoria.language.pattern import SmallPattern

SOURCE = r"(?x) \b(?:my|our)\s(?:goal|dream)\b | ^\W*i['’]m\b | 我的(?:目标|梦想)"


@pytest.mark.parametrize(
    "text",
    [
        "I'm late. OUR DREAM is my goal",
        "my Goal",
        "no goal",
        "",
        "İ’m MY GOAL",
        "ſo my dreaM 我的目标",
    ],
)
def test_a_small_pattern_finds_what_one_finds_that_tells_no_letters_apart(text: str) -> None:
    pattern, other = SmallPattern(SOURCE), re.compile(SOURCE, re.IGNORECASE)
    assert _span(pattern.search(text)) == _span(other.search(text))
    assert _span(pattern.match(text)) == _span(other.match(text))
    assert list(map(_span, pattern.finditer(text))) == list(map(_span, other.finditer(text)))


def test_a_small_pattern_with_a_capital_letter_is_refused() -> None:
    with pytest.raises(ValueError, match="capital letter"):
        SmallPattern(r"\S\bI\b").search("I")


def _span(match: re.Match[str] | None) -> tuple[int, int] | None:
    return None if match is None else match.span()
