"""The sieve: what a hook may write to disk by itself."""

from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.language.secrets.corpus import Case, read_cases

from memoria.bare.lazy_regex import lazy_regex
from memoria.ingest.clean import clean_turn
from memoria.language.reading.clean import Tally, clean_text
from memoria.language.reading.fences import INVISIBLE
from memoria.model import Role, Turn
from memoria.surface.hook import sieve
from memoria.surface.hook.sieve import flatten, is_surely_clean

CORPUS = Path(__file__).parents[2] / "language" / "secrets"
SHAPES = [case for file in sorted(CORPUS.glob("shapes_*.tsv")) for case in read_cases(file)]
LOOK_ALIKES = [case for file in sorted(CORPUS.glob("look_*.tsv")) for case in read_cases(file)]
ORDINARY = """\
Please rename the parser's tests and say why the second one fails.
Why does the build take 9 minutes? It took 4 last week.
Use pnpm in this repository, never npm.
把部署脚本改成每周五晚上运行，并告诉我结果。
我下周三要去杭州出差，住三天，记得提醒我带护照。
Fix the failing test in tests/store/test_writer.py and run it again.
I prefer short answers. Ask before you delete a file.
The monkeys compass points north, and the keyboard is broken.
My daughter's name is Lian; she starts school in September.
请用中文回答，代码注释用英文。
Refactor `load_config()` so that it reads YAML as well.
What did we decide about the retry policy, and when?
Add a column "priority" to the table, and a migration.
ok, thanks — looks good to me!
No, the other one: see https://example.org/docs/guide#start
Summarise the meeting of 12 March in five sentences.
""".splitlines()


def _is_untouched(case: Case) -> bool:
    return clean_text(case.text, Tally()) == case.text


def test_no_shape_of_a_secret_passes() -> None:
    assert len(SHAPES) > 500
    passed = [case for case in SHAPES if is_surely_clean(case.text)]
    assert [case.name for case in passed if not _is_untouched(case)] == []
    assert len(passed) <= 1  # a social security number is nothing that we take out


def test_no_shape_of_a_secret_passes_amid_ordinary_text() -> None:
    chance = Random(19)  # noqa: S311  (reproducible, not secret)
    for case in SHAPES:
        before, after = chance.choice(ORDINARY), chance.choice(ORDINARY)
        text = f"{before}\n{case.text}\n{after}"
        assert not is_surely_clean(text) or clean_text(text, Tally()) == text, case.name


def test_most_ordinary_prompts_pass() -> None:
    passed = [text for text in ORDINARY if is_surely_clean(text)]
    assert len(passed) >= 0.9 * len(ORDINARY), set(ORDINARY) - set(passed)


@pytest.mark.parametrize(
    "text",
    [
        "<private>my diary</private> and the rest",
        "a <PRIVATE reason='x'>word</PRIVATE>",
        "<memoria>\nwhat you told it\n</memoria>",
        "see\u200bhere",
        "half a character \ud800",
        "İstanbul",
        "x" * (sieve.LONGEST + 1),
    ],
)
def test_private_spans_our_own_blocks_and_what_nobody_sees_do_not_pass(text: str) -> None:
    assert not is_surely_clean(text)


def test_no_invisible_character_passes() -> None:
    pattern = lazy_regex(f"[{INVISIBLE}]")
    every = (chr(code) for code in range(0x110000))
    assert not [
        hex(ord(char)) for char in every if pattern.match(char) and is_surely_clean(f"a{char}b")
    ]


@given(
    st.lists(
        st.one_of(
            st.sampled_from([case.text for case in SHAPES + LOOK_ALIKES]),
            st.sampled_from(ORDINARY),
            st.text(max_size=20),
            st.sampled_from(["key", "token", "pass", "=", ": ", "密码", "4921", "|\n", '"', "\\n"]),
        ),
        max_size=4,
    ),
    st.integers(0, 40),
)
def test_what_passes_is_what_cleaning_leaves(parts: list[str], cut: int) -> None:
    text = " ".join(parts)[cut:]
    if is_surely_clean(text):
        assert clean_text(text, Tally()) == text


def test_a_tool_call_passes_only_if_cleaning_would_leave_it() -> None:
    calls: list[object] = [{"command": "ls", "path": "src/app"}]
    for case in SHAPES:
        calls += [{"input": case.text}, [case.text], {"name": case.text, "value": 1}]
    calls += [
        {"password": "x1y2z3w4"},
        {"env": [{"name": "DB_PASSWORD", "value": "hunter"}]},
        ["--password", "hunter22"],
        {"card": 4929939187355598},
        {"a": {"api_key": ["abcd1234efgh5678"]}},
        {"密码": "芝麻开门1"},
    ]
    assert is_surely_clean(flatten(calls[0]))
    for call in calls:
        if is_surely_clean(flatten(call)):
            turn = Turn(role=Role.TOOL, tool_name="x", tool_args=call)
            assert clean_turn(turn, Tally()).tool_args == call
