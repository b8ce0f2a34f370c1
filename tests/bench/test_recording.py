"""The recording benchmark in small: that it records all, and scores what was found."""

from pathlib import Path

import pytest
from bench.data import Conversation, Question
from bench.recording.record import Talk, record_and_ask
from bench.recording.run import count_changed, measure_recall

import memoria
from memoria import Turn

SAID = ("The boat is painted blue.", "船上要两层漆。", "Mira sails on Sunday.")
TURNS = [
    {"session_id": "s", "message_id": f"m{n}", "role": "user", "content": text}
    for n, text in enumerate(SAID)
]
ASKED = "When does Mira sail?"


@pytest.mark.parametrize("at_once", [None, 2])
async def test_whatever_is_recorded_has_its_vector_before_it_is_asked_for(
    home: Path, at_once: int | None
) -> None:
    told = await record_and_ask(home, [Talk("t", TURNS, [ASKED])], at_once)
    assert told["cpu_s"] > 0
    assert {level: found[0][0] for level, found in told["found"].items()} == {
        "second": ["s", "m2"],
        "first": ["s", "m2"],
    }
    async with memoria.open(home, "t") as m:
        held = await m.statistics()
        assert (held.turns, held.vectors, held.backlog.pending) == (3, 3, 0)


def test_recall_is_of_what_something_answers_and_changed_answers_are_counted() -> None:
    turns = tuple(Turn.model_validate(turn) for turn in TURNS)
    gold = frozenset({("s", "m2"), ("s", "m9")})
    asked = (Question(ASKED, "fact", gold), Question("Who is Ed?", "none", frozenset()))
    first, second = [("s", "m1"), ("s", "m2")], [("s", "m2")]
    found = {"second": [first, []], "first": [second, second]}
    recalls = measure_recall([Conversation("t", turns, asked)], found)
    assert recalls == dict.fromkeys(
        ("second R@5", "second R@10", "first R@5", "first R@10"), pytest.approx(0.5)
    )
    assert count_changed(found, found) == 0
    assert count_changed(found, {"second": [second, []], "first": [second, first]}) == 2
