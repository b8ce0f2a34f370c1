"""Whoever gives a secret is told that it was left out, and of what kind it was."""

import pytest

from memoria.surface.text import secrets_sentence


@pytest.mark.parametrize(
    ("redactions", "said"),
    [
        ({}, ""),
        ({"forgotten": 2}, ""),
        ({"one-time-code": 1}, "1 secret was redacted: one-time-code"),
        ({"password": 2, "pin": 1, "forgotten": 1}, "3 secrets were redacted: password ×2, pin"),
    ],
)
def test_what_was_redacted_is_said_in_a_sentence(redactions: dict[str, int], said: str) -> None:
    assert secrets_sentence(redactions) == said
