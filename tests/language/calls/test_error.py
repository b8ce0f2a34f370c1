"""An error is known by the part that stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.language.calls.error import error_keys, stable_part, tells_failure


@pytest.mark.parametrize(
    ("recorded", "pasted"),
    [
        (
            "Exit code 1\nTraceback (most recent call last):\n"
            '  File "/home/ann/x/app.py", line 12, in <module>\n'
            "sqlite3.OperationalError: database is locked",
            '  File "/srv/app.py", line 99, in main\nsqlite3.OperationalError: database is locked',
        ),
        (
            "Error: listen EADDRINUSE: address already in use :::3000\n    at listen (a.js:1:2)",
            "Error: listen EADDRINUSE: address already in use 127.0.0.1:8080",
        ),
        (
            "npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE could not resolve",
            "npm ERR! ERESOLVE could not resolve\nnpm ERR! A complete log of this run is in /x.log",
        ),
        (
            "thread 'main' panicked at src/a.rs:10:5:\nindex out of bounds: the len is 3",
            "thread 'main' panicked at lib/b.rs:99:1:",
        ),
        ("E       assert 3 == 4\n1 failed in 0.2s", "E   assert 7 == 9"),
        (
            "2026-03-02T09:00:01Z ERROR worker 0x7f3a crashed: unable to open /a/b",
            "2026-04-05T11:59:59Z ERROR worker 0x81bc crashed: unable to open /c",
        ),
        ("javac: 错误: 无效的目标发行版: 17", "错误: 无效的目标发行版: 21"),
    ],
)
def test_an_error_pasted_anew_has_a_key_of_the_recorded(recorded: str, pasted: str) -> None:
    keys = error_keys(recorded)
    assert any(key in known or known in key for key in error_keys(pasted) for known in keys)


def test_the_line_that_names_the_error_comes_first() -> None:
    output = (
        "collecting\nsome tests failed to run\nTraceback (most recent call last):\n"
        "  File \"a.py\", line 3\nKeyError: 'waitlist'\nExit code: 1"
    )
    assert error_keys(output) == ("keyerror: 'waitlist'", "some tests failed to run")


def test_a_paste_without_any_sign_is_taken_for_the_error_itself() -> None:
    assert error_keys("peer react from stage") == ("peer react from stage",)
    assert error_keys("") == ()


def test_different_errors_have_different_keys() -> None:
    assert stable_part("error TS2307: no module") != stable_part("error TS2339: no module")


@pytest.mark.parametrize(
    ("output", "fails"),
    [
        ("12 passed, 0 failed", False),
        ("3 failed, 9 passed", True),
        ("FAILED tests/a.py::test_b", True),
        ("warning: unused variable", False),
        ("bash: foo: command not found", True),
    ],
)
def test_a_failure_behind_a_pipe_is_seen_in_the_output(output: str, *, fails: bool) -> None:
    assert tells_failure(output) is fails


@given(st.text(max_size=300))
def test_any_output_is_read_without_fail_and_its_stable_part_is_stable(output: str) -> None:
    for key in error_keys(output):
        assert key == key.strip()
        assert len(key) <= 160
