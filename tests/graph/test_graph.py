"""Communities, neighbourhoods and ranks of a graph are the same for the same edges."""

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoria.graph.algorithms import (
    WeightedEdge,
    find_communities,
    find_neighbourhood,
    personalised_pagerank,
)
from memoria.graph.edges import EDGE_RULES, initial_weight, retention_rank
from memoria.model import EdgeType, Trust

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


Graph = Mapping[int, Mapping[int, float]]
NODES = st.integers(0, 12)
GRAPHS = st.dictionaries(NODES, st.dictionaries(NODES, st.floats(0, 1), max_size=5), max_size=10)
CHAIN: Graph = {1: {2: 0.9}, 2: {1: 0.9, 3: 0.5}, 3: {2: 0.5, 4: 0.7}, 4: {3: 0.7}}


def walk(graph: Graph, seeds: Sequence[int], hops: int, limit: int = 100) -> dict[int, int]:
    asked: list[int] = []

    def neighbours(ns: Sequence[int], _met: Collection[int], _room: int) -> Graph:
        asked.extend(ns)
        return {n: graph.get(n, {}) for n in ns}

    found = find_neighbourhood(seeds, hops, neighbours, limit)
    assert len(asked) == len(set(asked))
    return dict(found.distances)


@pytest.mark.parametrize(
    ("hops", "reached"),
    [(0, {1: 0}), (1, {1: 0, 2: 1}), (2, {1: 0, 2: 1, 3: 2}), (9, {1: 0, 2: 1, 3: 2, 4: 3})],
)
def test_a_walk_gets_as_far_as_its_hops(hops: int, reached: dict[int, int]) -> None:
    assert walk(CHAIN, [1], hops) == reached


def test_where_room_is_short_the_strongest_bound_are_met() -> None:
    star = {0: {n: n / 10 for n in range(1, 9)}}
    assert list(walk(star, [0], 1, limit=4)) == [0, 8, 7, 6]


def test_the_edges_of_the_last_level_are_known_from_both_ends() -> None:
    found = find_neighbourhood([1], 2, lambda ns, *_: {n: CHAIN[n] for n in ns})
    assert found.adjacency == {1: {2: 0.9}, 2: {1: 0.9, 3: 0.5}, 3: {2: 0.5}}


@settings(max_examples=40)
@given(GRAPHS, st.lists(NODES, max_size=4), st.integers(0, 4), st.integers(1, 8))
def test_a_walk_never_meets_more_than_it_may(
    graph: Graph, seeds: list[int], hops: int, limit: int
) -> None:
    reached = walk(graph, seeds, hops, limit)
    assert len(reached) <= limit
    assert all(distance <= hops for distance in reached.values())
    found = find_neighbourhood(seeds, hops, lambda ns, *_: {n: graph.get(n, {}) for n in ns}, limit)
    assert {n for n, others in found.adjacency.items() if others} <= reached.keys()
    assert {n for others in found.adjacency.values() for n in others} <= reached.keys()


SEEDS = st.dictionaries(NODES, st.floats(0.1, 3), min_size=1, max_size=4)


@settings(max_examples=40)
@given(GRAPHS, SEEDS)
def test_all_ranks_together_are_one(graph: Graph, seeds: dict[int, float]) -> None:
    ranks = personalised_pagerank(graph, seeds)
    assert sum(ranks.values()) == pytest.approx(1)
    assert min(ranks.values()) >= 0


@settings(max_examples=40)
@given(GRAPHS, SEEDS)
def test_the_order_in_which_a_graph_is_told_changes_no_rank(
    graph: Graph, seeds: dict[int, float]
) -> None:
    turned = {n: dict(reversed([*graph[n].items()])) for n in reversed([*graph])}
    assert personalised_pagerank(turned, dict(reversed(seeds.items()))) == (
        personalised_pagerank(graph, seeds)
    )


def test_rank_falls_with_the_distance_from_the_seed() -> None:
    ranks = personalised_pagerank(CHAIN, {1: 1.0})
    assert ranks[2] > ranks[3] > ranks[4]


def test_two_nodes_share_as_the_arithmetic_says() -> None:
    """Of a pair: the seed has 1 / (1 + damping), to where the rounds have come."""
    ranks = personalised_pagerank({1: {2: 1.0}, 2: {1: 1.0}}, {1: 1.0}, rounds=200, tolerance=0)
    assert ranks == pytest.approx({1: 1 / 1.85, 2: 0.85 / 1.85})


def test_without_a_seed_there_is_no_rank() -> None:
    assert personalised_pagerank(CHAIN, {}) == {}
    assert personalised_pagerank(CHAIN, {1: 0.0}) == {}


def test_every_type_of_edge_has_a_rule() -> None:
    assert EDGE_RULES.keys() == set(EdgeType)
    assert (EDGE_RULES[EdgeType.ABOUT].cap, EDGE_RULES[EdgeType.SIMILAR_TO].cap) == (256, 64)
    assert EDGE_RULES[EdgeType.MENTIONS].cap == 512


def test_a_weight_at_birth_is_what_the_source_says() -> None:
    assert initial_weight(1, Trust.USER, 0) == pytest.approx(1)
    assert initial_weight(0.6, Trust.REPORTED, 0) == pytest.approx(0.5 * 0.6 + 0.3 * 0.7 + 0.2)
    assert initial_weight(0, Trust.TOOL, 1 << 60) == pytest.approx(0.12)


@given(st.floats(0.01, 1), st.floats(0.01, 1), st.integers(0, 10**12), st.integers(0, 10**12))
def test_of_two_edges_alike_in_one_thing_the_other_decides(
    weaker: float, stronger: float, older: int, newer: int
) -> None:
    weaker, stronger = sorted((weaker, stronger))
    older, newer = sorted((older, newer))
    assert retention_rank(weaker, older) <= retention_rank(stronger, older)
    assert retention_rank(weaker, older) <= retention_rank(weaker, newer)
