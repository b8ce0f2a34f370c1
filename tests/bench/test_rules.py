"""Every rule belongs to a group, and every group can be done without."""

from collections import Counter
from importlib import import_module

import pytest
from bench.rules.groups import GROUPS, MARKED, SEARCHED, Group, iterate_files
from bench.rules.page import Figures, render_page
from bench.rules.switch import Seam, switched_off

from memoria.language.statements import plain_statements
from memoria.language.statements.plain_statements import find_plain_statements
from memoria.model.turn import Role
from memoria.retrieval.query.options import STAGES

_WISH = "From now on always answer in English."


def test_every_file_belongs_to_one_group() -> None:
    owners = Counter(file for group in GROUPS for file in group.list_files())
    assert {str(file) for file in iterate_files() if owners[file] != 1} == set()


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
