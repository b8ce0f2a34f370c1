"""Rounds of work: a few threads make the steps of many homes, each when it is due."""

import threading
from collections.abc import Iterator

import pytest

from memoria.ingest.rounds import WorkRounds

LONG_S = 10.0


@pytest.fixture
def rounds() -> Iterator[WorkRounds]:
    rounds = WorkRounds("test-rounds", 1)
    yield rounds
    rounds.stop(LONG_S)


def test_each_has_its_step_though_another_always_has_more_to_do(rounds: WorkRounds) -> None:
    first, others = threading.Event(), [threading.Event() for _ in range(20)]

    def work_on() -> float:
        first.set()
        return 0.0

    busy = rounds.join(work_on)
    for one in others:
        rounds.join(one.set)
    assert all(one.wait(LONG_S) for one in (first, *others))
    busy.leave(LONG_S)


def test_what_is_written_during_a_step_is_seen_by_another_step(rounds: WorkRounds) -> None:
    began, go_on, again = threading.Event(), threading.Event(), threading.Event()

    def step() -> float:
        if began.is_set():
            again.set()
        began.set()
        go_on.wait(LONG_S)
        return LONG_S * 100

    turn = rounds.join(step)
    assert began.wait(LONG_S)
    turn.wake()
    go_on.set()
    assert again.wait(LONG_S)


def test_who_has_left_makes_no_step_and_the_last_one_has_ended(rounds: WorkRounds) -> None:
    began, steps = threading.Event(), list[str]()

    def step() -> float:
        steps.append("began")
        began.set()
        steps.append("ended")
        return 0.0

    turn = rounds.join(step)
    assert began.wait(LONG_S)
    turn.leave(LONG_S)
    seen = list(steps)
    assert seen[-1] == "ended"
    turn.wake()
    other = threading.Event()
    rounds.join(other.set)
    assert other.wait(LONG_S)
    assert steps == seen


def test_a_step_that_fails_stops_no_other(
    rounds: WorkRounds, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> float:
        raise RuntimeError("this home is broken")

    rounds.join(fail)
    other = threading.Event()
    rounds.join(other.set)
    assert other.wait(LONG_S)
    assert "this home is broken" in caplog.text
