"""Every rule belongs to a group, and every group can be done without."""

from collections import Counter
from importlib import import_module

import pytest
from bench.data import Conversation, Question
from bench.redos.__main__ import warm_up
from bench.redos.entries import ENTRIES
from bench.redos.fragments import draw_fragments, repeat
from bench.redos.known import KNOWN
from bench.redos.measure import Cost, measure
from bench.rules.groups import GROUPS, MARKED, SEARCHED, Group, iterate_files
from bench.rules.page import Figures, render_page
from bench.rules.switch import Seam, switched_off
from bench.scope import scope_cases
from bench.scope.play import Sighting
from bench.unasked import add_prompts

from memoria.language.statements import plain_statements
from memoria.language.statements.plain_statements import find_plain_statements
from memoria.model.turn import Role
from memoria.retrieval.query.options import STAGES

_WISH = "From now on always answer in English."


def test_every_file_belongs_to_a_group() -> None:
    owned = {file for group in GROUPS for file in group.list_files()}
    assert {str(file) for file in iterate_files()} - {str(file) for file in owned} == set()


@pytest.mark.parametrize("group", [*SEARCHED, *MARKED], ids=lambda one: one.name)
def test_every_group_can_be_switched_off_and_is_on_again(group: Group) -> None:
    owners = [_find(seam) for seam in group.seams]
    with switched_off(group.seams):
        assert [_find(seam) for seam in group.seams] == [one.finds_nothing for one in group.seams]
    assert [_find(seam) for seam in group.seams] == owners
    assert set(group.stages) <= set(STAGES)
    assert group.seams or group.stages


def test_what_is_switched_off_finds_nothing_wherever_it_is_used() -> None:
    (wishes,) = (group for group in MARKED if group.name == "standing wishes")
    assert find_plain_statements(Role.USER, _WISH).is_wish
    with switched_off(wishes.seams):
        assert not plain_statements.find_plain_statements(Role.USER, _WISH).is_wish
    assert find_plain_statements(Role.USER, _WISH).is_wish


def test_the_page_says_what_is_lost_without_a_group_and_keeps_what_is_gone() -> None:
    name = SEARCHED[0].name
    figures: Figures = {
        "groups": {},
        "sets": {
            "public": {
                "all": {"second": 0.5, "first": 0.4, "of": 10},
                name: {"second": 0.45, "first": 0.4, "of": 10},
            }
        },
    }
    gone: Figures = {
        "groups": {"oracles": {"purpose": "told the future", "lines": 900}},
        "sets": {
            "public": {
                "all": {"second": 0.3, "first": 0.3, "of": 10},
                "oracles": {"second": 0.3, "first": 0.32, "of": 10},
            }
        },
    }
    page = render_page(figures, gone)
    (kept,) = (line for line in page.splitlines() if line.startswith(f"| **{name}**"))
    assert kept.endswith("| +.050 / 0 |")
    (told,) = (line for line in page.splitlines() if "oracles" in line)
    assert told == "| **oracles**: told the future | 900 | 0 / −.020 |"


def _find(seam: Seam) -> object:
    owner: object = import_module(f"memoria.{seam.module}")
    for name in seam.name.split("."):
        owner = getattr(owner, name)
    return owner


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


CASES = tuple(scope_cases())


def test_there_are_sixty_statements_half_of_each_kind_and_language_and_no_two_alike() -> None:
    groups = Counter((case.language, case.expected) for case in CASES)
    assert groups == {
        (language, place): 15 for language in ("en", "zh") for place in ("everywhere", "project")
    }
    assert len({case.id for case in CASES}) == len({case.statement for case in CASES}) == 60


def test_what_is_shown_elsewhere_is_a_leak_only_if_it_is_a_projects() -> None:
    own = next(case for case in CASES if case.expected == "everywhere")
    works = next(case for case in CASES if case.expected == "project")
    assert Sighting(own, here=True, elsewhere=True, unasked=True).is_right
    assert not Sighting(own, here=True, elsewhere=True, unasked=True).is_leak
    assert not Sighting(own, here=True, elsewhere=False, unasked=False).is_right
    assert Sighting(works, here=True, elsewhere=False, unasked=True).is_leak
    assert not Sighting(works, here=True, elsewhere=True, unasked=False).is_right
    assert not Sighting(works, here=False, elsewhere=False, unasked=False).is_right


def test_the_prompts_of_a_sort_do_not_depend_on_what_else_is_asked() -> None:
    own = [Question(f"own {n}", "own", frozenset()) for n in range(120)]
    foreign = [Question(f"foreign {n}", "foreign", frozenset()) for n in range(30)]
    drawn = [
        {each.text for each in add_prompts(Conversation("c", (), questions)).questions
         if each.category == "own"}
        for questions in ((*own, *foreign), (*foreign, *own[::-1]), tuple(own))
    ]  # fmt: skip
    assert drawn[0] == drawn[1] == drawn[2]
    assert 0 < len(drawn[0]) < len(own)
