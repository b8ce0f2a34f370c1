"""An expression that is compiled when it is first used does what one compiled at once does."""

import re

from hypothesis import given
from hypothesis import strategies as st

from memoria.bare.lazy_regex import LazyRegex, lazy_regex


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
