"""What must hold after two statements have met, in both languages, whatever the words."""

import pytest
from bench.conflicts import Case, cases
from bench.conflicts.play import play

SAID_TWICE = {"en-dark-mode-again", "zh-night-owl-again"}
"""The same again in quite other words: without vectors it is kept as a memory of its own."""


@pytest.mark.parametrize("case", [*cases()], ids=lambda case: case.id)
def test_current_truth_comes_first_history_is_intact_and_nothing_is_superseded_by_mistake(
    case: Case,
) -> None:
    wrong = play(case).wrong
    if case.id in SAID_TWICE:
        assert all(line.startswith("believed, too: ") for line in wrong)
    else:
        assert wrong == ()
