"""The judge of pages names what it is there for, and is content with a page that is all right."""

import pytest
from tests.surface.http.viewer.attack.hostile import ADDRESSES, BREAKOUTS, CHARACTERS
from tests.surface.http.viewer.attack.judge import judge_page

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Health</title>
<link rel="stylesheet" href="/ui/static/viewer.css">
<script src="/ui/static/viewer.js" defer></script></head>
<body><a href="#main">To the content</a><main id="main"><h1>Health</h1>{}
<svg><title>A picture</title><line x1="1"/><text>Ann</text></svg>
<form method="post" action="/ui/leave"><input name="a" value="b"><button>Leave</button></form>
</main></body></html>"""


def test_a_page_that_is_all_right_has_no_fault() -> None:
    judge = judge_page(PAGE.format("<p>Ann &lt;b&gt; &amp; 安安</p>"))
    assert judge.faults == []
    assert judge.forms == ["/ui/leave"]
    assert judge.links == ["#main"]


@pytest.mark.parametrize("text", BREAKOUTS[:14])
def test_a_text_that_was_not_escaped_is_a_fault(text: str) -> None:
    places = (
        f"<p>{text}</p>",
        f'<p title="{text}">x</p>',
        f"<p title='{text}'>x</p>",
        f"<p title={text}>x</p>",
    )
    found = [judge_page(PAGE.format(place)).faults for place in places]
    assert any(found), text


@pytest.mark.parametrize("text", ADDRESSES[:9])
def test_an_address_that_leads_away_is_a_fault(text: str) -> None:
    assert judge_page(PAGE.format(f'<a href="{text}">x</a>')).faults


@pytest.mark.parametrize("text", CHARACTERS[:4])
def test_a_character_that_nobody_sees_is_a_fault(text: str) -> None:
    assert judge_page(PAGE.format(f"<p>{text}</p>")).faults


@pytest.mark.parametrize(
    "part",
    [
        "<p>",
        "<h1>Two</h1>",
        "<script>x</script>",
        '<p style="color:red">x</p>',
        "<b>x</b>",
        "<!-- x -->",
        '<p id="a" id="b">x</p>',
        '<form method="post" action="https://example.com/"></form>',
    ],
)
def test_what_no_page_has_is_a_fault(part: str) -> None:
    assert judge_page(PAGE.format(part)).faults
