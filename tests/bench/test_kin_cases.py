"""The questions of `bench.kin` are what they claim to be, and are asked at both levels."""

from collections import Counter

import anyio
import pytest
from bench.kin import KinCase, kin_cases
from bench.kin.play import KinAnswer, ask_kin

CASES = tuple(kin_cases())


def test_there_are_forty_questions_half_of_each_language_and_some_without_an_answer() -> None:
    assert Counter(case.language for case in CASES) == {"en": 20, "zh": 20}
    assert sum(case.right is None for case in CASES) == 6
    assert len({case.id for case in CASES}) == 40


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_every_question_has_facts_of_others(case: KinCase) -> None:
    ids = [fact.id for fact in case.facts]
    assert len(set(ids)) == len(ids)
    assert set(ids) - {case.right}
    assert case.right is None or case.right in ids


def test_both_levels_are_asked_and_somebody_elses_fact_is_told_from_silence() -> None:
    case = next(case for case in CASES if case.right is not None)
    other = next(fact.id for fact in case.facts if fact.id != case.right)
    right = str(case.right)
    assert KinAnswer(case, (right, other), (right,)).is_right
    assert not KinAnswer(case, (right,), ()).is_right
    assert not KinAnswer(case, (right,), ()).is_somebody_else
    assert KinAnswer(case, (right,), (other, right)).is_somebody_else
    none = case.model_copy(update={"right": None})
    assert KinAnswer(none, (), ()).is_right
    assert not KinAnswer(none, (), (other,)).is_right
    asked = anyio.run(ask_kin, [case], "off")
    assert set(asked[0].memories) <= {fact.id for fact in case.facts}
    assert set(asked[0].turns) <= {fact.id for fact in case.facts}
