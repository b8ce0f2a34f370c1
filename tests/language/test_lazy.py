"""Patterns that are compiled when they are first used find what others find."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.bare.lazy_regex import LazyRegex, lazy_regex
from memoria.language.lazy import SmallPattern

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


@given(st.text("ab1 北"))
def test_a_lazy_expression_does_what_a_compiled_one_does(text: str) -> None:
    for source, flags in ((r"(?P<one>[AB]+)|\d", re.IGNORECASE), (r"北(?=1)", 0)):
        lazy, compiled = lazy_regex(source, flags), re.compile(source, flags)
        assert lazy.findall(text) == compiled.findall(text)
        assert lazy.sub("<>", text) == compiled.sub("<>", text)
        assert [one.span() for one in lazy.finditer(text)] == [
            one.span() for one in compiled.finditer(text)
        ]
        assert (lazy.pattern, lazy.groupindex) == (source, compiled.groupindex)


def test_nothing_is_compiled_before_it_is_used() -> None:
    lazy = LazyRegex("(", 0)
    assert lazy.pattern == "("
    assert list(vars(lazy)) == ["pattern", "_flags"]
