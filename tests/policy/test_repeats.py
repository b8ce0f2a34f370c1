"""Repeated failures, and the intervals in which shares of sessions lie."""

import pytest

from memoria.model.value import SessionGroup
from memoria.policy.repeats import (
    LEAST_SESSIONS,
    CommandRun,
    count_missing,
    count_repeats,
    describe_group,
    find_difference,
    find_share,
)


def run(session: str, command: str, outcome: str, project: int = 1) -> CommandRun:
    return CommandRun(session, project, command, outcome == "failed", outcome == "worked")


def test_a_failure_of_an_earlier_session_that_comes_again_counts_once_a_session() -> None:
    runs = [run("a", "npm test", "failed"), run("a", "npm test", "failed")]
    runs += [run("b", "npm test", "failed"), run("b", "npm test", "failed")]
    assert count_repeats(runs) == {"a": 0, "b": 1}


@pytest.mark.parametrize(
    "between", [run("a", "npm test", "worked"), run("c", "npm test", "worked")]
)
def test_what_has_worked_meanwhile_begins_anew(between: CommandRun) -> None:
    runs = [run("a", "npm test", "failed"), between, run("b", "npm test", "failed")]
    assert count_repeats(runs)["b"] == 0


def test_another_command_another_project_and_an_unknown_end_are_no_repeats() -> None:
    runs = [run("a", "npm test", "failed")]
    runs += [run("b", "npm run test", "failed"), run("b", "npm test", "failed", project=2)]
    runs += [run("b", "npm test", "unknown")]
    assert count_repeats(runs) == {"a": 0, "b": 0}


def test_a_share_lies_in_wilsons_interval_also_where_nothing_happened() -> None:
    share = find_share(81, 263)  # an example of Newcombe's, 1998
    assert (round(share.low, 4), round(share.high, 4)) == (0.2553, 0.3662)
    nothing = find_share(0, 20)
    assert (round(nothing.low, 4), round(nothing.high, 4)) == (0.0, 0.1611)


@pytest.mark.parametrize(
    ("one", "other", "low", "high"),
    [((56, 70), (48, 80), 0.0524, 0.3339), ((0, 10), (0, 20), -0.1611, 0.2775)],
)
def test_a_difference_lies_in_newcombes_interval(
    one: tuple[int, int], other: tuple[int, int], low: float, high: float
) -> None:
    found = find_difference(find_share(*one), find_share(*other))
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)


def test_a_group_without_sessions_has_no_share_and_misses_all() -> None:
    nothing = describe_group({}, {})
    assert nothing == SessionGroup(sessions=0, repeats=0, repeating=0, tokens=0)
    some = describe_group({"a": 2, "b": 0}, {"a": 100, "b": 200})
    assert (some.repeats, some.repeating, some.tokens) == (2, 1, 150)
    assert count_missing(nothing, some) == 2 * LEAST_SESSIONS - 2
