"""What must never be stored is taken out, and nothing else is."""

import re
import subprocess
import sys
from textwrap import dedent

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memoria.language.reading.strip import fence, strip

HOSTILE = st.lists(
    st.sampled_from(
        "<memoria> </memoria> <private> </private> <MEMORIA> </Memoria\n> <memoria\tx='1'> </ <m "
        "memoria private emoria> < > / ‹ › ‹memoria›".split(" ")
    )
    | st.sampled_from([" ", "\n", "<memoria " + "x" * 199 + ">", "<memoria " + "x" * 200 + ">"])
    | st.text(st.characters(exclude_characters="ıİ", exclude_categories=["Cs"]), max_size=5),
    max_size=20,
).map("".join)


@pytest.mark.parametrize(
    ("text", "left", "blocks"),
    [
        ("nothing here", "nothing here", 0),
        ("a <private>b</private> c", "a  c", 1),
        ("<private>a</private><private>b</private>", "", 2),
        ("<PRIVATE>a</Private>!", "!", 1),
        ('<private reason="x">a</private >!', "!", 1),
        ("<private>a <private>b</private> c</private>!", "!", 1),
        ("<private>a <memoria>b</memoria> c</private>!", "!", 1),
        ("<private>a <memoria>b</private> c</memoria>!", "!", 1),
        ("a <private>b\n\nc</private> d", "a  d", 1),
        ("<private></private>", "", 1),
        ("a <private> is a tag", "a <private> is a tag", 0),
        ("a </private> is a tag", "a </private> is a tag", 0),
        ("</private>a<private>", "</private>a<private>", 0),
        ("use <private>. <private>x</private> y", "use <private>.  y", 1),
        ("<privately>a</privately>", "<privately>a</privately>", 0),
        ("<memoria>a</private>", "<memoria>a</private>", 0),
        ("if a < b and c > d: </p>", "if a < b and c > d: </p>", 0),
    ],
)
def test_whole_spans_go_and_everything_else_stays(text: str, left: str, blocks: int) -> None:
    stripped = strip(text)
    assert (stripped.text, stripped.blocks) == (left, blocks)


@given(HOSTILE)
@example("</memoria>")
@example("<memoria>")
@example("<memo<memoria>ria>")
@example("</memoria\n")
def test_of_a_fenced_block_nothing_is_left_whatever_it_holds(text: str) -> None:
    assert strip(fence(text)).text == ""


@given(HOSTILE)
def test_what_stands_around_a_fenced_block_stays(text: str) -> None:
    assert strip(f"before {fence(text)} after").text == "before  after"


@given(HOSTILE)
def test_a_fenced_text_can_not_end_its_fence(text: str) -> None:
    assert fence(text).lower().count("</memoria>") == 1
    assert len(re.findall(r"(?ai)<\s*/\s*memoria\b", fence(text))) == 1


def test_a_fence_leaves_a_text_without_tags_alone() -> None:
    assert "\nx < y, <b>bold</b> 你好\n" in fence("x < y, <b>bold</b> 你好")


@given(st.text(st.characters(exclude_characters="<", exclude_categories=["Cs"])))
def test_a_text_without_tags_is_never_changed(text: str) -> None:
    assert strip(text).text == text


@given(HOSTILE)
def test_stripping_only_ever_takes_out(text: str) -> None:
    rest = iter(text)
    assert all(char in rest for char in strip(text).text)


@pytest.mark.parametrize("tag", ["prıvate", "PRİVATE", "memorıa"])
def test_a_tag_spelt_with_a_turkish_i_is_ordinary_text(tag: str) -> None:
    text = f"<{tag}>x</{tag}>"
    assert strip(text).text == text
    assert strip(fence(text)).text == ""


def test_hostile_text_takes_no_longer_than_its_length() -> None:
    # Each of these is a megabyte; quadratic work on one would take far longer than the limit.
    program = """
        from memoria.language.reading.strip import fence, strip
        for part in ("<private>", "</private>", "<private ", "<", "</", "<private " + " " * 200,
                     "<private><memoria>", "<private>x</memoria>", "<private>x</private>"):
            text = part * (1_000_000 // len(part))
            strip(text + "</private>" * 1000)
            strip(fence(text))
    """
    subprocess.run([sys.executable, "-c", dedent(program)], check=True, timeout=60)  # noqa: S603
