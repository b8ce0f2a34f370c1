"""Communities: what hangs together is found, and the order in which it is told changes nothing."""

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from memoria.graph.communities import WeightedEdge, find_communities

TIES = st.lists(
    st.tuples(st.integers(0, 25), st.integers(0, 25), st.sampled_from([0.0, 0.3, 0.75, 0.9, 1.0])),
    max_size=60,
)


def clique(*nodes: int, weight: float = 0.9) -> list[WeightedEdge]:
    return [(one, other, weight) for one, other in combinations(nodes, 2)]


TWO = [*clique(1, 2, 3, 4), *clique(11, 12, 13), (4, 11, 0.1)]


def test_what_hangs_together_is_a_community() -> None:
    assert find_communities(TWO) == [(1, 2, 3, 4), (11, 12, 13)]


def test_pairs_are_no_community_unless_they_are_asked_for() -> None:
    assert find_communities([*TWO, (20, 21, 0.9)]) == [(1, 2, 3, 4), (11, 12, 13)]
    assert find_communities([*TWO, (20, 21, 0.9)], least=2)[-1] == (20, 21)


def test_no_ties_are_no_communities() -> None:
    assert find_communities([]) == []
    assert find_communities([(1, 1, 1.0), (1, 2, 0.0), (2, 3, -1.0)]) == []


@settings(max_examples=60, deadline=None)
@given(TIES, st.randoms(use_true_random=False), st.booleans())
def test_neither_the_order_of_ties_nor_of_their_ends_matters(
    ties: list[WeightedEdge], chance: object, around: bool
) -> None:
    told = [(other, one, weight) for one, other, weight in ties] if around else list(ties)
    chance.shuffle(told)  # type: ignore[attr-defined]  # a random.Random
    assert find_communities(told) == find_communities(ties)


@settings(max_examples=60, deadline=None)
@given(TIES, st.integers(1, 5))
def test_nobody_is_in_two_communities_or_alone_in_one(ties: list[WeightedEdge], least: int) -> None:
    found = find_communities(ties, least=least)
    members = [n for community in found for n in community]
    assert len(members) == len(set(members))
    tied = {n for one, other, weight in ties if weight > 0 and one != other for n in (one, other)}
    assert set(members) <= tied
    assert all(len(community) >= least for community in found)


def test_one_that_is_too_large_is_divided_again() -> None:
    groups = [tuple(range(10 * g, 10 * g + 5)) for g in range(12)]
    ties = [tie for group in groups for tie in clique(*group)]
    ties += [(10 * g, 10 * ((g + 1) % 12), 0.8) for g in range(12)]
    assert all(len(community) <= 5 for community in find_communities(ties, most=5))
    everybody = clique(*range(8))
    assert find_communities(everybody, most=5) == [tuple(range(8))]
