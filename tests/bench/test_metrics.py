import math
from itertools import combinations

import numpy as np
import pytest
from bench.contention.verdict import longest_overlap
from bench.metrics import (
    all_found_at,
    any_hit_at,
    mean,
    ndcg_at,
    percentile,
    recall_at,
    reciprocal_rank,
)
from hypothesis import given
from hypothesis import strategies as st

RANKING = ("a", "b", "c", "d")
items = st.integers(0, 30)
rankings = st.lists(items, unique=True, max_size=25)
golds = st.frozensets(items, min_size=1, max_size=6)
depths = st.integers(1, 25)
numbers = st.floats(-1e6, 1e6)
intervals = st.lists(
    st.tuples(st.integers(0, 50), st.integers(1, 10)).map(lambda x: (x[0], x[0] + x[1])),
    max_size=12,
)


def test_recall_is_the_share_of_gold_among_the_first_k() -> None:
    gold = frozenset({"b", "d", "z"})
    found = [recall_at(k, RANKING, gold) for k in (1, 2, 4)]
    assert found == [0, pytest.approx(1 / 3), pytest.approx(2 / 3)]


def test_any_hit_asks_for_one_and_all_found_for_every_gold_item() -> None:
    gold = frozenset({"b", "d"})
    assert [any_hit_at(k, RANKING, gold) for k in (1, 2, 3, 4)] == [0, 1, 1, 1]
    assert [all_found_at(k, RANKING, gold) for k in (1, 2, 3, 4)] == [0, 0, 0, 1]


def test_reciprocal_rank_counts_the_first_gold_item_only() -> None:
    assert reciprocal_rank(RANKING, frozenset({"c", "d"})) == pytest.approx(1 / 3)
    assert reciprocal_rank(RANKING, frozenset({"z"})) == 0


def test_ndcg_discounts_by_the_logarithm_of_the_rank() -> None:
    # Gold at ranks 2 and 4: gain 1/log2(3) + 1/log2(5); best possible 1/log2(2) + 1/log2(3).
    expected = (1 / math.log2(3) + 1 / math.log2(5)) / (1 + 1 / math.log2(3))
    assert ndcg_at(10, RANKING, frozenset({"b", "d"})) == pytest.approx(expected)
    assert expected == pytest.approx(0.650921)


def test_ndcg_of_a_shallow_list_expects_no_more_gold_than_it_can_hold() -> None:
    assert ndcg_at(1, RANKING, frozenset({"a", "b", "c"})) == 1


def test_an_empty_slice_has_zeros_to_print() -> None:
    assert mean([]) == percentile(50, []) == 0


def test_percentile_interpolates_between_two_values() -> None:
    assert [percentile(q, [40.0, 10.0, 20.0, 30.0]) for q in (0, 50, 95, 100)] == [
        10,
        25,
        pytest.approx(38.5),
        40,
    ]


@given(rankings, golds, depths)
def test_the_three_recalls_keep_their_order_and_bounds(
    ranking: list[int], gold: frozenset[int], k: int
) -> None:
    every, share, some = (f(k, ranking, gold) for f in (all_found_at, recall_at, any_hit_at))
    assert 0 <= every <= share <= some <= 1


@given(rankings, golds, depths)
def test_recall_never_falls_with_depth(ranking: list[int], gold: frozenset[int], k: int) -> None:
    assert recall_at(k, ranking, gold) <= recall_at(k + 1, ranking, gold)


@given(rankings, golds, depths)
def test_ndcg_is_one_exactly_when_gold_comes_first(
    ranking: list[int], gold: frozenset[int], k: int
) -> None:
    value = ndcg_at(k, ranking, gold)
    assert 0 <= value <= 1 + 1e-12
    head = ranking[: min(k, len(gold))]
    ideal = len(head) == min(k, len(gold)) and gold.issuperset(head)
    assert math.isclose(value, 1) == ideal


@given(rankings, golds)
def test_putting_a_gold_item_first_makes_the_reciprocal_rank_one(
    ranking: list[int], gold: frozenset[int]
) -> None:
    best = min(gold)
    assert reciprocal_rank([best, *(item for item in ranking if item != best)], gold) == 1


@given(st.lists(numbers, min_size=1, max_size=50), st.floats(0, 100))
def test_percentile_agrees_with_numpy(values: list[float], q: float) -> None:
    assert percentile(q, values) == pytest.approx(float(np.percentile(values, q)), abs=1e-6)


def test_intervals_that_only_touch_do_not_overlap() -> None:
    assert longest_overlap([(2, 3), (0, 1), (1, 2)]) == 0
    assert longest_overlap([]) == 0


def test_the_longest_overlap_is_found_however_far_apart_the_starts_are() -> None:
    assert longest_overlap([(0, 10), (1, 2), (3, 3.5), (4, 9)]) == 5


@given(intervals)
def test_the_longest_overlap_is_that_of_the_worst_pair(pairs: list[tuple[int, int]]) -> None:
    worst = max((min(a[1], b[1]) - max(a[0], b[0]) for a, b in combinations(pairs, 2)), default=0)
    assert longest_overlap(pairs) == max(worst, 0)
