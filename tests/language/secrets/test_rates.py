"""What the corpora promise: how many secrets are taken out, how many look-alikes are changed."""

import pytest
from bench.secrets import score_look_alikes, score_shapes

HALVES = ("before", "after", "kinds")


@pytest.mark.parametrize("half", HALVES)
def test_of_a_hundred_secrets_at_most_three_are_missed(half: str) -> None:
    assert score_shapes(half).rate <= 0.03


@pytest.mark.parametrize("half", HALVES)
def test_of_a_hundred_look_alikes_at_most_one_is_changed(half: str) -> None:
    assert score_look_alikes(half).rate <= 0.01


def test_each_corpus_has_three_hundred_cases() -> None:
    assert sum(score_shapes(half).cases for half in HALVES) >= 300
    assert sum(score_look_alikes(half).cases for half in HALVES) >= 300
