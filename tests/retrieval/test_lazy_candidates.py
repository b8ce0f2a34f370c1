"""Candidates that are read as far as somebody looks are those that are read at once."""

from collections.abc import Sequence
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.retrieval.ranking.fusion import FusedCandidate
from memoria.retrieval.ranking.score import LazyCandidates, ScoredCandidate

PLACES = st.none() | st.integers(-15, 15)
STEPS = st.sampled_from([None, 1, 2, -1])


def score(items: Sequence[FusedCandidate]) -> list[ScoredCandidate]:
    """Every third may not be seen. Who only keeps candidates in order looks into none of them."""
    return [cast("ScoredCandidate", item) for item in items if item.n % 3]


@given(
    st.integers(0, 40),
    st.integers(1, 12),
    st.lists(st.builds(slice, PLACES, PLACES, STEPS), max_size=4),
)
def test_whatever_part_of_candidates_is_looked_at_first_all_are_the_same(
    many: int, first: int, parts: list[slice]
) -> None:
    fused = [FusedCandidate(n, 1 / (n + 1)) for n in range(many)]
    lazy, everything = LazyCandidates(fused, score, first), score(fused)
    for part in parts:
        assert lazy[part] == everything[part]
    assert bool(lazy) == bool(everything)
    assert list(lazy) == everything
    assert len(lazy) == len(everything)


@given(st.integers(1, 40), st.integers(-45, 45))
def test_a_candidate_is_found_at_its_place_or_nowhere(many: int, at: int) -> None:
    fused = [FusedCandidate(n, 1 / (n + 1)) for n in range(many)]
    lazy, everything = LazyCandidates(fused, score, 10), score(fused)
    if -len(everything) <= at < len(everything):
        assert lazy[at] == everything[at]
    else:
        with pytest.raises(IndexError):
            lazy[at]
