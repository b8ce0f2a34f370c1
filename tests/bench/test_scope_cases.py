"""The statements of `bench.scope` are what they claim to be, and are looked for from both sides."""

from collections import Counter

from bench.scope import scope_cases
from bench.scope.play import Sighting

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
