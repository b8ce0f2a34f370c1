"""Rules tell what a new statement is to a known one, and say nothing where they cannot."""

import pytest

from memoria.policy.properties import relate_statements


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("The user lives in Leeds", "The user lives in York"),
        ("I live in Leeds.", "I've moved to York."),
        ("用户住在杭州。", "用户搬到了上海。"),
        ("My name is Lin.", "My name is Lina."),
        ("用户喜欢猫。", "用户不喜欢猫。"),
        ("The demo is on 5 March.", "Correction: the demo is on 6 March."),
        ("评审会在3月5日。", "纠正：评审会在3月6日。"),
        ("以后都用中文回答", "以后都用英文回答"),
        ("Always answer in Chinese.", "以后都用英文回答"),
    ],
)
def test_another_value_of_one_property_replaces_the_known_one(known: str, new: str) -> None:
    assert relate_statements(new, known) == "replaces"


def test_a_denied_part_marks_the_whole_and_does_not_swallow_the_rest() -> None:
    known = "The user takes aspirin and metformin."
    assert relate_statements("The user stopped taking aspirin.", known) == "contradicts"
    rest = "The user stopped taking aspirin and only takes metformin now."
    assert relate_statements(rest, known) == "replaces"


def test_a_statement_that_says_more_takes_the_place_of_the_shorter_one() -> None:
    more = "The user is allergic to shellfish and penicillin."
    assert relate_statements(more, "The user is allergic to shellfish.") == "replaces"
    assert relate_statements("The user has a dog named Rex.", "The user has a dog.") == "replaces"
