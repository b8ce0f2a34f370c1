"""What a text costs the rules that read it: never more than its length may cost."""

import pytest
from bench.redos.__main__ import warm_up
from bench.redos.entries import ENTRIES
from bench.redos.fragments import draw_fragments, repeat
from bench.redos.known import KNOWN
from bench.redos.measure import Cost, measure

_SIZE = 1_024


@pytest.mark.parametrize("name", ENTRIES)
def test_four_times_the_text_costs_a_rule_at_most_five_times_the_cpu(name: str) -> None:
    entry = ENTRIES[name]
    warm_up(entry)
    costs = [measure(entry, one, _SIZE) for one in (*KNOWN, *draw_fragments(6, seed=1))]
    assert [cost for cost in costs if cost.is_too_slow] == []


def test_a_rule_that_reads_the_rest_from_every_sign_is_found_too_slow() -> None:
    def read(text: str) -> int:
        return sum(text.count("b", at) for at in range(len(text)))

    assert measure(read, "a", 4_096).is_too_slow
    assert not measure(len, "a", 16_384).is_too_slow


def test_what_costs_little_counts_as_fast_whatever_the_ratio() -> None:
    assert not Cost("a", 0.0001, 0.004).is_too_slow
    assert Cost("a", 0.001, 0.02).is_too_slow


def test_the_same_seed_draws_the_same_fragments_from_the_rules_own_words() -> None:
    first = list(draw_fragments(50, seed=3))
    assert first == list(draw_fragments(50, seed=3))
    assert first != list(draw_fragments(50, seed=4))
    assert len(set(first)) > 40
    assert repeat("ab", 5) == "ababa"
