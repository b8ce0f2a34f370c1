"""Training finds what the data has, and repeats itself."""

from pathlib import Path

import numpy as np
import pytest
from training.fit.train import FOLDER, Life, Question, describe, learn, read_life, score
from training.statements.train import (
    LABELS,
    LANGUAGES,
    Example,
    find_part,
    fit,
    make_matrix,
    read_examples,
)
from training.telling.train import Floats

from memoria.inference.embedder import read_answering
from memoria.language.statements.classifier import TYPES
from memoria.model.memory_types import MemoryType


def unit(*numbers: float) -> Floats:
    vector = np.array(numbers, dtype=np.float64)
    return vector / np.linalg.norm(vector)


def share_told(life: Life, weights: Floats) -> float:
    """Of the near misses those below a bound that turns away .4 of what is answered."""
    found = list(score(life, weights))
    answered = [fit for kind, fit in found if kind == "answered"]
    bound = np.quantile(answered, 0.4)
    return float(np.mean([fit < bound for kind, fit in found if kind == "near"]))


def test_what_only_answers_share_with_their_questions_comes_to_count_more() -> None:
    facts = np.stack([unit(1, 1, 0), unit(1, 0, 1)])
    asked = Question("answered", unit(1, 1, 0), 0)
    near = Question("near", unit(1, 0.2, 0), None)
    weights = learn([Life(facts, (asked, near))])
    assert weights[1] > weights[0]


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*_1.tsv")), ids=lambda file: file.stem)
def test_the_shipped_weights_tell_more_near_misses_than_the_cosine_does(file: Path) -> None:
    life = read_life(file)
    learnt, plain = read_answering().astype(np.float64), np.ones(life.facts.shape[1])
    assert share_told(life, learnt) > share_told(life, plain) + 0.1


def test_a_run_says_what_is_told_apart_at_each_bound() -> None:
    found = [("answered", n / 10) for n in range(10)] + [("near", 0.05), ("far", -1.0)]
    assert list(describe(found)) == [
        "answered 0.10: near 1.00, far 1.00",
        "answered 0.40: near 1.00, far 1.00",
    ]


def test_only_the_part_in_brackets_is_learnt_from() -> None:
    assert find_part("[I keep bees], and which honey is best?") == "I keep bees"
    assert find_part("I keep bees.") == "I keep bees."


def test_what_is_learnt_tells_an_order_from_a_plan() -> None:
    orders = [Example("one", "instruction", f"Always {verb} the units.") for verb in "abcdef"]
    plans = [Example("one", "goal", f"I plan to {verb} next year.") for verb in "abcdef"]
    rows = fit([*orders, *plans])
    asked = make_matrix(["Always name the units.", "I plan to move next year."])
    best = np.stack([asked.score(row) for row in rows]).argmax(axis=0)
    assert [TYPES[n] for n in best] == [MemoryType.RULE, MemoryType.GOAL]


def test_every_labelled_sentence_has_a_type() -> None:
    examples = [one for language in LANGUAGES for one in read_examples(language)]
    assert {one.label for one in examples} == {*LABELS}
    assert {one.kind for one in examples} == {*TYPES}
