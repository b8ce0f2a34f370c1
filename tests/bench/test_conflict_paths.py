"""The cases of every write path are well formed, and the bench tells right from wrong."""

from collections import Counter
from typing import get_args

import anyio
import pytest
from bench.conflicts import cases
from bench.conflicts.path_cases import (
    EditStep,
    NightStep,
    PathCase,
    PathKind,
    RememberStep,
    SayStep,
    WritePath,
    path_cases,
)
from bench.conflicts.path_run import play_paths
from bench.conflicts.path_verdict import says

CASES = tuple(path_cases())
each = pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])


def wordings(case: PathCase) -> set[str]:
    """What is said, remembered, proposed or written in a case."""
    found = set[str]()
    for step in case.steps:
        match step:
            case SayStep():
                found |= {step.text}
                found |= {str(one.operation.get("content")) for one in step.proposed}
            case EditStep():
                found |= {step.old, step.new}
            case NightStep():
                pass
            case _:
                found |= {step.text}
    return found


def test_every_path_has_fifteen_cases_and_there_are_as_many_as_was_promised() -> None:
    by_path = Counter(case.path for case in CASES)
    assert set(by_path) == set(get_args(WritePath))
    assert all(count >= 15 for count in by_path.values())
    assert all(
        count >= 7 for count in Counter((case.path, case.language) for case in CASES).values()
    )
    assert {case.kind for case in CASES} == set(get_args(PathKind))
    assert len(CASES) + len(tuple(cases())) >= 142
    assert len({case.id for case in CASES}) == len(CASES)


@each
def test_what_must_hold_was_said_on_the_way(case: PathCase) -> None:
    said = wordings(case)
    expected = [*case.current[:1], *(change.old for change in case.replaced)]
    expected += [wording for pair in case.marked for wording in pair]
    for wording in expected:
        assert any(says(text, wording) for text in said), wording


@each
def test_nothing_is_at_once_believed_and_history(case: PathCase) -> None:
    assert not {change.old for change in case.replaced} & set(case.current)


def test_a_wording_is_told_from_one_that_contains_it() -> None:
    assert says("The user's name is Lin.", "name is Lin.|is called Lin.")
    assert not says("The user's name is Lina.", "name is Lin.")
    assert not says("The user is allergic to shellfish and soy.", "allergic to shellfish.")
    assert not says("更正：我叫林晓晓。", "我叫林晓。")
    assert says("更正：评审会在3月6日", "评审会在3月6日")
    assert says("Dr. Weiss is away.", "Dr. Weiss is away.")


def remembered(*texts: str, ask: str, current: tuple[str, ...]) -> PathCase:
    return PathCase(
        id="one",
        path="explicit",
        language="en",
        kind="plural",
        steps=tuple(RememberStep(do="remember", text=text, type="fact") for text in texts),
        ask=ask,
        current=current,
    )


def test_a_case_that_holds_is_right_and_one_that_does_not_says_what_is_wrong() -> None:
    texts = ("The kettle is green.", "The piano was tuned in May.")
    good = remembered(*texts, ask="When was the piano tuned?", current=(texts[1], texts[0]))
    bad = good.model_copy(update={"id": "two", "current": (texts[0], "The kettle is blue.")})
    right, wrong = anyio.run(play_paths, [good, bad], "off")
    assert right.wrong == ()
    assert wrong.wrong == (
        f"first is: memory {texts[1]}",
        "not believed: The kettle is blue.",
    )
